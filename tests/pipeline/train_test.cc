#include "skinmask/pipeline/train.h"

#include <gtest/gtest.h>

#include "support/world.h"

namespace skinmask {
namespace {

using testing::DrawSamples;
using Kind = DecisionRule::Kind;

TEST(Train, KeepsTheRuleAndHoldsItsPromise) {
  const Samples samples = DrawSamples(2);
  for (const DecisionRule& rule :
       {DecisionRule{Kind::kMaxFpr, 0.02}, {Kind::kMinRecall, 0.95}, {Kind::kCost, 1, 5}}) {
    TrainOptions options;
    options.rule = rule;
    const Model model = Train(samples, options, {});
    EXPECT_EQ(model.decision.rule, RuleName(rule));
    EXPECT_EQ(model.decision.data, "training samples");
    const Evaluation evaluation = EvaluateSamples(samples, model);
    EXPECT_EQ(evaluation.counts, Choose(*evaluation.scores, rule)->counts);
    EXPECT_TRUE(rule.kind != Kind::kMaxFpr || 1 - *evaluation.counts.Specificity() <= 0.02);
    EXPECT_TRUE(rule.kind != Kind::kMinRecall || *evaluation.counts.Recall() >= 0.95);
    EXPECT_EQ(model.card.scores.size(), 2u);
  }
}

}  // namespace
}  // namespace skinmask
