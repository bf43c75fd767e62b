#include "detect/adapt/image_fit.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kUnit = 1 << 16;  // a pixel's whole weight in exact moments

struct Pixel {
  const std::uint8_t* bgr;
  double log_odds;  // of the evidence beside the local densities
};

// Every second pixel of every second row: the fit does not gain by more.
std::vector<Pixel> Subsample(const cv::Mat& bgr, const Evidence& evidence, double global_weight) {
  std::vector<Pixel> pixels;
  for (int y = 0; y < bgr.rows; y += 2)
    for (int x = 0; x < bgr.cols; x += 2) {
      const double global = evidence.global_log_odds.at<float>(y, x);
      pixels.push_back(
          {bgr.ptr(y, x), global_weight * global + evidence.spatial_prior.at<float>(y, x)});
    }
  return pixels;
}

// A group of colours, and how it is best divided.
struct Part {
  std::vector<const std::uint8_t*> pixels;
  ColorGaussian gaussian;
  Vector3d axis;
  double spread;  // along the axis, times pixels

  Part(std::vector<const std::uint8_t*> members, double covariance_floor)
      : pixels(std::move(members)) {
    Moments moments;
    for (const std::uint8_t* p : pixels) AddTo(moments, p);
    gaussian = FromMoments(moments, 1, covariance_floor);
    int channel = 0;
    gaussian.covariance.diagonal().maxCoeff(&channel);
    // A step of the power method from the channel of greatest variance: near the principal axis.
    axis = (gaussian.covariance * gaussian.covariance.col(channel)).normalized();
    spread = gaussian.n * axis.dot(gaussian.covariance * axis);
  }
};

// Divides the part of greatest spread at its mean, across its principal axis, until there are
// enough: the same parts for the same colours.
std::vector<ColorGaussian> PrincipalSplit(std::vector<const std::uint8_t*> pixels,
                                          const ImageFitOptions& options) {
  const double floor = options.background_covariance_floor;
  std::vector<Part> parts{Part(std::move(pixels), floor)};
  while (static_cast<int>(parts.size()) < options.background_components) {
    const auto widest = std::ranges::max_element(parts, {}, &Part::spread);
    std::vector<const std::uint8_t*> sides[2];
    for (const std::uint8_t* p : widest->pixels)
      sides[(Color(p) - widest->gaussian.mean).dot(widest->axis) > 0].push_back(p);
    if (sides[0].empty() || sides[1].empty()) break;
    *widest = Part(std::move(sides[0]), floor);
    parts.emplace_back(std::move(sides[1]), floor);
  }
  std::vector<ColorGaussian> gaussians;
  for (const Part& part : parts) gaussians.push_back(part.gaussian);
  return gaussians;
}

// The pixels that are far from all skin, as Gaussians; none where there are too few.
std::vector<ColorGaussian> InitialBackground(const std::vector<Pixel>& pixels,
                                             std::span<const ColorGaussian> skin,
                                             const ImageFitOptions& options) {
  std::vector<Matrix3d> precisions;
  for (const ColorGaussian& g : skin) precisions.push_back(g.covariance.inverse());
  std::vector<const std::uint8_t*> far;
  const double least = options.background_min_distance;
  for (const Pixel& pixel : pixels) {
    bool is_far = true;
    for (std::size_t i = 0; i < skin.size() && is_far; ++i)
      is_far = SquaredMahalanobis(Color(pixel.bgr), skin[i].mean, precisions[i]) > least;
    if (is_far) far.push_back(pixel.bgr);
  }
  if (far.size() < kMinPixels) return {};
  return PrincipalSplit(std::move(far), options);
}

// exp(log_terms) / their sum, in place; returns the sum's logarithm.
double Softmax(double* log_terms, std::size_t count) {
  const double greatest = *std::max_element(log_terms, log_terms + count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += log_terms[i] = std::exp(log_terms[i] - greatest);
  for (std::size_t i = 0; i < count; ++i) log_terms[i] /= sum;
  return greatest + std::log(sum);
}

// Each component's exact moments, pixels weighted by its responsibility for them.
std::vector<Moments> EStep(const std::vector<Pixel>& pixels, const ImageModel& model,
                           double local_weight) {
  const std::vector<MixtureComponent> components = Components(model);
  const std::size_t skin = model.skin.size(), all = components.size();
  std::vector<Moments> moments(all);
  std::vector<double> share(all);
  for (const Pixel& pixel : pixels) {
    for (std::size_t k = 0; k < all; ++k) share[k] = components[k].log_density(pixel.bgr);
    const double local = Softmax(share.data(), skin) - Softmax(share.data() + skin, all - skin);
    const double p = Logistic(local_weight * local + pixel.log_odds);
    for (std::size_t k = 0; k < all; ++k) {
      const auto weight =
          static_cast<std::uint64_t>(std::lround(kUnit * (k < skin ? p : 1 - p) * share[k]));
      if (weight > 0) AddTo(moments[k], pixel.bgr, weight);
    }
  }
  return moments;
}

// With a conjugate normal-inverse-Wishart prior of `strength` pixels at `prior`.
ColorGaussian MapEstimate(const ColorGaussian& prior, const Moments& moments, double strength,
                          double covariance_floor) {
  if (moments.n == 0) return prior;
  const ColorGaussian g = FromMoments(moments, kUnit, 0);
  const double total = g.n + strength;
  const Vector3d step = g.mean - prior.mean;
  return {prior.n, (g.n * g.mean + strength * prior.mean) / total,
          (g.n * g.covariance + strength * prior.covariance +
           g.n * strength / total * step * step.transpose()) /
                  total +
              covariance_floor * Matrix3d::Identity()};
}

ImageModel EmStep(const ImageModel& model, std::span<const ColorGaussian> anchors,
                  const std::vector<Pixel>& pixels, const AdaptOptions& options) {
  const double strength = options.fit.prior_strength * static_cast<double>(pixels.size());
  const std::vector<Moments> moments = EStep(pixels, model, options.local_weight);
  ImageModel next = model;
  // Half the floor, since the anchor's covariance has the floor in it.
  for (std::size_t i = 0; i < anchors.size(); ++i)
    next.skin[i] = MapEstimate(anchors[i], moments[i], strength, options.skin.covariance_floor / 2);
  for (std::size_t i = 0; i < next.background.size(); ++i) {
    const Moments& m = moments[anchors.size() + i];
    if (static_cast<double>(m.n) >= kUnit)
      next.background[i] = FromMoments(m, kUnit, options.fit.background_covariance_floor);
    else
      next.background[i].n = 1;  // one that has lost its pixels stays, of little weight
  }
  return next;
}

}  // namespace

std::vector<MixtureComponent> Components(const ImageModel& image) {
  static const Features kBgr;
  double background = 0;
  for (const ColorGaussian& g : image.background) background += g.n;
  std::vector<MixtureComponent> components;
  const auto add = [&](const ColorGaussian& g, double prior, int class_index) {
    components.push_back(
        {Quadratic::Discriminant(kBgr, prior, {1, g.mean, g.covariance}), class_index});
  };
  for (const ColorGaussian& g : image.skin) add(g, 1 / static_cast<double>(image.skin.size()), 0);
  for (const ColorGaussian& g : image.background) add(g, g.n / background, 1);
  return components;
}

std::optional<ImageModel> FitToImage(const cv::Mat& bgr, std::span<const ColorGaussian> anchors,
                                     const Evidence& evidence, const AdaptOptions& options) {
  if (anchors.empty()) return std::nullopt;
  const std::vector<Pixel> pixels = Subsample(bgr, evidence, 1 - options.local_weight);
  ImageModel model{{anchors.begin(), anchors.end()},
                   InitialBackground(pixels, anchors, options.fit)};
  if (model.background.empty()) return std::nullopt;
  for (int step = 0; step < options.fit.em_steps; ++step)
    model = EmStep(model, anchors, pixels, options);
  return model;
}

void StepwiseUpdate(ImageModel& model, const cv::Mat& bgr, std::span<const ColorGaussian> anchors,
                    const Evidence& evidence, double rate, const AdaptOptions& options) {
  const std::vector<Pixel> pixels = Subsample(bgr, evidence, 1 - options.local_weight);
  const ImageModel next = EmStep(model, anchors, pixels, options);
  for (std::size_t i = 0; i < model.skin.size(); ++i) Blend(model.skin[i], next.skin[i], rate);
  for (std::size_t i = 0; i < model.background.size(); ++i)
    Blend(model.background[i], next.background[i], rate);
}

}  // namespace skinmask
