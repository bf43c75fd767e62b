#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "detect/adapt/adapt_steps.h"
#include "detect/adapt/color_gaussian.h"
#include "detect/adapt/settings.h"
#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kUnit = 1 << 16;  // a pixel's whole weight in exact moments

struct Pixel {
  const std::uint8_t* bgr;
  double evidence;  // what the global model and the place say
};

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
std::vector<ColorGaussian> Divide(const std::vector<const std::uint8_t*>& pixels) {
  struct Part {
    std::vector<const std::uint8_t*> pixels;
    ColorGaussian gaussian;
    Vector3d axis;
    double spread;
  };
  const auto part_of = [](std::vector<const std::uint8_t*> members) {
    Moments moments;
    for (const std::uint8_t* p : members) AddTo(moments, p);
    const ColorGaussian g = FromMoments(moments, 1, kRestNoise);
    int channel = 0;
    g.covariance.diagonal().maxCoeff(&channel);
    // A step of the power method from the channel of greatest variance: near the principal axis.
    const Vector3d axis = g.covariance * g.covariance.col(channel);
    return Part{std::move(members), g, axis.normalized(),
                g.n * axis.normalized().dot(g.covariance * axis.normalized())};
  };
  std::vector<Part> parts{part_of(pixels)};
  while (static_cast<double>(parts.size()) < kRest) {
    const auto widest = std::ranges::max_element(parts, {}, &Part::spread);
    std::vector<const std::uint8_t*> sides[2];
    for (const std::uint8_t* p : widest->pixels)
      sides[(Color(p) - widest->gaussian.mean).dot(widest->axis) > 0].push_back(p);
    if (sides[0].empty() || sides[1].empty()) break;
    *widest = part_of(std::move(sides[0]));
    parts.push_back(part_of(std::move(sides[1])));
  }
  std::vector<ColorGaussian> gaussians;
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
ColorGaussian Anchored(const ColorGaussian& prior, const Moments& moments, double weight) {
  if (moments.n == 0) return prior;
  const ColorGaussian g = FromMoments(moments, kUnit, 0);
  const double total = g.n + weight;
  const Vector3d step = g.mean - prior.mean;
  return {prior.n, (g.n * g.mean + weight * prior.mean) / total,
          (g.n * g.covariance + weight * prior.covariance +
           g.n * weight / total * step * step.transpose()) /
                  total +
              kSkinNoise / 2 * Matrix3d::Identity()};
}

std::vector<ColorGaussian> FirstRest(const std::vector<Pixel>& pixels,
                                     std::span<const ColorGaussian> skin) {
  std::vector<Matrix3d> precisions;
  for (const ColorGaussian& g : skin) precisions.push_back(g.covariance.inverse());
  std::vector<const std::uint8_t*> far;
  for (const Pixel& pixel : pixels) {
    bool is_far = true;
    for (std::size_t i = 0; i < skin.size() && is_far; ++i)
      is_far = Distance(Color(pixel.bgr), skin[i].mean, precisions[i]) > kFar;
    if (is_far) far.push_back(pixel.bgr);
  }
  return far.size() < kFewest ? std::vector<ColorGaussian>() : Divide(far);
}

// What a round makes of the model: each mixture's Gaussians as the pixels are shared among them.
ImageModel Round(const ImageModel& model, std::span<const ColorGaussian> anchors,
                 const std::vector<Pixel>& pixels) {
  const double anchor = kAnchor * static_cast<double>(pixels.size());
  const std::vector<Moments> moments = Share(pixels, model);
  ImageModel next = model;
  for (std::size_t i = 0; i < anchors.size(); ++i)
    next.skin[i] = Anchored(anchors[i], moments[i], anchor);
  for (std::size_t i = 0; i < next.rest.size(); ++i) {
    const Moments& m = moments[anchors.size() + i];
    if (static_cast<double>(m.n) >= kUnit)
      next.rest[i] = FromMoments(m, kUnit, kRestNoise);
    else
      next.rest[i].n = 1;  // one that has lost its pixels stays, of little weight
  }
  return next;
}

}  // namespace

std::vector<MixtureComponent> Components(const ImageModel& image) {
  static const Features kBgr;
  double rest = 0;
  for (const ColorGaussian& g : image.rest) rest += g.n;
  std::vector<MixtureComponent> components;
  const auto add = [&](const ColorGaussian& g, double prior, int class_index) {
    components.push_back(
        {Quadratic::Discriminant(kBgr, prior, {1, g.mean, g.covariance}), class_index});
  };
  for (const ColorGaussian& g : image.skin) add(g, 1 / static_cast<double>(image.skin.size()), 0);
  for (const ColorGaussian& g : image.rest) add(g, g.n / rest, 1);
  return components;
}

std::optional<ImageModel> FitToImage(const cv::Mat& bgr, std::span<const ColorGaussian> anchors,
                                     const cv::Mat& log_odds, const cv::Mat& place) {
  if (anchors.empty()) return std::nullopt;
  const std::vector<Pixel> pixels = Thin(bgr, log_odds, place);
  ImageModel model{{anchors.begin(), anchors.end()}, FirstRest(pixels, anchors)};
  if (model.rest.empty()) return std::nullopt;
  for (int round = 0; round < kFitRounds; ++round) model = Round(model, anchors, pixels);
  return model;
}

void Renew(ImageModel& model, const cv::Mat& bgr, std::span<const ColorGaussian> anchors,
           const cv::Mat& log_odds, const cv::Mat& place, double rate) {
  const ImageModel next = Round(model, anchors, Thin(bgr, log_odds, place));
  for (std::size_t i = 0; i < model.skin.size(); ++i)
    MoveTowards(model.skin[i], next.skin[i], rate);
  for (std::size_t i = 0; i < model.rest.size(); ++i)
    MoveTowards(model.rest[i], next.rest[i], rate);
}

void MoveTowards(ColorGaussian& gaussian, const ColorGaussian& target, double rate) {
  const Vector3d step = target.mean - gaussian.mean;
  gaussian.n += rate * (target.n - gaussian.n);
  gaussian.covariance += rate * (target.covariance - gaussian.covariance) +
                         rate * (1 - rate) * step * step.transpose();
  gaussian.mean += rate * step;
}

}  // namespace skinmask
