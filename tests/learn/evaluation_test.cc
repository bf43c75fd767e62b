#include "skinmask/learn/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "learn/score_bins.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/class_counts.h"
#include "skinmask/learn/decision.h"
#include "skinmask/learn/fit.h"
#include "skinmask/model/posterior.h"
#include "skinmask/model/reference.h"
#include "support/colors.h"
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

constexpr DecisionRule kMaxF1{DecisionRule::Kind::kMaxF1};

TEST(Confusion, RatiosAreThoseOfTheirDefinitions) {
  const Confusion c{6, 2, 3, 9};
  EXPECT_DOUBLE_EQ(*c.Accuracy(), 0.75);
  EXPECT_DOUBLE_EQ(*c.Precision(), 0.75);
  EXPECT_DOUBLE_EQ(*c.Recall(), 6. / 9);
  EXPECT_DOUBLE_EQ(*c.Specificity(), 9. / 11);
  EXPECT_DOUBLE_EQ(*c.F1(), 2 * 0.75 * (6. / 9) / (0.75 + 6. / 9));
  EXPECT_DOUBLE_EQ(*c.Iou(), 6. / 11);
}

TEST(ClassCounts, RatiosAreThoseOfTheirDefinitions) {
  ClassCounts counts;
  counts.classes = {"a", "b"};
  counts.counts = {3, 1, 2, 4};
  counts.costs = {0, 10, 1, 0};
  EXPECT_EQ(counts.Accuracy(), 7. / 10);
  EXPECT_EQ(counts.Recall(0), 3. / 4);
  EXPECT_EQ(counts.Precision(0), 3. / 5);
  EXPECT_EQ(counts.Precision(1), 4. / 5);
  EXPECT_EQ(counts.MeanCost(), 12. / 10);
}

TEST(Confusion, ZeroOverZeroIsAbsent) {
  const Confusion none;
  for (const auto& ratio : {none.Accuracy(), none.Precision(), none.Recall(), none.Specificity(),
                            none.F1(), none.Iou()})
    EXPECT_FALSE(ratio.has_value());
  EXPECT_FALSE((Confusion{0, 0, 0, 5}.F1().has_value()));
  EXPECT_EQ((Confusion{0, 0, 2, 5}.F1()), 0);
}

TEST(Scores, AucIsTheShareOfPairsInOrder) {
  const std::vector<Scored> scored = DrawScored(600, 1.5);
  double right = 0, pairs = 0;
  for (const Scored& p : scored)
    for (const Scored& n : scored)
      if (p.truth && !n.truth) {
        right += p.z > n.z ? 1 : p.z == n.z ? 0.5 : 0;
        ++pairs;
      }
  EXPECT_NEAR(*StepsOf(scored).Auc(), right / pairs, 1e-12);
}

// A part and the rest, as packed bytes: each is counted at the threshold of their sum.
TEST(ScoreHistogram, PackedScoresAreCountedAsTheSumIs) {
  for (const double spread : {0.1, 1., 30., 1e6}) {
    ScoreHistogram parts[2], sum;
    std::uint64_t i = 0;
    for (const Scored& s : DrawScored(3000, spread)) {
      ++i;
      parts[i % 3 == 0].Add(s.z, s.truth, 1 + i % 5);
    }
    for (const ScoreHistogram& part : parts) sum += part;
    for (const DecisionRule& rule : {kMaxF1, DecisionRule{DecisionRule::Kind::kMinRecall, 1},
                                     DecisionRule{DecisionRule::Kind::kMaxFpr, 0},
                                     DecisionRule{DecisionRule::Kind::kCost, 2}}) {
      const std::optional<OperatingPoint> point = Choose(sum.Steps(), rule);
      ASSERT_TRUE(point);
      Confusion counts = CountsAbove(parts[0].Packed(), point->log_odds);
      counts += CountsAbove(parts[1].Packed(), point->log_odds);
      EXPECT_EQ(counts, point->counts) << RuleName(rule) << " " << spread;
    }
    const ScoreHistogram again = ScoreHistogram::Unpacked(sum.Packed(), sum.squared_error());
    EXPECT_EQ(again.Packed(), sum.Packed());
    EXPECT_EQ(again.Steps().Auc(), sum.Steps().Auc());
    EXPECT_EQ(again.Steps().Brier(), sum.Steps().Brier());
  }
}

TEST(ScoreHistogram, WhatWasNotPackedIsRefused) {
  const std::string word(9, '\xFF'), most = std::string(8, '\x80') + '\x10';  // 2^60
  for (const std::string& bytes :
       {std::string("\x80"), word, word + '\x01', std::string("\x03\0\0", 3),
        std::string("\x03\x01"), std::string("\x02\0", 2), std::string("\xFC\xFF\x7F\x01"),
        '\x03' + most + '\x01', '\x02' + most + '\x01', '\x03' + word + "\x01\x02"})
    EXPECT_THROW(ScoreHistogram::Unpacked(bytes, 0), Error);
  std::string beyond;  // a pixel of the bin after the last one
  for (std::size_t left = 2 * kHalfOfBins * 4 + 1; left > 0; left >>= 7)
    beyond += static_cast<char>(left < 128 ? left : left | 128);
  EXPECT_THROW(ScoreHistogram::Unpacked(beyond, 0), Error);
  EXPECT_THROW(ScoreHistogram::Unpacked("", 1), Error);
  EXPECT_THROW(ScoreHistogram::Unpacked(std::string(1, '\0'), -1), Error);
}

TEST(Scores, AveragePrecisionBrierAndMaxF1AreThoseOfBruteForce) {
  const std::vector<Scored> scored = DrawScored(600, 1.5);
  double brier = 0;
  for (const Scored& s : scored) brier += std::pow(Logistic(s.z) - s.truth, 2);
  double ap = 0, best_f1 = 0, last_recall = 0;
  for (float t = 12; t > -12; t -= 0.25f) {
    Confusion c;
    for (const Scored& s : scored) c.Add(s.truth, s.z >= t);
    if (c.tp + c.fp == 0) continue;
    ap += (*c.Recall() - last_recall) * *c.Precision();
    last_recall = *c.Recall();
    best_f1 = std::max(best_f1, *c.F1());
  }
  const Scores scores = StepsOf(scored);
  EXPECT_NEAR(*scores.Brier(), brier / 600, 1e-8);
  EXPECT_NEAR(*scores.AveragePrecision(), ap, 1e-12);
  const auto best = Choose(scores, kMaxF1);
  EXPECT_NEAR(*best->counts.F1(), best_f1, 1e-12);
  Confusion at_best;
  for (const Scored& s : scored) at_best.Add(s.truth, s.z > best->log_odds - 1e-9);
  EXPECT_EQ(at_best, best->counts);
}

TEST(Scores, AreAbsentWithoutBothClasses) {
  EXPECT_FALSE(Scores{}.Auc() || Scores{}.AveragePrecision() || Scores{}.Brier() ||
               Choose(Scores{}, kMaxF1));
  ScoreHistogram negatives;
  negatives.Add(1, false);
  EXPECT_FALSE(negatives.Steps().Auc() || negatives.Steps().AveragePrecision() ||
               Choose(negatives.Steps(), kMaxF1));
  EXPECT_NEAR(*negatives.Steps().Brier(), Logistic(1) * Logistic(1), 1e-9);
}

TEST(ScoreHistogram, SumsDoNotDependOnOrderOrSplit) {
  const std::vector<Scored> scored = DrawScored(5000, 40);
  ScoreHistogram one, left, right, empty;
  for (std::size_t i = 0; i < scored.size(); ++i) {
    one.Add(scored[i].z, scored[i].truth);
    const Scored& back = scored[scored.size() - 1 - i];
    (i % 3 ? left : right).Add(back.z, back.truth);
  }
  left += empty;
  empty += right;
  left += empty;
  EXPECT_EQ(one.Steps().Auc(), left.Steps().Auc());
  EXPECT_EQ(one.Steps().Brier(), left.Steps().Brier());
  EXPECT_EQ(one.Steps().steps.size(), left.Steps().steps.size());
}

TEST(ScoreHistogram, KeepsOrderAndResolution) {
  // Any two scores further apart than a bin are told apart, over the whole range and past its end.
  for (float z :
       {-3e38f, -3e5f, -250.f, -1.f, -1e-3f, 0.f, 1e-3f, 0.5f, 36.f, 5000.f, 3e5f, INFINITY}) {
    ScoreHistogram histogram;
    histogram.Add(z, true);
    const float below = z - (std::abs(z) + 1) / 2000;
    if (std::abs(z) < 2e5) {
      histogram.Add(below, false);
      EXPECT_EQ(histogram.Steps().Auc(), 1) << z;
      EXPECT_LE(histogram.Steps().steps[1].threshold, z);
      EXPECT_GT(histogram.Steps().steps[1].threshold, below);
    }
  }
  ScoreHistogram histogram;
  histogram.Add(0, false);
  histogram.Add(1e-30f, true);
  EXPECT_EQ(histogram.Steps().Auc(), 1);
  EXPECT_EQ(histogram.Steps().steps[1].threshold, 0);
  histogram.Add(NAN, true);  // counted somewhere, never out of bounds
  EXPECT_ERROR(Reliability().Add(NAN, 1, 1), "log-odds: are NaN");
}

TEST(EvaluateSamples, AgreesWithTheReferenceAndTheHistogram) {
  const Samples samples = DrawSamples(3);
  const Model model = Fit(samples, {});
  const Evaluation evaluation = EvaluateSamples(samples, model);
  const Reference reference(model);
  Confusion expected;
  ScoreHistogram histogram;
  for (const SampleRow& row : samples.rows()) {
    const bool truth = samples.classes()[row.class_index] == "skin";
    const double z = reference.LogOdds(row.b, row.g, row.r);
    expected.Add(truth, z > 0, row.count);
    histogram.Add(static_cast<float>(z), truth, row.count);
  }
  EXPECT_EQ(evaluation.counts, expected);
  EXPECT_NEAR(*evaluation.scores->Auc(), *histogram.Steps().Auc(), 1e-5);
  EXPECT_NEAR(*evaluation.scores->Brier(), *histogram.Steps().Brier(), 1e-7);
  const auto best = Choose(*evaluation.scores, kMaxF1);
  Model tuned = model;
  tuned.decision.threshold = Logistic(best->log_odds);
  EXPECT_EQ(EvaluateSamples(samples, tuned).counts, best->counts);
  EXPECT_ERROR(EvaluateSamples(ParseSamples("class,b,g,r\nsky,1,2,3\n", "t"), model),
               "none of the model's classes");
}

// Two bins with the same ratio of counts have the same score, whatever its logarithm is rounded to.
TEST(EvaluateSamples, EqualRatiosOfCountsAreTies) {
  const Samples samples = ParseSamples(
      "class,b,g,r,count\nskin,10,10,10,1\nskin,100,100,100,5\nnon-skin,100,100,100,2\n"
      "non-skin,250,250,250,1\n",
      "t");
  for (const double prior : {0.2, 0.5, 0.7, 0.9}) {
    FitOptions options;
    options.kind = Kind::kHistogram;
    options.histogram.bins = 8;
    options.priors = {{"skin", prior}, {"non-skin", 1 - prior}};
    const Scores scores = *EvaluateSamples(samples, Fit(samples, options)).scores;
    EXPECT_DOUBLE_EQ(*scores.Auc(), 2. / 3) << prior;
    EXPECT_DOUBLE_EQ(*scores.AveragePrecision(), 0.75) << prior;
  }
}

// A threshold that is a colour's own log-odds: whether that is above it hangs on the last bit, and
// masks, which `detect` writes, are of less precision than the reference.
TEST(EvaluateSamples, CountsColoursAsMasksHaveThem) {
  testing::Random random(4);
  int others = 0;
  for (const Kind kind : {Kind::kQda, Kind::kMixture, Kind::kHistogram})
    for (int trial = 0; trial < 200; ++trial) {
      static std::map<Kind, Model> models;
      if (!models.contains(kind)) models.emplace(kind, testing::TrainedOfKind(kind));
      Model model = models.at(kind);
      const std::uint8_t bgr[3] = {random.Byte(), random.Byte(), random.Byte()};
      const double z = Reference(model).LogOdds(bgr[0], bgr[1], bgr[2]);
      if (std::abs(z) > 20) continue;
      model.decision.threshold = Logistic(z);
      const Confusion counts =
          EvaluateSamples(Samples({"skin"}, {{0, 0, bgr[0], bgr[1], bgr[2], 7}}), model).counts;
      std::uint8_t mask;
      Posterior(model, {.expected_pixels = 1}).MaskRow(bgr, 1, &mask);
      EXPECT_EQ(counts.tp, mask ? 7u : 0u);
      EXPECT_EQ(counts.fn, mask ? 0u : 7u);
      others += (mask != 0) != (z > Logit(model.decision.threshold));
    }
  EXPECT_GT(others, 10);  // or nothing was tried
}

}  // namespace
}  // namespace skinmask
