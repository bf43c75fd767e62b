// Operating points against brute force: every threshold, judged pixel by pixel.
#include "skinmask/learn/decision.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "skinmask/base/error.h"
#include "skinmask/data/samples.h"
#include "skinmask/learn/evaluation.h"
#include "skinmask/learn/fit.h"
#include "skinmask/model/model.h"
#include "support/files.h"
#include "support/scored.h"
#include "support/world.h"

namespace skinmask {
namespace {

using testing::DrawSamples;
using testing::DrawScored;
using testing::Random;
using testing::Scored;
using testing::StepsOf;
using Rule = DecisionRule::Kind;

Confusion CountedAbove(const std::vector<Scored>& scored, double threshold) {
  Confusion counts;
  for (const Scored& s : scored) counts.Add(s.truth, s.z > threshold);
  return counts;
}

double Recall(const Confusion& c) { return *c.Recall(); }
double Fpr(const Confusion& c) { return 1 - *c.Specificity(); }

// Counts at every threshold that divides these scores otherwise, and above all of them.
std::vector<Confusion> AllCounts(const std::vector<Scored>& scored) {
  std::vector<Confusion> all;
  for (double threshold = -13.1; threshold < 14; threshold += 0.25)
    all.push_back(CountedAbove(scored, threshold));
  return all;
}

class RulesTest : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  std::vector<Scored> scored_ = DrawScored(400, 1.5, GetParam());
  Scores scores_ = StepsOf(scored_);
  Confusion Chosen(const DecisionRule& rule) const {
    const auto point = Choose(scores_, rule);
    EXPECT_EQ(CountedAbove(scored_, point->log_odds), point->counts) << RuleName(rule);
    return point->counts;
  }
};

TEST_P(RulesTest, MaxF1HasTheLargestF1) {
  double best = 0;
  for (const Confusion& c : AllCounts(scored_)) best = std::max(best, *c.F1());
  EXPECT_DOUBLE_EQ(*Chosen({Rule::kMaxF1}).F1(), best);
}

TEST_P(RulesTest, MaxFprHasTheLargestRecallWithinTheLimit) {
  for (const double limit : {0., 0.001, 0.01, 0.05, 0.2, 0.7, 1.}) {
    double best = 0;
    for (const Confusion& c : AllCounts(scored_))
      if (Fpr(c) <= limit) best = std::max(best, Recall(c));
    const Confusion chosen = Chosen({Rule::kMaxFpr, limit});
    EXPECT_LE(Fpr(chosen), limit + 1e-15);
    EXPECT_DOUBLE_EQ(Recall(chosen), best) << limit;
    for (const Confusion& c : AllCounts(scored_))
      EXPECT_TRUE(Recall(c) != Recall(chosen) || Fpr(c) >= Fpr(chosen)) << limit;
  }
}

TEST_P(RulesTest, MinRecallHasTheSmallestFalsePositiveRate) {
  for (const double limit : {0., 0.1, 0.5, 0.9, 0.99, 1.}) {
    double best = 1;
    for (const Confusion& c : AllCounts(scored_))
      if (Recall(c) >= limit) best = std::min(best, Fpr(c));
    const Confusion chosen = Chosen({Rule::kMinRecall, limit});
    EXPECT_GE(Recall(chosen), limit);
    EXPECT_DOUBLE_EQ(Fpr(chosen), best) << limit;
    for (const Confusion& c : AllCounts(scored_))
      EXPECT_TRUE(Fpr(c) != Fpr(chosen) || Recall(c) <= Recall(chosen)) << limit;
  }
}

TEST_P(RulesTest, CostIsTheLeast) {
  for (const auto& [fp, fn] : {std::pair(1., 1.), {1., 5.}, {5., 1.}, {1., 1000.}, {1000., 1.}}) {
    const auto cost = [one = fp, other = fn](const Confusion& c) {
      return static_cast<double>(c.fp) * one + static_cast<double>(c.fn) * other;
    };
    double best = 1e300;
    for (const Confusion& c : AllCounts(scored_)) best = std::min(best, cost(c));
    const Confusion chosen = Chosen({Rule::kCost, fp, fn});
    EXPECT_DOUBLE_EQ(cost(chosen), best);
    // The ratio decides.
    EXPECT_EQ(Chosen({Rule::kCost, fp * 0x1p+1000, fn * 0x1p+1000}), chosen);
    EXPECT_EQ(Chosen({Rule::kCost, fp * 0x1p-900, fn * 0x1p-900}), chosen);
  }
  // A cost that is lost beside the other one decides among equals all the same.
  Confusion least;
  least.fn = least.fp = std::numeric_limits<std::uint64_t>::max();
  for (const Confusion& c : AllCounts(scored_))
    if (std::tie(c.fn, c.fp) < std::tie(least.fn, least.fp)) least = c;
  for (const double fp : {1e-20, 1e-160, 1e-200, 1e-300})
    EXPECT_EQ(Chosen({Rule::kCost, fp, 1 / fp}), least) << fp;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RulesTest, ::testing::Values(1, 2, 3, 4, 5));

TEST(Choose, MayCallNothingPositive) {
  ScoreHistogram histogram;  // the best score is a negative's
  histogram.Add(2, false);
  histogram.Add(1, true);
  histogram.Add(0, false);
  const auto point = Choose(histogram.Steps(), {Rule::kMaxFpr, 0.1});
  EXPECT_TRUE(std::isinf(point->log_odds));
  EXPECT_EQ(point->counts, (Confusion{0, 0, 1, 2}));
  EXPECT_EQ(Decide(histogram.Steps(), {Rule::kMaxFpr, 0.1}, "x").threshold, 1);
  EXPECT_EQ(Choose(histogram.Steps(), {Rule::kCost, 9, 1})->counts, (Confusion{0, 0, 1, 2}));
}

TEST(Choose, TakesNoBorderThatAThresholdCannotExpress) {
  // At log-odds 40 and 50 a probability is 1: only what lies below can be divided.
  Scores scores;
  scores.steps = {{0, 3, 1}, {38, 0, 5}, {45, 4, 0}};
  EXPECT_TRUE(std::isinf(Choose(scores, {Rule::kMaxFpr, 0.})->log_odds));
  EXPECT_EQ(Choose(scores, {Rule::kMaxF1})->log_odds, 0);
  // And below -708 it is no normal number, and at last 0, above which all would be.
  scores.steps = {{-800, 5, 9, -800}, {-790, 3, 1, -790}, {-700, 4, 0, -700}};
  EXPECT_EQ(Choose(scores, {Rule::kMinRecall, 0.3})->log_odds, -700);
  EXPECT_GT(Decide(scores, {Rule::kMinRecall, 0.3}, "x").threshold, 0);
}

TEST(Choose, TakesTheLimitItselfAndOfEqualsTheLowerThreshold) {
  ScoreHistogram histogram;
  histogram.Add(2, false);
  histogram.Add(1, true);
  histogram.Add(0, false);
  histogram.Add(-1, true);
  for (const Rule kind : {Rule::kMaxFpr, Rule::kMinRecall})
    EXPECT_EQ(Choose(histogram.Steps(), {kind, 0.5})->counts, (Confusion{1, 1, 1, 1}));
  Scores scores;  // F1 is 2/3 above 0 and above 3
  scores.steps = {{-1, 0, 1}, {0, 1, 0}, {1, 0, 2}, {3, 1, 0}};
  EXPECT_EQ(Choose(scores, {Rule::kMaxF1})->log_odds, 0);
}

// Colours without any data have log-odds of 0, which P > 0.5 does not call positive.
TEST(Choose, AScoreOfZeroIsNotAboveZero) {
  ScoreHistogram histogram;
  histogram.Add(0, true, 3);
  histogram.Add(0, false, 5);
  histogram.Add(1, true);
  histogram.Add(-1, false);
  EXPECT_EQ(CountsAbove(histogram.Packed(), 0), (Confusion{1, 0, 3, 6}));
  const auto choice = Choose(histogram.Steps(), {Rule::kMinRecall, 0.9});
  EXPECT_LT(choice->log_odds, 0);
  EXPECT_EQ(choice->counts, (Confusion{4, 5, 0, 1}));
}

// P > 0 is all pixels, whatever their log-odds.
TEST(Choose, MayCallAllPositive) {
  Scores scores;
  scores.steps = {{-800, 5, 9, -800}, {-790, 3, 1, -790}, {-700, 4, 0, -700}};
  EXPECT_EQ(Choose(scores, {Rule::kMinRecall, 1.})->counts, (Confusion{12, 10, 0, 0}));
  EXPECT_EQ(Decide(scores, {Rule::kMinRecall, 1.}, "x").threshold, 0);
  EXPECT_EQ(Choose(scores, {Rule::kCost, 1, 100})->counts, (Confusion{12, 10, 0, 0}));
  scores.steps = {{-800, 2, 5, -800}};
  EXPECT_EQ(Choose(scores, {Rule::kMaxF1})->counts, (Confusion{2, 5, 0, 0}));
  scores.steps = {{40, 2, 5, 40}};
  EXPECT_EQ(Decide(scores, {Rule::kMaxF1}, "x").threshold, 0);
}

TEST(Choose, NeedsItsClasses) {
  ScoreHistogram negatives, positives;
  negatives.Add(1, false);
  positives.Add(1, true);
  for (const Rule kind :
       {Rule::kMaxF1, Rule::kMaxFpr, Rule::kMinRecall, Rule::kCost, Rule::kFixed}) {
    EXPECT_FALSE(Choose(negatives.Steps(), {kind}));
    EXPECT_EQ(Choose(positives.Steps(), {kind}).has_value(), kind == Rule::kMaxF1);
  }
  EXPECT_ERROR(Decide(negatives.Steps(), {Rule::kMaxF1}, "these"),
               "`max-f1`: no pixel of the positive class in these");
  EXPECT_ERROR(Decide(positives.Steps(), {Rule::kMinRecall, 0.9}, "these"),
               "`min-recall` 0.9: no pixel outside the positive class in these");
}

TEST(RuleName, IsWhatModelsStore) {
  EXPECT_EQ(RuleName({}), "fixed");
  EXPECT_EQ(RuleName({Rule::kMaxF1}), "max-f1");
  EXPECT_EQ(RuleName({Rule::kMaxFpr, 0.05}), "max-fpr 0.05");
  EXPECT_EQ(RuleName({Rule::kMinRecall, 0.9}), "min-recall 0.9");
  EXPECT_EQ(RuleName({Rule::kCost, 1, 5}), "cost 1:5");
}

}  // namespace
}  // namespace skinmask
