#include "detect/adapt/image_fit.h"

#include <Eigen/LU>
#include <algorithm>
#include <cstdint>

#include "detect/adapt/fit_rows.h"

namespace skinmask {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// Every second pixel of every second row is used, because more pixels do not improve the fit.
constexpr int kStep = 2;

// The log-odds of each pixel without those of the local densities.
cv::Mat LogOddsBeside(const Evidence& evidence, const AdaptOptions& options) {
  cv::Mat z;
  cv::scaleAdd(evidence.global_log_odds, options.global_weight, evidence.spatial_prior, z);
  return z;
}

std::vector<const std::uint8_t*> BytesOf(const cv::Mat& bgr) {
  std::vector<const std::uint8_t*> pixels;
  for (int y = 0; y < bgr.rows; y += kStep)
    for (int x = 0; x < bgr.cols; x += kStep) pixels.push_back(bgr.ptr(y, x));
  return pixels;
}

// The maximum of the posterior with a conjugate normal-inverse-Wishart prior of `strength` pixels
// at `prior`.
ColorGaussian MapEstimate(const ColorGaussian& prior, const ColorGaussian& g, double strength,
                          double covariance_floor) {
  constexpr double kLeastPixels = 1e-3;  // fewer have no usable moments
  if (g.n < kLeastPixels) return prior;
  const double total = g.n + strength;
  const Vector3d step = g.mean - prior.mean;
  return {prior.n, (g.n * g.mean + strength * prior.mean) / total,
          (g.n * g.covariance + strength * prior.covariance +
           g.n * strength / total * step * step.transpose()) /
                  total +
              covariance_floor * Matrix3d::Identity()};
}

ImageModel EmStep(const ImageModel& model, std::span<const ColorGaussian> color_priors,
                  const FitPixels& pixels, const AdaptOptions& options) {
  const double strength = options.fit.prior_strength * static_cast<double>(pixels.count);
  std::vector<Vector3d> means;
  for (const auto* const mixture : {&model.skin, &model.background})
    for (const ColorGaussian& g : *mixture) means.push_back(g.mean);
  const std::vector<ColorGaussian> found =
      EStep(pixels, CompiledMixture(Components(model), 0), means, options.local_weight);
  ImageModel next = model;
  // Half the floor, because the colour prior's covariance contains the floor already.
  for (std::size_t i = 0; i < color_priors.size(); ++i)
    next.skin[i] =
        MapEstimate(color_priors[i], found[i], strength, options.skin.covariance_floor / 2);
  for (std::size_t i = 0; i < next.background.size(); ++i) {
    ColorGaussian g = found[color_priors.size() + i];
    if (g.n >= 1) {
      g.covariance += options.fit.background_covariance_floor * Matrix3d::Identity();
      next.background[i] = g;
    } else {
      next.background[i].n = 1;  // a component without pixels stays, with little weight
    }
  }
  return next;
}

// The log-odds of each pixel without the message of its neighbours.
cv::Mat LogOddsAlone(const cv::Mat& bgr, const ImageModel& model, const cv::Mat& beside,
                     const AdaptOptions& options) {
  const CompiledMixture local(Components(model), 0);
  cv::Mat z(bgr.size(), CV_32FC1);
  for (int y = 0; y < bgr.rows; ++y)
    local.LogOddsRow(bgr.ptr(y), static_cast<std::size_t>(bgr.cols), z.ptr<float>(y));
  cv::scaleAdd(z, options.local_weight, beside, z);
  return z;
}

// Starts again without a message, because old messages outlive the evidence that they were computed
// from (F1 of 'groups': 0.003).
Message FinalMessage(const cv::Mat& bgr, const ImageModel& model, const cv::Mat& beside,
                     const AdaptOptions& options, MeanField& field) {
  field.Reset();
  field.Run(LogOddsAlone(bgr, model, beside, options), options.refinement.rounds);
  return field.message();
}

ImageModel EmSteps(ImageModel model, int steps, std::span<const ColorGaussian> color_priors,
                   const FitPixels& pixels, const AdaptOptions& options) {
  for (int step = 0; step < steps; ++step) model = EmStep(model, color_priors, pixels, options);
  return model;
}

// A group of colours, and the axis across which it is divided.
struct Part {
  std::vector<const std::uint8_t*> pixels;
  ColorGaussian gaussian;
  Vector3d axis;
  double spread;  // along the axis, times pixels

  Part(std::vector<const std::uint8_t*> members, double covariance_floor)
      : pixels(std::move(members)) {
    ByteSums sums;
    for (const std::uint8_t* p : pixels) sums.Add(p);
    gaussian = sums.Gaussian(covariance_floor);
    axis = PrincipalAxis(gaussian.covariance);
    spread = gaussian.n * axis.dot(gaussian.covariance * axis);
  }
};

// Divides the part of greatest spread at its mean, across its principal axis, until there are
// enough parts. Equal colours always give equal parts.
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

// The initial background: Gaussians of the pixels (B, G, R) that are far from all skin. If there
// are hardly any, as in grey photographs, whose colours lie on a line, the distance is halved,
// again and again.
std::vector<ColorGaussian> InitialBackground(const std::vector<const std::uint8_t*>& pixels,
                                             std::span<const ColorGaussian> skin,
                                             const ImageFitOptions& options) {
  constexpr double kWithinSkin = 1.5;  // half the mean squared distance within a Gaussian
  std::vector<Matrix3d> precisions;
  const double shade = options.skin_shade * options.skin_shade;
  for (const ColorGaussian& g : skin)
    precisions.push_back((g.covariance + shade * g.mean * g.mean.transpose()).inverse());
  const auto beyond = [&](double least) {
    std::vector<const std::uint8_t*> far;
    for (const std::uint8_t* pixel : pixels) {
      const Vector3d color = Color(pixel);
      bool is_far = true;
      for (std::size_t i = 0; i < skin.size() && is_far; ++i)
        is_far = SquaredMahalanobis(color, skin[i].mean, precisions[i]) > least;
      if (is_far) far.push_back(pixel);
    }
    return far;
  };
  std::vector<const std::uint8_t*> far = beyond(options.background_min_distance);
  for (double least = options.background_min_distance / 2;
       far.size() < kMinPixels && least > kWithinSkin; least /= 2)
    far = beyond(least);
  if (far.size() < kMinPixels) return {};
  return PrincipalSplit(std::move(far), options);
}

}  // namespace

std::vector<Quadratic> Distances(const ImageModel& image) {
  std::vector<Quadratic> distances;
  for (const auto* side : {&image.skin, &image.background})
    for (const ColorGaussian& g : *side)
      distances.push_back(SquaredDistance(Features(), {1, g.mean, g.covariance}));
  return distances;
}

std::vector<MixtureComponent> Components(const ImageModel& image) {
  static const Features kBgr;
  const auto total = [](const std::vector<ColorGaussian>& all) {
    double n = 0;
    for (const ColorGaussian& g : all) n += g.n;
    return n;
  };
  const double skin = total(image.skin), background = total(image.background);
  std::vector<MixtureComponent> components;
  const auto add = [&](const ColorGaussian& g, double prior, int class_index) {
    components.push_back(
        {Quadratic::Discriminant(kBgr, prior, {1, g.mean, g.covariance}), class_index});
  };
  for (const ColorGaussian& g : image.skin) add(g, g.n / skin, 0);
  for (const ColorGaussian& g : image.background) add(g, g.n / background, 1);
  return components;
}

std::optional<ImageModel> FitToImage(const cv::Mat& bgr,
                                     std::span<const ColorGaussian> color_priors,
                                     const Evidence& evidence, const AdaptOptions& options) {
  if (color_priors.empty()) return std::nullopt;
  ImageModel model{{color_priors.begin(), color_priors.end()},
                   InitialBackground(BytesOf(bgr), color_priors, options.fit),
                   {}};
  if (model.background.empty()) return std::nullopt;
  // The weight of hair counts all pixels, that of the other components every fourth one. With a
  // quarter of its weight F1 was lower by 0.001 to 0.003.
  if (evidence.hair) model.background.push_back(*evidence.hair);
  const cv::Mat beside = LogOddsBeside(evidence, options);
  model =
      EmSteps(std::move(model), options.fit.em_steps, color_priors, {bgr, beside, kStep}, options);
  if (!options.refinement.enabled) return model;
  MeanField field(bgr, evidence.face_size, options.refinement);
  for (int time = 0; time < options.fit.informed_times; ++time) {
    field.Run(LogOddsAlone(bgr, model, beside, options), options.fit.informed_rounds);
    cv::Mat z = beside.clone();  // with the messages of neighbours
    field.AddMessage(z);
    model = EmSteps(std::move(model), options.fit.informed_steps, color_priors, {bgr, z, kStep},
                    options);
  }
  model.message = FinalMessage(bgr, model, beside, options, field);
  return model;
}

std::optional<ImageModel> FitToSides(const cv::Mat& bgr, const cv::Mat& log_odds,
                                     const AdaptOptions& options) {
  constexpr double kMinSide = 0.01;  // the least share of the image that is skin
  ByteSums positive;
  std::vector<const std::uint8_t*> others;
  for (int y = 0; y < bgr.rows; y += kStep)
    for (int x = 0; x < bgr.cols; x += kStep)
      if (log_odds.at<float>(y, x) > 0)
        positive.Add(bgr.ptr(y, x));
      else
        others.push_back(bgr.ptr(y, x));
  const double least = kMinSide / (kStep * kStep) * static_cast<double>(bgr.total());
  const ColorGaussian skin = positive.Gaussian(options.skin.covariance_floor);
  if (skin.n < std::max<double>(kMinPixels, least) || others.size() < kMinPixels)
    return std::nullopt;
  return EmSteps({{skin}, PrincipalSplit(std::move(others), options.fit), {}}, options.fit.em_steps,
                 {&skin, 1}, {bgr, options.global_weight * log_odds, kStep}, options);
}

Message MessageOf(const ImageModel& model, const cv::Mat& bgr, const Evidence& evidence,
                  const AdaptOptions& options) {
  if (!options.refinement.enabled) return {};
  MeanField field(bgr, evidence.face_size, options.refinement);
  return FinalMessage(bgr, model, LogOddsBeside(evidence, options), options, field);
}

}  // namespace skinmask
