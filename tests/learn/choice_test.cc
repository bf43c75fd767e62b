// Which of the compared models to take: the rule against its words, parameters against a count by
// hand, and models that are judged as they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "skinmask/base/error.h"
#include "skinmask/learn/compare.h"
#include "support/colors.h"
#include "support/files.h"

namespace skinmask {
namespace {

using testing::DrawSamples;
using testing::TrainedOfKind;

// Twelve images, each with a light of its own, so that folds differ.
Samples Images() {
  std::vector<SampleRow> rows;
  for (std::uint32_t group = 1; group <= 12; ++group) {
    const Samples drawn = DrawSamples(2, group);
    for (SampleRow row : drawn.rows()) {
      if ((row.b + row.g) % 20 != 0) continue;
      row.group = group;
      row.r = static_cast<std::uint8_t>(row.r * (15 + group) / 27);
      rows.push_back(row);
    }
  }
  return Samples({"non-skin", "skin"}, std::move(rows));
}

std::vector<FitOptions> AllKinds() {
  CandidateNames names;
  for (const std::string_view kind : KindNames()) names.kinds.emplace_back(kind);
  names.kinds.emplace_back("mixture:2");
  names.kinds.emplace_back("logistic:linear");
  names.spaces = {"BGR", "Lab"};
  names.base.mixture.iterations = 25;  // enough to be told apart
  return Candidates(names);
}

TEST(Choice, IsTheSimplestWithinOneStandardErrorOfTheBest) {
  const Samples samples = Images();
  const std::vector<FitOptions> kinds = AllKinds();
  // The criterion orders what is scored once.
  Comparison scored = Unscored(samples, kinds, {}, {});
  ASSERT_TRUE(ScoreModels(samples, {}, scored));
  bool many = false, other = false;
  for (const Criterion criterion : {Criterion::kAuc, Criterion::kBestF1, Criterion::kLogLoss}) {
    Comparison comparison = scored;
    comparison.select = criterion;
    SortModels(comparison);
    const Choice choice = OneStandardErrorRule(comparison).value();
    const auto& models = comparison.models;
    const bool high = criterion != Criterion::kLogLoss;
    // The best, and the differences to it, from the folds' own scores.
    const auto score = [&](const FoldScore& fold) {
      return criterion == Criterion::kAuc      ? *fold.auc
             : criterion == Criterion::kBestF1 ? *fold.best_f1
                                               : *fold.log_loss;
    };
    const std::vector<FoldScore>& best = models.front().folds;
    double mean = 0, squares = 0;
    for (const FoldScore& fold : best) mean += score(fold) / 5;
    for (const FoldScore& fold : best) squares += std::pow(score(fold) - mean, 2);
    EXPECT_NEAR(choice.limit, mean + (high ? -1 : 1) * std::sqrt(squares / 4 / 5), 1e-8);
    std::size_t simplest = 0;  // of equals the better one
    for (std::size_t i = 0; i < models.size(); ++i) {
      std::vector<double> d;
      for (std::size_t f = 0; f < 5; ++f) d.push_back(score(models[i].folds[f]) - score(best[f]));
      const double less = (d[0] + d[1] + d[2] + d[3] + d[4]) / 5;
      double spread = 0;
      for (const double one : d) spread += std::pow(one - less, 2) / 4;
      // A fold is a quarter of what was trained on.
      const double error = std::sqrt((1 / 5. + 1 / 4.) * spread);
      EXPECT_NEAR(*choice.differences[i].mean, less, 1e-12);
      EXPECT_NEAR(*choice.differences[i].standard_error, error, 1e-12);
      EXPECT_NEAR(*choice.differences[i].reach, 2.7764451 * error, 1e-6 * error + 1e-12);
      EXPECT_LE(high ? less : -less, 1e-9);  // the best is the best
      const bool near = std::abs(less) <= error + 1e-9;
      EXPECT_EQ(choice.within[i], near) << models[i].Name();
      if (near && models[i].Parameters() < models[simplest].Parameters()) simplest = i;
    }
    EXPECT_EQ(choice.simplest, simplest);
    // Compare does the same, here with a few of them.
    auto place = models.begin();
    const std::vector<FitOptions> few(kinds.begin(), kinds.begin() + 4);
    for (const ComparedModel& compared : Compare(samples, few, {.select = criterion}).models) {
      place = std::find_if(place, models.end(), [&](const ComparedModel& model) {
        return model.Name() == compared.Name();
      });
      ASSERT_NE(place, models.end()) << compared.Name() << " stands elsewhere";
      EXPECT_EQ(compared.Of(criterion).mean, place->Of(criterion).mean);
    }
    many |= std::ranges::count(choice.within, true) > 1;
    other |= choice.simplest != 0;
  }
  EXPECT_TRUE(many && other);  // or nothing was tried
}

// By hand, of two classes: what means, covariances, weights, shares and priors are free.
TEST(Choice, FreeParametersAreCountedByHand) {
  EXPECT_ERROR(FreeParameters(Model()), "model: has no classes");
  const std::pair<std::pair<Kind, const char*>, std::uint64_t> cases[] = {
      {{Kind::kQda, "BGR"}, 2 * (3 + 6) + 1},       {{Kind::kQda, "rg"}, 2 * (2 + 3) + 1},
      {{Kind::kLda, "BGR"}, 2 * 3 + 6 + 1},         {{Kind::kGaussianNb, "Lab"}, 2 * (3 + 3) + 1},
      {{Kind::kLogistic, "BGR"}, 1 + 3 + 6},        {{Kind::kLogistic, "rg"}, 1 + 2 + 3},
      {{Kind::kHistogram, "rg"}, 2 * 255 + 1},      {{Kind::kHistogram, "HSV"}, 2 * 4095 + 1},
      {{Kind::kHistogramNb, "HSV"}, 2 * 3 * 15 + 1}};
  for (const auto& [what, count] : cases)
    EXPECT_EQ(FreeParameters(TrainedOfKind(what.first, what.second)), count)
        << KindName(what.first) << " " << what.second;
  FitOptions options;
  options.kind = Kind::kMixture;
  options.mixture.of_class = {{"skin", 2}, {"non-skin", 3}};
  options.mixture.iterations = 1;  // before any is found to be superfluous
  const Model mixture = Fit(DrawSamples(2), options);
  EXPECT_EQ(FreeParameters(mixture), 2 * 9 + 1 + 3 * 9 + 2 + 1);
  options.kind = Kind::kLogistic;
  options.logistic.terms = LogisticOptions::Terms::kSquares;
  Model squares = Fit(DrawSamples(2), options);
  EXPECT_EQ(FreeParameters(squares), 1u + 3 + 3);
  squares.calibration = {2, 1, "d"};
  EXPECT_EQ(FreeParameters(squares), 1u + 3 + 3 + 2);
  options.kind = Kind::kQda;
  EXPECT_EQ(FreeParameters(Fit(DrawSamples(3), options)), 3u * 9 + 2);
}

TEST(Choice, AGivenModelIsJudgedOnTheSameFolds) {
  const Samples samples = Images();
  Model own = TrainedOfKind(Kind::kQda, "Lab");
  own.decision.threshold = 0.9;  // counts are at 0.5 for all
  FitOptions lda;
  lda.kind = Kind::kLda;
  const Comparison comparison = Compare(samples, {lda}, {}, {{"mine.json", own}});
  const auto given = std::ranges::find(comparison.models, "mine.json", &ComparedModel::Name);
  ASSERT_NE(given, comparison.models.end());
  own.decision.threshold = 0.5;
  for (std::size_t fold = 0; fold < 5; ++fold) {
    const Evaluation expected = EvaluateSamples(comparison.folds.HeldOut(samples, fold), own);
    EXPECT_EQ(given->folds[fold].auc, expected.scores->Auc());
    EXPECT_EQ(given->folds[fold].log_loss, expected.log_loss);
    EXPECT_EQ(given->folds[fold].counts, expected.counts);
  }
  EXPECT_EQ(given->Parameters(), FreeParameters(own));
  const auto trained = std::ranges::find(comparison.models, "lda BGR", &ComparedModel::Name);
  EXPECT_EQ(*trained->MeanOf(&FoldScore::auc).mean,
            *Compare(samples, {lda}, {}).models[0].MeanOf(&FoldScore::auc).mean);
}

TEST(Choice, AGivenModelThatCannotBeJudgedSaysWhy) {
  Model other = TrainedOfKind(Kind::kQda);
  other.classes[0].name = "red";
  other.classes[1].name = "blue";
  const Comparison alone = Compare(Images(), {}, {}, {{"other.json", other}});
  EXPECT_NE(alone.models[0].problem.find("on fold 1: samples: have none of the model's classes"),
            std::string::npos)
      << alone.models[0].problem;
  EXPECT_FALSE(OneStandardErrorRule(alone));
}

}  // namespace
}  // namespace skinmask
