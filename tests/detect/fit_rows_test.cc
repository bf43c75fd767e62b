#include "detect/adapt/fit_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "detect/adapt/image_fit.h"
#include "skinmask/base/logistic.h"
#include "support/colors.h"

namespace skinmask {
namespace {

constexpr double kLocalWeight = 0.9;

struct Pixel {
  std::uint8_t bgr[3];
  float log_odds;
};

std::vector<Pixel> DrawPixels(std::size_t count) {
  testing::Random random(11);
  std::vector<Pixel> pixels(count);
  for (Pixel& pixel : pixels) {
    const double level = 120 + 40 * random.Normal();
    for (std::uint8_t& byte : pixel.bgr)
      byte = static_cast<std::uint8_t>(std::clamp(level + 15 * random.Normal(), 0., 255.));
    pixel.log_odds = static_cast<float>(2 * random.Normal());
  }
  return pixels;
}

FitPixels Planes(const std::vector<Pixel>& pixels) {
  cv::Mat3b bgr;
  cv::Mat1f log_odds;
  for (const Pixel& pixel : pixels) {
    bgr.push_back(cv::Vec3b(pixel.bgr));
    log_odds.push_back(pixel.log_odds);
  }
  return {bgr, log_odds, 1};
}

ImageModel TwoAndThree() {
  const auto gaussian = [](double n, double b, double g, double r, double variance) {
    ColorGaussian made{n, {b, g, r}, variance * Eigen::Matrix3d::Identity()};
    made.covariance(0, 1) = made.covariance(1, 0) = 0.4 * variance;
    return made;
  };
  return {{gaussian(1, 110, 120, 140, 200), gaussian(2, 80, 90, 110, 150)},
          {gaussian(50, 120, 120, 120, 900), gaussian(20, 160, 150, 150, 400),
           gaussian(30, 90, 100, 80, 600)},
          {}};
}

std::vector<ColorGaussian> Found(const std::vector<Pixel>& pixels, const ImageModel& model) {
  std::vector<Eigen::Vector3d> means;
  for (const auto* mixture : {&model.skin, &model.background})
    for (const ColorGaussian& g : *mixture) means.push_back(g.mean);
  return EStep(Planes(pixels), CompiledMixture(Components(model), 0), means, kLocalWeight);
}

// The oracle: responsibilities and moments by their definitions, in double.
std::vector<ColorGaussian> Reference(const std::vector<Pixel>& pixels, const ImageModel& model) {
  const std::vector<MixtureComponent> components = Components(model);
  std::vector<ColorGaussian> moments(components.size(),
                                     {0, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Zero()});
  for (const Pixel& pixel : pixels) {
    double sums[2] = {};
    for (const MixtureComponent& c : components)
      sums[c.class_index] += std::exp(c.log_density(pixel.bgr));
    const double p =
        Logistic(kLocalWeight * std::log(sums[0] / sums[1]) + static_cast<double>(pixel.log_odds));
    const Eigen::Vector3d color = Color(pixel.bgr);
    for (std::size_t k = 0; k < components.size(); ++k) {
      const int c = components[k].class_index;
      const double share =
          (c == 0 ? p : 1 - p) * std::exp(components[k].log_density(pixel.bgr)) / sums[c];
      moments[k].n += share;
      moments[k].mean += share * color;
      moments[k].covariance += share * color * color.transpose();
    }
  }
  for (ColorGaussian& g : moments) {
    g.mean /= g.n;
    g.covariance = (g.covariance / g.n - g.mean * g.mean.transpose()).eval();
  }
  return moments;
}

TEST(FitRows, AnEStepIsTheDefinition) {
  for (const std::size_t count : {1u, 63u, 64u, 65u, 1000u, 20000u}) {
    const std::vector<Pixel> pixels = DrawPixels(count);
    const ImageModel model = TwoAndThree();
    const std::vector<ColorGaussian> found = Found(pixels, model), exact = Reference(pixels, model);
    ASSERT_EQ(found.size(), exact.size());
    for (std::size_t k = 0; k < exact.size(); ++k) {
      EXPECT_NEAR(found[k].n / exact[k].n, 1, 1e-4) << count;
      EXPECT_LT((found[k].mean - exact[k].mean).norm(), 2e-3) << count;
      EXPECT_LT((found[k].covariance - exact[k].covariance).norm(), 0.05) << count;
    }
  }
}

TEST(FitRows, AllTargetsGiveTheSame) {
  const std::vector<Pixel> pixels = DrawPixels(5003);
  const ImageModel model = TwoAndThree();
  const std::vector<ColorGaussian> best = Found(pixels, model);
  for (const std::string& name : UsableTargets()) {
    const testing::ForcedTarget target(name);
    const std::vector<ColorGaussian> found = Found(pixels, model);
    for (std::size_t k = 0; k < best.size(); ++k) {
      EXPECT_EQ(found[k].n, best[k].n) << name;
      EXPECT_EQ(found[k].mean, best[k].mean) << name;
      EXPECT_EQ(found[k].covariance, best[k].covariance) << name;
    }
  }
}

}  // namespace
}  // namespace skinmask
