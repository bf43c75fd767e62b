// What is drawn has the parameters that it is drawn from, and what is malformed is told.
#include "skinmask/learn/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/distributions.h"
#include "skinmask/base/error.h"
#include "skinmask/data/moments.h"
#include "skinmask/learn/fit.h"
#include "skinmask/model/reference.h"

namespace skinmask {
namespace {

const std::string kTwo = R"({"observations": 200000, "seed": 7, "classes": [
  {"class": "wall", "prior": 0.7, "components": [
    {"weight": 0.25, "mean": [200, 60, 60], "covariance": [[90, 0, 0], [0, 90, 0], [0, 0, 90]]},
    {"weight": 0.75, "mean": [60, 60, 60], "covariance": [[90, 0, 0], [0, 90, 0], [0, 0, 90]]}]},
  {"class": "skin", "prior": 0.3, "mean": [110, 130, 180],
   "covariance": [[400, 200, 100], [200, 300, 150], [100, 150, 500]]}]})";

// Of a sample of the standard normal distribution, the greatest distance between its distribution
// function and the true one is above 1.95 / sqrt(n) in one of 1,000 (Kolmogorov). The first four
// moments are those of the distribution within five standard errors.
TEST(Simulate, NormalNumbersHaveTheirDistribution) {
  constexpr std::size_t kCount = 200'000;
  Random random(1);
  std::vector<double> drawn(kCount);
  std::array<double, 4> moments{};
  for (double& z : drawn) {
    z = random.Normal();
    double power = 1;
    for (double& moment : moments) moment += (power *= z) / kCount;
  }
  std::ranges::sort(drawn);
  double greatest = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const double below = std::erfc(-drawn[i] / std::numbers::sqrt2) / 2;
    greatest = std::max({greatest, std::abs(below - static_cast<double>(i) / kCount),
                         std::abs(below - static_cast<double>(i + 1) / kCount)});
  }
  const double root = std::sqrt(static_cast<double>(kCount));
  EXPECT_LT(greatest, 1.95 / root);
  EXPECT_NEAR(moments[0], 0, 5 / root);
  EXPECT_NEAR(moments[1], 1, 5 * std::sqrt(2.) / root);
  EXPECT_NEAR(moments[2], 0, 5 * std::sqrt(15.) / root);
  EXPECT_NEAR(moments[3], 3, 5 * std::sqrt(96.) / root);
}

// As another implementation of the algorithm, in Python, gives them.
TEST(Simulate, NormalNumbersAreTheSameBitsEverywhere) {
  Random random(1);
  for (const double expected : {0x1.3219ae16258bap-1, -0x1.a58c3dd64f442p-1, -0x1.c63ab9c0d0970p-1})
    EXPECT_EQ(random.Normal(), expected);
  for (int i = 3; i < 999; ++i) random.Normal();
  EXPECT_EQ(random.Normal(), -0x1.14fc7e53a3942p-2);
}

// Means and covariances within five standard errors; rounding to bytes adds 1/12 to variances.
TEST(Simulate, TableHasTheParametersThatItIsDrawnFrom) {
  const Simulation simulation = SimulationFromJson(kTwo, "two.json");
  EXPECT_EQ(simulation.truth.positive().name, "skin");
  EXPECT_EQ(simulation.truth.kind, Kind::kMixture);
  const Samples samples = Simulate(simulation);
  ASSERT_EQ(samples.Total(), 200'000u);
  ASSERT_EQ(samples.classes(), (std::vector<std::string>{"skin", "wall"}));
  const auto n = static_cast<double>(samples.Total(0));
  EXPECT_NEAR(n / 200'000, 0.3, 5 * std::sqrt(0.21 / 200'000));
  const auto [mean, covariance] =
      FeatureMoments(MomentsOf(samples, simulation.truth.features.space())[0], Features());
  const ClassModel& skin = simulation.truth.positive();
  const Gaussian truth = skin.gaussians()[0];
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(mean(i), truth.mean(i), 5 * std::sqrt(truth.covariance(i, i) / n));
    for (int j = 0; j < 3; ++j) {
      const double variance = truth.covariance(i, i) * truth.covariance(j, j) +
                              truth.covariance(i, j) * truth.covariance(i, j);
      EXPECT_NEAR(covariance(i, j), truth.covariance(i, j) + (i == j ? 1. / 12 : 0),
                  5 * std::sqrt(variance / n));
    }
  }
  std::uint64_t blue = 0;  // of the first component; the other is fifteen deviations away
  for (const SampleRow& row : samples.rows())
    if (row.class_index == 1 && row.b > 130) blue += row.count;
  const auto walls = static_cast<double>(samples.Total(1));
  EXPECT_NEAR(static_cast<double>(blue) / walls, 0.25, 5 * std::sqrt(0.1875 / walls));
}

TEST(Simulate, TheSeedAloneDecides) {
  Simulation simulation = SimulationFromJson(kTwo, "two.json");
  simulation.observations = 10'000;
  EXPECT_EQ(FormatSamples(Simulate(simulation)), FormatSamples(Simulate(simulation)));
  Simulation other = simulation;
  other.seed = 8;
  EXPECT_NE(FormatSamples(Simulate(other)), FormatSamples(Simulate(simulation)));
}

// The classifier of the true parameters errs least: no threshold of an estimated model, or of
// another one, is better than its own by more than chance.
TEST(Simulate, TruthIsBayesClassifier) {
  const Simulation one = SimulationFromJson(
      R"({"observations": 100000, "channels": ["R"], "classes": [
          {"class": "a", "prior": 0.5, "mean": [100], "covariance": [[400]]},
          {"class": "b", "prior": 0.5, "mean": [140], "covariance": [[400]]}]})",
      "one.json");
  EXPECT_EQ(one.truth.positive().name, "a");
  EXPECT_EQ(one.truth.kind, Kind::kQda);
  // Equal variances and priors: the boundary is in the middle, and the error is Phi(-1).
  const Reference reference(one.truth);
  EXPECT_GT(reference.Posteriors(0, 0, 119)[0], 0.5);
  EXPECT_LT(reference.Posteriors(0, 0, 121)[0], 0.5);
  double wrong = 0;
  const Samples samples = Simulate(one);
  for (const SampleRow& row : samples.rows()) {
    ASSERT_EQ(row.b, 128);
    const double half = row.r == 120 ? 0.5 : 1;
    if ((row.class_index == 0) != (row.r <= 120) || row.r == 120)
      wrong += half * static_cast<double>(row.count);
  }
  const double error = std::erfc(1 / std::numbers::sqrt2) / 2;
  EXPECT_NEAR(wrong / 100'000, error, 5 * std::sqrt(error / 100'000));
}

// With a mean at the end of the range, every second draw is outside of it.
TEST(Simulate, CountsWhatIsDrawnAgain) {
  const auto redrawn = [](int mean) {
    const Simulation simulation = SimulationFromJson(
        R"({"observations": 20000, "channels": ["R"], "classes": [
            {"class": "a", "prior": 0.5, "mean": [)" +
            std::to_string(mean) + R"(], "covariance": [[400]]},
            {"class": "b", "prior": 0.5, "mean": [128], "covariance": [[100]]}]})",
        "one.json");
    std::uint64_t count = 0;
    Simulate(simulation, &count);
    return static_cast<double>(count);
  };
  // 10,000 acceptances of probability 1/2 have 10,000 failures, with variance 20,000. What rounds
  // to 0 is kept, which adds 1 %.
  EXPECT_NEAR(redrawn(0), 10'000, 5 * std::sqrt(20'000) + 300);
  EXPECT_EQ(redrawn(128), 0);
}

TEST(Simulate, ATruthThatIsNoneIsAnError) {
  EXPECT_THROW(Simulate({}), Error);
  Simulation simulation = SimulationFromJson(kTwo, "s.json");
  simulation.truth.classes.pop_back();
  EXPECT_THROW(Simulate(simulation), Error);
}

TEST(Simulate, WhatIsMalformedIsToldInOneLine) {
  const auto problem = [](const std::string& text) -> std::string {
    try {
      Simulate(SimulationFromJson(text, "s.json"));
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  const auto with = [](const std::string& rest) { return R"({"observations": 10, )" + rest + "}"; };
  const auto of = [&](const std::string& mean, const std::string& covariance) {
    return with(
        R"("channels": ["G", "R"], "classes": [{"class": "a", "prior": 0.5, "mean": )" + mean +
        R"(, "covariance": )" + covariance +
        R"(}, {"class": "b", "prior": 0.5, "mean": [9, 9], "covariance": [[1, 0], [0, 1]]}])");
  };
  const std::string good = "[[4, 0], [0, 4]]";
  ASSERT_EQ(problem(of("[50, 50]", good)), "");
  EXPECT_EQ(problem("[]"), "s.json: is not JSON, as a simulation is (an object, '{' at first)");
  EXPECT_EQ(problem("{}"), "s.json: observations is missing");
  EXPECT_EQ(problem(R"({"observations": 0})"),
            "s.json: observations 0 is out of range (1 to 10000000)");
  EXPECT_EQ(problem(R"({"observations": 1.5})"),
            "s.json: observations is not a whole number from 0 to 2^64 - 1");
  EXPECT_EQ(problem(with(R"("sead": 1)")),
            "s.json: has 'sead', which is none of observations, seed, channels, classes");
  EXPECT_EQ(problem(with(R"("classes": [3])")), "s.json: classes[0] is not an object");
  EXPECT_EQ(problem(with(R"("classes": [])")), "s.json: 0 classes (2 to 255)");
  EXPECT_NE(problem(with(R"("channels": ["Q"])")).find("Q"), std::string::npos);
  EXPECT_EQ(problem(with(R"("channels": ["R", "R"])")),
            "s.json: channels: channel 'R': is named twice (each channel counts once)");
  EXPECT_EQ(problem(of("[50]", good)), "s.json: classes[0].mean needs 2 numbers");
  EXPECT_EQ(problem(of("[50, 300]", good)),
            "s.json: class 'a': a mean is no colour (0 to 255 each)");
  EXPECT_EQ(problem(of("[50, 50]", "[[4, 1], [0, 4]]")),
            "s.json: class 'a': covariance is not symmetric");
  EXPECT_EQ(problem(of("[50, 50]", "[[4, 5], [5, 4]]")),
            "s.json: class 'a': covariance is not positive definite");
  EXPECT_EQ(problem(of("[50, 50]", R"([[4, 0], [0, 4]], "weight": 1)")),
            "s.json: classes[0] has 'weight', which is none of class, prior, mean, covariance, "
            "components");
  const std::string parts =
      R"("classes": [{"class": "a", "prior": 0.5, "components": [{"weight": 1, "mean": [50, 50],)"
      R"( "covariance": [[4, 0], [0, 4]], "wieght": 2}]}])";
  EXPECT_EQ(problem(with(parts)),
            "s.json: classes[0].components[0] has 'wieght', which is none of weight, mean, "
            "covariance");
  const std::string priors = of("[50, 50]", good);
  EXPECT_EQ(problem(std::string(priors).replace(priors.find("0.5"), 3, "0.4")),
            "s.json: priors sum to 0.9, not to 1");
  const std::string wide = "[[9000000000, 8999999999], [8999999999, 9000000000]]";
  EXPECT_EQ(
      problem(of("[0, 255]", wide)).find("s.json: class 'a': has hardly a colour within 0 to"), 0u);
}

}  // namespace
}  // namespace skinmask
