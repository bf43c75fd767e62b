#include "skinmask/learn/calibration_scales.h"

#include <gtest/gtest.h>

#include <cmath>

#include "skinmask/base/logistic.h"
#include "skinmask/learn/reliability.h"

namespace skinmask {
namespace {

// A billion pixels at each of many log-odds, of which exactly the share sigma(scales(z)) is
// positive.
Scores Calibrated(const CalibrationScales& scales, double own) {
  Scores scores;
  for (double z = -20; z < 20; z += 0.125) {
    constexpr double kPixels = 1e9;
    const auto positive = static_cast<std::uint64_t>(kPixels * Logistic(own + scales(z + 0.0625)));
    scores.steps.push_back(
        {own + z, positive, static_cast<std::uint64_t>(kPixels) - positive, own + z + 0.0625});
  }
  return scores;
}

TEST(CalibrationScales, FindsThoseThatPixelsWereMadeWith) {
  for (const double own : {0., -2.3, 1.4})
    for (const CalibrationScales& truth :
         {CalibrationScales{0.25, 0.18}, CalibrationScales{1, 1}, CalibrationScales{0.6, 3}}) {
      const auto fit = FitCalibrationScales(Calibrated(truth, own), own);
      ASSERT_TRUE(fit.has_value());
      EXPECT_NEAR(fit->below, truth.below, 1e-5 * truth.below) << own;
      EXPECT_NEAR(fit->above, truth.above, 1e-5 * truth.above) << own;
    }
}

TEST(CalibrationScales, BringTheCalibrationErrorDownWhereTheModelHolds) {
  const Scores scores = Calibrated({0.3, 0.2}, 0);
  Reliability mapped;
  const auto fit = FitCalibrationScales(scores, 0);
  ASSERT_TRUE(fit.has_value());
  for (const ScoreStep& step : scores.steps)
    mapped.Add((*fit)(step.score), step.positive, step.negative);
  EXPECT_GT(*ReliabilityOf(scores).Ece(), 0.05);
  EXPECT_LT(*mapped.Ece(), 1e-6);
}

// The likelihood by brute force is lower at all other scales.
TEST(CalibrationScales, AreTheLikeliest) {
  constexpr double kOwn = -1.5;
  const Scores scores = Calibrated({0.4, 0.7}, kOwn);
  const auto fit = FitCalibrationScales(scores, kOwn);
  ASSERT_TRUE(fit.has_value());
  const auto likelihood = [&](const CalibrationScales& scales) {
    double sum = 0;
    for (const ScoreStep& step : scores.steps) {
      const double z = kOwn + scales(step.score - kOwn);
      sum += static_cast<double>(step.positive) * LogLogistic(z) +
             static_cast<double>(step.negative) * LogLogistic(-z);
    }
    return sum;
  };
  for (const double factor : {0.5, 0.9, 0.99, 1.01, 1.1, 2.})
    for (const CalibrationScales& other : {CalibrationScales{fit->below * factor, fit->above},
                                           CalibrationScales{fit->below, fit->above * factor}})
      EXPECT_LT(likelihood(other), likelihood(*fit));
}

TEST(CalibrationScales, AreNotMadeUp) {
  EXPECT_FALSE(FitCalibrationScales({}, 0).has_value());
  Scores scores = Calibrated({1, 1}, 0);
  for (ScoreStep& step : scores.steps)
    if (step.score > 0) step.negative = 0;  // any slope is too small
  EXPECT_FALSE(FitCalibrationScales(scores, 0).has_value());
  scores = Calibrated({1, 1}, 0);
  for (ScoreStep& step : scores.steps) std::swap(step.positive, step.negative);
  EXPECT_FALSE(FitCalibrationScales(scores, 0).has_value());
}

TEST(CalibrationScales, InverseIsTheInverse) {
  const CalibrationScales scales{0.25, 4};
  for (const double z : {-7., -0.5, 0., 0.5, 7.}) EXPECT_DOUBLE_EQ(scales.Inverse(scales(z)), z);
  EXPECT_EQ(scales(0), 0);
}

}  // namespace
}  // namespace skinmask
