#include "skinmask/pipeline/train.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>

#include "skinmask/base/logistic.h"
#include "skinmask/model/reference.h"
#include "support/files.h"
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

// P(skin) is right where there is as much skin as in the calibration's data, which is the prior;
// and one that is given is exchanged for it, as WithPrior does later.
TEST(Train, APriorIsThatOfTheCalibration) {
  const Samples samples = DrawSamples(2);
  const Samples others = DrawSamples(2, 7);
  std::vector<SampleRow> rows;
  for (SampleRow row : others.rows()) {
    if (samples.classes()[row.class_index] == "skin") row.count *= 3;
    rows.push_back(row);
  }
  const Samples more(samples.classes(), rows);
  TrainOptions options;
  options.fit.kind = Kind::kGaussianNb;  // which is too sure of itself
  options.calibration = more;
  const auto share_and_mean = [&](const Model& model) {
    const Reference reference(model);
    double all = 0, skin = 0, sum = 0;
    for (const SampleRow& row : more.rows()) {
      const auto count = static_cast<double>(row.count);
      all += count;
      skin += count * (more.classes()[row.class_index] == "skin");
      sum += count * Logistic(reference.LogOdds(row.b, row.g, row.r));
    }
    return std::pair(skin / all, sum / all);
  };
  const Model model = Train(samples, options, {});
  const auto [share, mean] = share_and_mean(model);
  EXPECT_NEAR(model.calibration.prior, share, 1e-12);
  EXPECT_EQ(ModelFromJson(ModelToJson(model), "m").calibration.prior, model.calibration.prior);
  EXPECT_NEAR(mean, share, 1e-7);
  options.fit.positive_prior = 0.1;
  const Model less = Train(samples, options, {});
  EXPECT_DOUBLE_EQ(less.positive().prior, 0.1);
  for (const Model& other : {WithPrior(model, 0.1), WithPrior(WithPrior(less, share), 0.1)})
    EXPECT_NEAR(Reference(other).LogOdds(110, 140, 190), Reference(less).LogOdds(110, 140, 190),
                1e-7);
  EXPECT_NEAR(Reference(model).LogOdds(110, 140, 190) - Reference(less).LogOdds(110, 140, 190),
              Logit(share) - Logit(0.1), 1e-7);
}

// The advice is such as the solver takes.
TEST(Train, TellsWhatHelpsAFitThatDidNotConverge) {
  using Solver = LogisticOptions::Solver;
  const auto warning = [](Solver solver, int iterations) {
    TrainOptions options;
    options.fit.kind = Kind::kLogistic;
    options.fit.logistic.solver = solver;
    options.fit.logistic.iterations = iterations;
    std::string told;
    skinmask::Run run;
    run.warning = [&](const std::string& line) { told += line; };
    Train(DrawSamples(2), options, run);
    return told;
  };
  EXPECT_EQ(warning(Solver::kNewton, 1),
            "logistic: newton did not converge in 1 iteration (more `iterations`, or a larger "
            "`ridge`)");
  EXPECT_EQ(warning(Solver::kGradient, 2),
            "logistic: gradient did not converge in 2 iterations (more `iterations`, another "
            "`rate`, or `solver` newton)");
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

// The first reading chooses the threshold, the second one scores it.
TEST(Train, WhatTheSecondReadingLacksIsAnError) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "read-twice";
  const fs::copy_options anew = fs::copy_options::recursive | fs::copy_options::overwrite_existing;
  fs::copy(testing::SamplesFolder(), folder, anew);
  TrainOptions options;
  options.rule = {Rule::kMaxF1};
  options.validation = PairOptions{};
  options.validation->images = folder / "photos";
  options.validation->masks = folder / "masks";
  EXPECT_NO_THROW(Train(DrawSamples(2), options, {}));
  skinmask::Run run;
  run.progress = [&](std::size_t done, std::size_t total, std::uint64_t) {
    if (done == 2 && total == 2) fs::remove(folder / "photos" / "astronaut.png");
  };
  EXPECT_ERROR(Train(DrawSamples(2), options, run), "could not be read a second time as before");
}

}  // namespace
}  // namespace skinmask
