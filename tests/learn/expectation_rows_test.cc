// Expectation-maximisation by row functions against its definition.
#include "learn/expectation_rows.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <Eigen/LU>
#include <bit>
#include <cmath>

#include "skinmask/learn/fit.h"
#include "skinmask/model/reference.h"
#include "support/colors.h"

namespace skinmask {
namespace {

PointPlanes DrawPoints(std::size_t count) {
  testing::Random random(count);
  PointPlanes points(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double level = 60 * random.Normal();
    for (std::vector<double>& plane : points.f) plane[k] = level + 15 * random.Normal();
    points.weight[k] = static_cast<double>(1 + random.Next() % 9);
  }
  return points;
}

// The last is so far away that nothing is its own.
std::vector<WhitenedComponent> Components() {
  return {{-1, {10, 12, 20}, {0.03, 0.01, 0.04, -0.01, 0.02, 0.03}},
          {-3, {-70, -60, -50}, {0.02, 0, 0.02, 0, 0, 0.02}},
          {0, {40, 90, 10}, {0.1, -0.03, 0.1, 0.02, 0.01, 0.2}},
          {-2, {1e4, 0, 0}, {0.1, 0, 0.1, 0, 0, 0.1}}};
}

double Density(const WhitenedComponent& c, const std::array<double, 3>& f) {
  const double d0 = f[0] - c.mean[0], d1 = f[1] - c.mean[1], d2 = f[2] - c.mean[2];
  const auto& w = c.whitening;
  return std::exp2(c.constant - std::pow(w[0] * d0, 2) - std::pow(w[1] * d0 + w[2] * d1, 2) -
                   std::pow(w[3] * d0 + w[4] * d1 + w[5] * d2, 2));
}

// The oracle: shares and sums by their definitions.
Expectation Definition(const PointPlanes& points,
                       const std::vector<WhitenedComponent>& components) {
  Expectation expectation{std::vector<ComponentSums>(components.size(), ComponentSums::Zero())};
  for (std::size_t k = 0; k < points.count; ++k) {
    const std::array<double, 3> f{points.f[0][k], points.f[1][k], points.f[2][k]};
    double all = 0;
    for (const WhitenedComponent& c : components) all += Density(c, f);
    expectation.log_likelihood += points.weight[k] * std::log(all);
    for (std::size_t j = 0; j < components.size(); ++j) {
      const double share = points.weight[k] * Density(components[j], f) / all;
      ComponentSums& sums = expectation.sums[j];
      sums[0] += share;
      for (std::size_t a = 0, pair = 4; a < 3; ++a) {
        sums[1 + static_cast<int>(a)] += share * f[a];
        for (std::size_t b = a; b < 3; ++b) sums[static_cast<int>(pair++)] += share * f[a] * f[b];
      }
    }
  }
  return expectation;
}

TEST(ExpectationRows, AnEStepIsTheDefinition) {
  for (const std::size_t count : {1u, 7u, 63u, 64u, 65u, 1000u, 50000u}) {
    const PointPlanes points = DrawPoints(count);
    const Expectation found = EStep(points, Components()), exact = Definition(points, Components());
    const double n = static_cast<double>(count);
    EXPECT_NEAR(found.log_likelihood / exact.log_likelihood, 1, 1e-12) << count;
    ASSERT_EQ(found.sums.size(), exact.sums.size());
    for (std::size_t j = 0; j < exact.sums.size(); ++j) {
      for (int i = 0; i < 10; ++i)
        EXPECT_NEAR(found.sums[j][i], exact.sums[j][i],
                    (i == 0  ? 1e-12
                     : i < 4 ? 1e-10
                             : 1e-8) *
                        n)
            << count;
    }
    EXPECT_EQ(found.sums[3][0], 0) << count;
  }
}

// To the last bit.
std::vector<std::uint64_t> Bits(const Expectation& expectation) {
  std::vector<std::uint64_t> bits{std::bit_cast<std::uint64_t>(expectation.log_likelihood)};
  for (const ComponentSums& sums : expectation.sums)
    for (const double sum : sums) bits.push_back(std::bit_cast<std::uint64_t>(sum));
  return bits;
}

TEST(ExpectationRows, AllTargetsAndNumbersOfThreadsGiveTheSame) {
  const PointPlanes points = DrawPoints(30011);
  const auto best = Bits(EStep(points, Components()));
  for (const std::string& name : UsableTargets()) {
    const testing::ForcedTarget target(name);
    EXPECT_EQ(Bits(EStep(points, Components())), best) << name;
  }
  for (const std::size_t threads : {1, 3}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    EXPECT_EQ(Bits(EStep(points, Components())), best) << threads;
  }
}

// Where expectation-maximisation ends it would stay: each component's weight, mean and covariance
// are those of its shares, in double by the reference's own densities.
TEST(ExpectationRows, AFitIsAFixedPoint) {
  FitOptions options;
  options.kind = Kind::kMixture;
  options.mixture.components = 3;
  options.mixture.iterations = 5000;
  options.mixture.tolerance = 1e-13;
  std::vector<SampleRow> rows;  // the third class as a second group of the first
  const Samples three = testing::DrawSamples(3);
  for (SampleRow row : three.rows()) {
    row.class_index %= 2;
    rows.push_back(row);
  }
  const Samples samples({"skin", "non-skin"}, rows);
  const Model model = Fit(samples, options);
  ASSERT_GE(model.positive().components.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    const std::vector<Gaussian>& components = model.classes[k].components;
    std::vector<double> weight(components.size());
    std::vector<Eigen::Vector3d> sum(components.size(), Eigen::Vector3d::Zero());
    double n = 0;
    for (const SampleRow& row : samples.rows()) {
      if (samples.classes()[row.class_index] != model.classes[k].name) continue;
      const Eigen::Vector3d f(row.b, row.g, row.r);
      std::vector<double> density(components.size());
      double all = 0;
      for (std::size_t j = 0; j < components.size(); ++j) {
        const Eigen::Matrix3d covariance = components[j].covariance;
        const Eigen::Vector3d d = f - Eigen::Vector3d(components[j].mean);
        density[j] = components[j].weight / std::sqrt(covariance.determinant()) *
                     std::exp(-0.5 * d.dot(covariance.inverse() * d));
        all += density[j];
      }
      n += static_cast<double>(row.count);
      for (std::size_t j = 0; j < components.size(); ++j) {
        const double share = static_cast<double>(row.count) * density[j] / all;
        weight[j] += share;
        sum[j] += share * f;
      }
    }
    for (std::size_t j = 0; j < components.size(); ++j) {
      EXPECT_NEAR(weight[j] / n, components[j].weight, 1e-4);
      EXPECT_LT((sum[j] / weight[j] - Eigen::Vector3d(components[j].mean)).norm(), 0.02);
    }
  }
}

}  // namespace
}  // namespace skinmask
