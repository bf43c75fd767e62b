#include "skinmask/learn/calibration_curve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "skinmask/base/logistic.h"
#include "skinmask/learn/reliability.h"
#include "support/colors.h"

namespace skinmask {
namespace {

// A billion pixels at each of many log-odds, of which exactly the share sigma(curve(z)) is
// positive.
Scores Calibrated(const CalibrationCurve& curve, double own) {
  Scores scores;
  for (double z = -20; z < 20; z += 0.125) {
    constexpr double kPixels = 1e9;
    const auto positive = static_cast<std::uint64_t>(kPixels * Logistic(own + curve(z + 0.0625)));
    scores.steps.push_back(
        {own + z, positive, static_cast<std::uint64_t>(kPixels) - positive, own + z + 0.0625});
  }
  return scores;
}

const CalibrationCurve kTruths[] = {
    {0.25, 0.18},
    {1, 1},
    {0.6, 3},
    {{0.3, {{0, 0.2}, {2, 0.8}, {4, 0.4}}}, {0.9, {{0, 0.1}, {2, 0.5}, {4, 0.3}}}}};

TEST(CalibrationCurve, FindsThatWhichPixelsWereMadeWith) {
  for (const double own : {0., -2.3, 1.4})
    for (const CalibrationCurve& truth : kTruths) {
      const auto fit = FitCalibrationCurve(Calibrated(truth, own), own);
      ASSERT_TRUE(fit.has_value());
      for (const double z : {-9., -3., -1., -1e-9, 1e-9, 1., 3., 9.})
        EXPECT_NEAR(Logistic(own + (*fit)(z)), Logistic(own + truth(z)), 1e-4) << own << ' ' << z;
    }
}

TEST(CalibrationCurve, BringsTheCalibrationErrorDownWhereTheModelHolds) {
  const Scores scores = Calibrated(kTruths[3], 0);
  Reliability mapped;
  const auto fit = FitCalibrationCurve(scores, 0);
  ASSERT_TRUE(fit.has_value());
  for (const ScoreStep& step : scores.steps)
    mapped.Add((*fit)(step.score), step.positive, step.negative);
  EXPECT_GT(*ReliabilityOf(scores).Ece(), 0.02);
  EXPECT_GT(*ReliabilityOf(scores).EceMiddle(), 0.05);
  EXPECT_LT(*mapped.Ece(), 1e-4);
  EXPECT_LT(*mapped.EceMiddle(), 1e-3);
}

double MeanLikelihood(const Scores& scores, const CalibrationCurve& curve, double own) {
  double sum = 0, all = 0;
  for (const ScoreStep& step : scores.steps) {
    const double z = own + curve(step.score - own);
    sum += static_cast<double>(step.positive) * LogLogistic(z) +
           static_cast<double>(step.negative) * LogLogistic(-z);
    all += static_cast<double>(step.positive + step.negative);
  }
  return sum / all;
}

// The likelihood by brute force is lower at all other curves, also where shares rise and fall, so
// that no monotone curve has them: then bounds hold.
TEST(CalibrationCurve, IsTheLikeliest) {
  constexpr double kOwn = -1.5, kPenalty = 2e-5;
  Scores wild = Calibrated(kTruths[0], kOwn);
  for (ScoreStep& step : wild.steps)
    if (std::abs(step.score - kOwn - 2.7) < 1) std::swap(step.positive, step.negative);
  for (ScoreStep& step : wild.steps)
    if (std::abs(step.score - kOwn + 1) < 1) step.positive = 3 * step.negative;
  for (const Scores& scores : {Calibrated(kTruths[3], kOwn), wild}) {
    const auto fit = FitCalibrationCurve(scores, kOwn);
    ASSERT_TRUE(fit.has_value());
    const double best = MeanLikelihood(scores, *fit, kOwn);
    testing::Random random(1);
    const auto move = [&](double number, double least) {
      const double factor = std::exp(0.3 * random.Normal());
      return std::max(least, number * factor + 0.02 * random.Normal());
    };
    for (int i = 0; i < 500; ++i) {
      CalibrationCurve other = *fit;
      for (CalibrationSide* side : {&other.below, &other.above}) {
        side->jump = move(side->jump, 0);
        for (CalibrationSide::Line& line : side->lines)
          line.slope = move(line.slope, 1 / CalibrationSide::kMax);
      }
      EXPECT_LT(MeanLikelihood(scores, other, kOwn), best + kPenalty);
    }
  }
}

// Also from curves of other lines, and from beyond the bounds.
TEST(CalibrationCurve, IsTheSameFromEveryStart) {
  Scores scores = Calibrated(kTruths[3], 0);
  for (ScoreStep& step : scores.steps)
    if (std::abs(step.score - 2.7) < 1) std::swap(step.positive, step.negative);
  const CalibrationCurve fit = *FitCalibrationCurve(scores, 0);
  std::vector<CalibrationCurve> starts(std::begin(kTruths), std::end(kTruths));
  starts.push_back(fit);
  starts.push_back({{0, {{0, 1e-9}, {1, 1e9}}}, {900, {{0, 0.1}, {3, 7}}}});
  for (const CalibrationCurve& start : starts) {
    const CalibrationCurve other = *FitCalibrationCurve(scores, 0, start);
    for (const double z : {-9., -3., -1., -1e-9, 1e-9, 1., 3., 9.})
      EXPECT_NEAR(other(z), fit(z), 1e-6) << z;
  }
  // Of what no pixel tells the slope is 1.
  std::erase_if(scores.steps, [](const ScoreStep& step) { return std::abs(step.score) > 3.5; });
  EXPECT_NEAR(FitCalibrationCurve(scores, 0, {7, 7})->above.lines.back().slope, 1, 1e-6);
}

TEST(CalibrationCurve, IsNotMadeUp) {
  EXPECT_FALSE(FitCalibrationCurve({}, 0).has_value());
  Scores scores = Calibrated({1, 1}, 0);
  for (ScoreStep& step : scores.steps)
    if (step.score > 0) step.negative = 0;  // any slope is too small
  EXPECT_FALSE(FitCalibrationCurve(scores, 0).has_value());
  // What lies at the threshold is not called positive, and so belongs below it.
  scores.steps = {{-2, 0, 5, -1}, {-1, 2, 0, 0}, {0.5, 5, 1, 1}};
  EXPECT_TRUE(FitCalibrationCurve(scores, 0).has_value());
}

// Whatever the data, no pixel changes its side of the threshold.
TEST(CalibrationCurve, KeepsSidesAndOrder) {
  Scores scores = Calibrated({1, 1}, 0);
  for (ScoreStep& step : scores.steps) std::swap(step.positive, step.negative);
  for (const CalibrationCurve& curve : {*FitCalibrationCurve(scores, 0), kTruths[0], kTruths[3]}) {
    double before = -HUGE_VAL;
    for (double z = -12; z <= 12; z += 0.0625) {
      EXPECT_EQ(curve(z) > 0, z > 0) << z;
      EXPECT_GT(curve(z), before) << z;
      before = curve(z);
      EXPECT_NEAR(curve.Inverse(curve(z)), z, 1e-9) << z;
    }
  }
}

TEST(CalibrationCurve, InverseOfTheJumpIsTheThreshold) {
  for (const double told : {-0.3, -0.1, 0., 0.4, 0.9}) EXPECT_EQ(kTruths[3].Inverse(told), 0);
  EXPECT_NEAR(kTruths[3].Inverse(1.0), 1, 1e-12);
}

}  // namespace
}  // namespace skinmask
