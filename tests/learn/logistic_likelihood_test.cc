// The likelihood of logistic regression by row functions against its definition.
#include "learn/logistic_likelihood.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <bit>
#include <cmath>

#include "skinmask/base/logistic.h"
#include "support/colors.h"

namespace skinmask::logistic {
namespace {

PointPlanes DrawPoints(std::size_t count) {
  skinmask::testing::Random random(count + 1);
  PointPlanes points(count);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::vector<double>& plane : points.f) plane[k] = random.Normal();
    const auto pixels = static_cast<double>(1 + random.Next() % 9);
    points.weight[k] = random.Next() % 3 == 0 ? pixels : -pixels;
  }
  return points;
}

Polynomial Quadratic() {
  return {3,
          {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}},
          {-0.5, 2, -3, 0.7, 0.1, -0.2, 0.3, -1, 0.05, 40}};
}

// The oracle: all by definition, a point at a time.
LikelihoodSums Definition(const PointPlanes& points, const Polynomial& form) {
  LikelihoodSums sums;
  for (std::size_t k = 0; k < points.count; ++k) {
    std::vector<double> t{1};
    for (std::size_t i = 0; i < form.features; ++i) t.push_back(points.f[i][k]);
    for (const auto& [i, j] : form.products) t.push_back(points.f[i][k] * points.f[j][k]);
    double z = 0;
    for (std::size_t i = 0; i < t.size(); ++i) z += form.w[i] * t[i];
    const bool positive = points.weight[k] > 0;
    const double weight = std::abs(points.weight[k]), p = Logistic(z);
    sums.value += weight * LogLogistic(positive ? z : -z);
    for (std::size_t i = 0, place = 0; i < t.size(); ++i) {
      sums.gradient[i] += weight * (positive ? Logistic(-z) : -p) * t[i];
      for (std::size_t j = 0; j <= i; ++j)
        sums.information[place++] += weight * p * Logistic(-z) * t[i] * t[j];
    }
  }
  return sums;
}

TEST(LogisticRows, TheLikelihoodIsTheDefinition) {
  for (const Polynomial& form : {Quadratic(), Polynomial{1, {}, {0.3, -2}},
                                 Polynomial{2, {{0, 0}, {1, 1}}, {0, 1, -1, 0.5, 0.2}}})
    for (const std::size_t count : {1u, 63u, 64u, 1000u, 20000u}) {
      const PointPlanes points = DrawPoints(count);
      const LikelihoodSums found = Likelihood(points, form, true), exact = Definition(points, form);
      EXPECT_NEAR(found.value / exact.value, 1, 1e-12) << count;
      const double n = static_cast<double>(count);
      for (std::size_t i = 0; i < exact.gradient.size(); ++i)
        EXPECT_NEAR(found.gradient[i], exact.gradient[i], 1e-11 * n) << count;
      for (std::size_t i = 0; i < exact.information.size(); ++i)
        EXPECT_NEAR(found.information[i], exact.information[i], 1e-11 * n) << count;
    }
}

// To the last bit.
std::vector<std::uint64_t> Bits(const LikelihoodSums& sums) {
  std::vector<std::uint64_t> bits{std::bit_cast<std::uint64_t>(sums.value)};
  for (const double sum : sums.gradient) bits.push_back(std::bit_cast<std::uint64_t>(sum));
  for (const double sum : sums.information) bits.push_back(std::bit_cast<std::uint64_t>(sum));
  return bits;
}

TEST(LogisticRows, AllTargetsAndNumbersOfThreadsGiveTheSame) {
  const PointPlanes points = DrawPoints(30011);
  const auto best = Bits(Likelihood(points, Quadratic(), true));
  for (const std::string& name : UsableTargets()) {
    const skinmask::testing::ForcedTarget target(name);
    EXPECT_EQ(Bits(Likelihood(points, Quadratic(), true)), best) << name;
  }
  for (const std::size_t threads : {1, 3}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    EXPECT_EQ(Bits(Likelihood(points, Quadratic(), true)), best) << threads;
  }
}

TEST(LogisticRows, TheInformationIsLeftOutUnlessAskedFor) {
  const PointPlanes points = DrawPoints(100);
  const LikelihoodSums with = Likelihood(points, Quadratic(), true),
                       without = Likelihood(points, Quadratic(), false);
  EXPECT_EQ(with.value, without.value);
  EXPECT_EQ(with.gradient, without.gradient);
  for (const double sum : without.information) EXPECT_EQ(sum, 0);
}

}  // namespace
}  // namespace skinmask::logistic
