#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "skinmask/adapt.h"
#include "weights.h"

namespace skinmask {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::size_t kRest = 4;  // Gaussians for what is not skin
constexpr int kRounds = 3;
constexpr std::size_t kFewest = 20;  // pixels to fit a Gaussian to
constexpr double kImplausible = -4;  // log-odds under which a seed's pixel is eye, beard or hair
constexpr double kKept = 0.9;        // share of a seed's pixels that trimming leaves
constexpr int kTrims = 4;
constexpr double kWidened = 1.2;  // what trimming took from the covariance, and other lights on it
constexpr double kSkinNoise = 4;  // variances below which colours are not told apart
constexpr double kRestNoise = 16;
constexpr double kFar = 14;        // squared Mahalanobis distance from all skin: the first rest
constexpr double kAnchor = 0.02;   // weight of the seeds, in shares of the image's pixels
constexpr double kUnit = 1 << 16;  // a pixel's whole weight in exact moments

struct Density {
  double n;  // pixels
  Vector3d mean;
  Matrix3d covariance;
};

struct Pixel {
  const std::uint8_t* bgr;
  double evidence;  // what the global model and the place say
};

Vector3d Color(const std::uint8_t* bgr) { return {double(bgr[0]), double(bgr[1]), double(bgr[2])}; }

void AddTo(Moments& moments, const std::uint8_t* bgr, std::uint64_t count = 1) {
  const std::int32_t carrier[3] = {bgr[0], bgr[1], bgr[2]};
  moments.Add(carrier, count);
}

Density FromMoments(const Moments& moments, double unit, double noise) {
  return {static_cast<double>(moments.n) / unit, moments.Mean(),
          moments.Covariance() + noise * Matrix3d::Identity()};
}

double Distance(const Vector3d& x, const Vector3d& mean, const Matrix3d& precision) {
  return (x - mean).dot(precision * (x - mean));
}

ClassModel ToClass(const Density& g, double prior) {
  ClassModel c;
  c.prior = prior;
  c.mean = g.mean;
  c.covariance = g.covariance;
  return c;
}

std::vector<ClassModel> ToClasses(const std::vector<Density>& gaussians, bool equal) {
  double total = 0;
  for (const Density& g : gaussians) total += equal ? 1 : g.n;
  std::vector<ClassModel> classes;
  for (const Density& g : gaussians) classes.push_back(ToClass(g, (equal ? 1 : g.n) / total));
  return classes;
}

std::vector<const std::uint8_t*> SeedPixels(const cv::Mat& bgr, const Seed& seed,
                                            const cv::Mat& log_odds) {
  std::vector<const std::uint8_t*> all, plausible;
  for (int y = 0; y < seed.box.height; ++y) {
    for (int x = 0; x < seed.box.width; ++x) {
      const cv::Point at = seed.box.tl() + cv::Point(x, y);
      if (!seed.skin.empty() ? seed.skin.at<std::uint8_t>(y, x) == 0
                             : seed.face && !InInnerFace(seed.box, at))
        continue;
      all.push_back(bgr.ptr(at.y, at.x));
      if (log_odds.at<float>(at) > kImplausible) plausible.push_back(all.back());
    }
  }
  // Where the global model finds most of it implausible, it is the light that is odd.
  return 2 * plausible.size() >= all.size() ? plausible : all;
}

// Concentration steps of the minimum covariance determinant (Rousseeuw, Van Driessen 1999) from all
// pixels: the moments of the share nearest to the Gaussian of the share before.
Moments Trim(const std::vector<const std::uint8_t*>& pixels) {
  Moments moments;
  for (const std::uint8_t* p : pixels) AddTo(moments, p);
  std::vector<double> distances(pixels.size());
  for (int i = 0; i < kTrims; ++i) {
    const Density g = FromMoments(moments, 1, kSkinNoise);
    const Matrix3d precision = g.covariance.inverse();
    for (std::size_t j = 0; j < pixels.size(); ++j)
      distances[j] = Distance(Color(pixels[j]), g.mean, precision);
    std::vector<double> sorted = distances;
    const auto border = sorted.begin() +
                        static_cast<std::ptrdiff_t>(kKept * static_cast<double>(sorted.size() - 1));
    std::ranges::nth_element(sorted, border);
    moments = {};
    for (std::size_t j = 0; j < pixels.size(); ++j)
      if (distances[j] <= *border) AddTo(moments, pixels[j]);
  }
  return moments;
}

// Every second pixel of every second row: the fit does not gain by more.
std::vector<Pixel> Thin(const cv::Mat& bgr, const cv::Mat& log_odds, const cv::Mat& place) {
  std::vector<Pixel> pixels;
  for (int y = 0; y < bgr.rows; y += 2)
    for (int x = 0; x < bgr.cols; x += 2) {
      const double global = log_odds.at<float>(y, x);
      pixels.push_back({bgr.ptr(y, x), (1 - kLocalShare) * global + place.at<float>(y, x)});
    }
  return pixels;
}

// Divides colours at the mean of the part with the greatest variance along an axis, until there are
// kRest: the same parts for the same colours.
std::vector<Density> Divide(const std::vector<const std::uint8_t*>& pixels) {
  struct Part {
    std::vector<const std::uint8_t*> pixels;
    Density gaussian;
    Vector3d axis;
    double spread;
  };
  const auto part_of = [](std::vector<const std::uint8_t*> members) {
    Moments moments;
    for (const std::uint8_t* p : members) AddTo(moments, p);
    const Density g = FromMoments(moments, 1, kRestNoise);
    int channel = 0;
    g.covariance.diagonal().maxCoeff(&channel);
    // A step of the power method from the channel of greatest variance: near the principal axis.
    const Vector3d axis = g.covariance * g.covariance.col(channel);
    return Part{std::move(members), g, axis.normalized(),
                g.n * axis.normalized().dot(g.covariance * axis.normalized())};
  };
  std::vector<Part> parts{part_of(pixels)};
  while (parts.size() < kRest) {
    const auto widest = std::ranges::max_element(parts, {}, &Part::spread);
    std::vector<const std::uint8_t*> sides[2];
    for (const std::uint8_t* p : widest->pixels)
      sides[(Color(p) - widest->gaussian.mean).dot(widest->axis) > 0].push_back(p);
    if (sides[0].empty() || sides[1].empty()) break;
    *widest = part_of(std::move(sides[0]));
    parts.push_back(part_of(std::move(sides[1])));
  }
  std::vector<Density> gaussians;
  for (const Part& part : parts) gaussians.push_back(part.gaussian);
  return gaussians;
}

// exp(log_terms) / their sum, in place; returns the sum's logarithm.
double Normalise(double* log_terms, std::size_t count) {
  const double greatest = *std::max_element(log_terms, log_terms + count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += log_terms[i] = std::exp(log_terms[i] - greatest);
  for (std::size_t i = 0; i < count; ++i) log_terms[i] /= sum;
  return greatest + std::log(sum);
}

// Each component's exact moments, pixels weighted by how much of them is its.
std::vector<Moments> Share(const std::vector<Pixel>& pixels, const ImageModel& model) {
  const std::vector<MixtureComponent> components = Components(model);
  const std::size_t skin = model.skin.size(), all = components.size();
  std::vector<Moments> moments(all);
  std::vector<double> share(all);
  for (const Pixel& pixel : pixels) {
    for (std::size_t k = 0; k < all; ++k) share[k] = components[k].log_density(pixel.bgr);
    const double local = Normalise(share.data(), skin) - Normalise(share.data() + skin, all - skin);
    const double p = Logistic(kLocalShare * local + pixel.evidence);
    for (std::size_t k = 0; k < all; ++k) {
      const auto weight =
          static_cast<std::uint64_t>(std::lround(kUnit * (k < skin ? p : 1 - p) * share[k]));
      if (weight > 0) AddTo(moments[k], pixel.bgr, weight);
    }
  }
  return moments;
}

// The estimate with a conjugate normal-inverse-Wishart prior of `weight` pixels at `prior`.
Density Anchored(const Density& prior, const Moments& moments, double weight) {
  if (moments.n == 0) return prior;
  const Density g = FromMoments(moments, kUnit, 0);
  const double total = g.n + weight;
  const Vector3d step = g.mean - prior.mean;
  return {prior.n, (g.n * g.mean + weight * prior.mean) / total,
          (g.n * g.covariance + weight * prior.covariance +
           g.n * weight / total * step * step.transpose()) /
                  total +
              kSkinNoise / 2 * Matrix3d::Identity()};
}

std::vector<Density> SkinOfSeeds(const cv::Mat& bgr, std::span<const Seed> seeds,
                                 const cv::Mat& log_odds, std::vector<Moments>& kept) {
  std::vector<Density> skin;
  for (const Seed& seed : seeds) {
    const auto pixels = SeedPixels(bgr, seed, log_odds);
    Moments moments = pixels.size() < kFewest ? Moments() : Trim(pixels);
    moments += seed.carried;
    if (moments.n < kFewest) continue;
    Density g = FromMoments(moments, 1, 0);
    g.covariance = kWidened * g.covariance + kSkinNoise * Matrix3d::Identity();
    skin.push_back(g);
    kept.push_back(moments);
    if (skin.size() == kMostSeeds) break;
  }
  return skin;
}

std::vector<Density> FirstRest(const std::vector<Pixel>& pixels, const std::vector<Density>& skin) {
  std::vector<Matrix3d> precisions;
  for (const Density& g : skin) precisions.push_back(g.covariance.inverse());
  std::vector<const std::uint8_t*> far;
  for (const Pixel& pixel : pixels) {
    bool is_far = true;
    for (std::size_t i = 0; i < skin.size() && is_far; ++i)
      is_far = Distance(Color(pixel.bgr), skin[i].mean, precisions[i]) > kFar;
    if (is_far) far.push_back(pixel.bgr);
  }
  return far.size() < kFewest ? std::vector<Density>() : Divide(far);
}

}  // namespace

std::vector<MixtureComponent> Components(const ImageModel& image) {
  Model model;
  model.classes = image.skin;
  model.classes.insert(model.classes.end(), image.rest.begin(), image.rest.end());
  std::vector<MixtureComponent> components;
  for (std::size_t k = 0; k < model.classes.size(); ++k)
    components.push_back({Quadratic::Discriminant(model, k), k < image.skin.size() ? 0 : 1});
  return components;
}

std::optional<ImageModel> FitToImage(const cv::Mat& bgr, std::span<const Seed> seeds,
                                     const cv::Mat& log_odds, const cv::Mat& place) {
  ImageModel model;
  const std::vector<Density> anchors = SkinOfSeeds(bgr, seeds, log_odds, model.seeds);
  if (anchors.empty()) return std::nullopt;
  const std::vector<Pixel> pixels = Thin(bgr, log_odds, place);
  std::vector<Density> skin = anchors, rest = FirstRest(pixels, anchors);
  if (rest.empty()) return std::nullopt;
  const double anchor = kAnchor * static_cast<double>(pixels.size());
  for (int round = 0; round <= kRounds; ++round) {
    model.skin = ToClasses(skin, true);
    model.rest = ToClasses(rest, false);
    if (round == kRounds) break;
    const std::vector<Moments> moments = Share(pixels, model);
    for (std::size_t i = 0; i < skin.size(); ++i)
      skin[i] = Anchored(anchors[i], moments[i], anchor);
    for (std::size_t i = 0; i < rest.size();
         ++i)  // one that has lost its pixels stays, of little weight
      if (const Moments& m = moments[skin.size() + i]; static_cast<double>(m.n) >= kUnit)
        rest[i] = FromMoments(m, kUnit, kRestNoise);
      else
        rest[i].n = 1;
  }
  return model;
}

}  // namespace skinmask
