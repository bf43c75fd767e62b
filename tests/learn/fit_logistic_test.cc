// Logistic regression: its maximum, and what has none.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/model/reference.h"
#include "support/colors.h"
#include "support/files.h"

namespace skinmask {
namespace {

using testing::DrawSamples;
using testing::TrainedOfKind;

// At the maximum of the likelihood its gradient is 0: sums of features over skin are those
// expected.
TEST(Logistic, ExpectsWhatIsThere) {
  const Samples samples = DrawSamples(2);
  const Reference reference(TrainedOfKind(Kind::kLogistic));
  double there[4] = {}, expected[4] = {};
  for (const SampleRow& row : samples.rows()) {
    const double f[4] = {1, row.b / 255., row.g * row.g / 65025., row.b * row.r / 65025.};
    const bool skin = samples.classes()[row.class_index] == "skin";
    const double p = Logistic(reference.LogOdds(row.b, row.g, row.r));
    for (int i = 0; i < 4; ++i) {
      there[i] += static_cast<double>(row.count) * f[i] * skin;
      expected[i] += static_cast<double>(row.count) * f[i] * p;
    }
  }
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(expected[i] / there[i], 1, 1e-6);
}

LogisticTerms Solve(const Samples& samples, LogisticOptions::Solver solver) {
  FitOptions options;
  options.kind = Kind::kLogistic;
  options.logistic.terms = LogisticOptions::Terms::kLinear;
  options.logistic.solver = solver;
  return Fit(samples, options).logistic;
}

TEST(Logistic, GradientAscentFindsNewtonsMaximum) {
  // A quarter of the world's pixels, as it goes over them thousands of times.
  testing::Random random(1);
  std::vector<SampleRow> rows;
  for (std::uint16_t k : {0, 1}) {
    testing::Blob blob = testing::SkinWorld()[k];
    blob.count /= 4;
    for (const SampleRow& row : testing::Draw(blob, k, random)) rows.push_back(row);
  }
  const Samples samples({"skin", "non-skin"}, rows);
  const LogisticTerms newton = Solve(samples, LogisticOptions::Solver::kNewton);
  const LogisticTerms gradient = Solve(samples, LogisticOptions::Solver::kGradient);
  EXPECT_LE(gradient.log_likelihood, newton.log_likelihood + 1e-6);
  EXPECT_NEAR(gradient.log_likelihood / newton.log_likelihood, 1, 1e-4);
  EXPECT_GT(gradient.iterations, 10);
}

TEST(Logistic, StochasticAscentComesNearNewtonsMaximum) {
  const Samples samples = DrawSamples(2);
  const double best = Solve(samples, LogisticOptions::Solver::kNewton).log_likelihood;
  const double sgd = Solve(samples, LogisticOptions::Solver::kSgd).log_likelihood;
  EXPECT_NEAR(sgd / best, 1, 0.02);
}

TEST(Logistic, SeparableClassesNeedARidge) {
  const Samples samples = ParseSamples(
      "class,b,g,r\nskin,1,2,200\nskin,9,3,210\nskin,4,9,190\nnon-skin,3,8,20\nnon-skin,9,2,"
      "30\nnon-skin,2,1,9\n",
      "t");
  FitOptions options;
  options.kind = Kind::kLogistic;
  options.logistic.terms = LogisticOptions::Terms::kLinear;
  EXPECT_ERROR(Fit(samples, options), "give `ridge`");
  options.logistic.ridge = 0.01;
  const Model model = Fit(samples, options);
  EXPECT_GT(Reference(model).LogOdds(5, 5, 200), 0);
  EXPECT_LT(Reference(model).LogOdds(5, 5, 20), 0);
}

// For every number of rows, and with a limit of steps, too.
TEST(Logistic, SeparableClassesAreNoticedAtOnce) {
  for (const int n : {32, 33}) {
    testing::Random random(7);
    std::vector<SampleRow> rows;
    const auto level = [&](int lowest) {
      return static_cast<std::uint8_t>(lowest + 98 * random.Uniform());
    };
    for (int i = 0; i < n; ++i) {
      rows.push_back({0, 0, level(150), level(150), level(150), 1});
      rows.push_back({0, 1, level(0), level(0), level(0), 1});
    }
    FitOptions options;
    options.kind = Kind::kLogistic;
    options.logistic.terms = LogisticOptions::Terms::kLinear;
    for (const std::optional<int> most : {std::optional<int>(), std::optional<int>(60)}) {
      options.logistic.iterations = most;
      EXPECT_ERROR(Fit(Samples({"skin", "non-skin"}, rows), options), "(4 steps");
    }
  }
}

TEST(Logistic, SeparableClassesAreNoticedByEverySolver) {
  const Samples apart({"skin", "non-skin"}, {{0, 0, 10, 20, 200, 5},
                                             {0, 0, 20, 40, 220, 5},
                                             {0, 0, 30, 25, 240, 5},
                                             {0, 0, 15, 60, 210, 4},
                                             {0, 1, 12, 22, 20, 5},
                                             {0, 1, 22, 45, 40, 5},
                                             {0, 1, 35, 20, 60, 5},
                                             {0, 1, 18, 61, 30, 4}});
  for (const auto solver : {LogisticOptions::Solver::kNewton, LogisticOptions::Solver::kGradient,
                            LogisticOptions::Solver::kSgd}) {
    FitOptions options;
    options.kind = Kind::kLogistic;
    options.logistic.terms = LogisticOptions::Terms::kLinear;
    options.logistic.solver = solver;
    EXPECT_ERROR(Fit(apart, options), "give `ridge`");
    options.logistic.ridge = 1e-3;
    EXPECT_NO_THROW(Fit(apart, options));
  }
}

// Two pixels of 2 10^12 are on the wrong side, so there is a maximum, however near to 0 the mean
// log-likelihood is: by one channel, where dL/dw = 0 can be checked by sums.
TEST(Logistic, AFewPixelsOnTheWrongSideAreAMaximum) {
  constexpr std::uint64_t kMany = 1'000'000'000'000;
  const std::tuple<std::uint8_t, double, bool> colours[] = {
      {150, kMany, true}, {100, 1, true}, {50, kMany, false}, {120, 1, false}};
  std::vector<SampleRow> rows;
  for (const auto& [level, count, skin] : colours)
    rows.push_back(
        {0, static_cast<std::uint8_t>(!skin), 1, 1, level, static_cast<std::uint64_t>(count)});
  FitOptions options;
  options.kind = Kind::kLogistic;
  options.logistic.terms = LogisticOptions::Terms::kLinear;
  options.features = Features("BGR", std::vector<std::string>{"R"});
  const Model model = Fit(Samples({"skin", "non-skin"}, rows), options);
  double constant = 0, slope = 0, errors = 0;
  for (const auto& [level, count, skin] : colours) {
    const double z = Reference(model).LogOdds(1, 1, level);
    const double residual = count * (skin ? Logistic(-z) : -Logistic(z));
    constant += residual;
    slope += residual * level;
    errors += std::abs(residual);
  }
  EXPECT_LT(std::abs(constant), 1e-2 * errors);
  EXPECT_LT(std::abs(slope), 1e-2 * 150 * errors);
}

TEST(Logistic, DependentChannelsAreNotCalledSeparable) {
  std::vector<SampleRow> grey;
  for (int v = 0; v < 200; ++v) {
    const auto level = static_cast<std::uint8_t>(v);
    grey.push_back({0, 0, level, level, level, static_cast<std::uint64_t>(1 + v)});
    grey.push_back({0, 1, level, level, level, static_cast<std::uint64_t>(200 - v)});
  }
  FitOptions options;
  options.kind = Kind::kLogistic;
  options.logistic.terms = LogisticOptions::Terms::kLinear;
  EXPECT_ERROR(Fit(Samples({"skin", "non-skin"}, grey), options), "depend on each other");
  options.features = Features("BGR", std::vector<std::string>{"R"});
  EXPECT_NO_THROW(Fit(Samples({"skin", "non-skin"}, grey), options));
}

TEST(Logistic, SaysWhenItStoppedTooEarly) {
  FitOptions options;
  options.kind = Kind::kLogistic;
  const Samples samples = testing::DrawSamples(2, 3);
  EXPECT_TRUE(Fit(samples, options).converged);
  options.logistic.iterations = 2;
  EXPECT_FALSE(Fit(samples, options).converged);
  options.logistic.solver = LogisticOptions::Solver::kSgd;
  options.logistic.step = 1e300;
  EXPECT_ERROR(Fit(samples, options), "a smaller `rate`");
}

}  // namespace
}  // namespace skinmask
