#include "skinmask/pipeline/train.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "support/world.h"

namespace skinmask {
namespace {

using testing::DrawSamples;
using Rule = DecisionRule::Kind;

TEST(Train, KeepsTheRuleAndHoldsItsPromise) {
  const Samples samples = DrawSamples(2);
  for (const DecisionRule& rule :
       {DecisionRule{Rule::kMaxFpr, 0.02}, {Rule::kMinRecall, 0.95}, {Rule::kCost, 1, 5}}) {
    TrainOptions options;
    options.rule = rule;
    const Model model = Train(samples, options, {});
    EXPECT_EQ(model.decision.rule, RuleName(rule));
    EXPECT_EQ(model.decision.data, "training samples");
    const Evaluation evaluation = EvaluateSamples(samples, model);
    EXPECT_EQ(evaluation.counts, Choose(*evaluation.scores, rule)->counts);
    EXPECT_TRUE(rule.kind != Rule::kMaxFpr || 1 - *evaluation.counts.Specificity() <= 0.02);
    EXPECT_TRUE(rule.kind != Rule::kMinRecall || *evaluation.counts.Recall() >= 0.95);
    EXPECT_EQ(model.card.scores.size(), 2u);
  }
}

TEST(Train, TellsOfTheFitAndStopsIt) {
  std::atomic<bool> stop = false;
  std::vector<std::string> told;
  TrainOptions options;
  options.fit.kind = Kind::kMixture;
  options.fit.mixture.iterations = 1 << 30;
  options.fit.mixture.tolerance = -INFINITY;
  skinmask::Run run;
  run.stop = &stop;
  run.counting = [&](const std::string& unit) { told.push_back(unit); };
  run.progress = [&](std::size_t done, std::size_t, std::uint64_t) {
    told.push_back(std::to_string(done));
    stop = done == 3;
  };
  Train(DrawSamples(2), options, run);
  EXPECT_EQ(told, (std::vector<std::string>{"iterations", "1", "2", "3"}));
}

}  // namespace
}  // namespace skinmask
