// Cross-validation against what it must equal: its own rule written anew, and runs fold by fold.

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/data/samples.h"
#include "skinmask/learn/compare.h"
#include "skinmask/learn/decision.h"
#include "skinmask/learn/evaluation.h"
#include "skinmask/learn/fit.h"
#include "skinmask/learn/folds.h"
#include "skinmask/model/model.h"
#include "skinmask/model/reference.h"
#include "support/files.h"
#include "support/world.h"

namespace skinmask {
namespace {

using testing::DrawSamples;
using testing::Random;

// `groups` images of both classes, each with a light of its own; 0 groups: no groups, same colours.
std::vector<SampleRow> DrawRows(std::uint32_t groups, std::uint64_t seed = 5) {
  Random random(seed);
  std::vector<SampleRow> rows;
  const auto dim = [](std::uint8_t v, int by) {
    return static_cast<std::uint8_t>(v * (20 - by) / 20);
  };
  for (std::uint32_t group = 1; group <= std::max(groups, 8u); ++group)
    for (std::uint16_t k = 0; k < 2; ++k) {
      testing::Blob blob = testing::SkinWorld()[k];
      blob.count = 150;
      for (SampleRow row : testing::Draw(blob, k, random)) {
        const int by = static_cast<int>(group % 7);
        rows.push_back({groups ? group * 3 : 0, k, dim(row.b, by), dim(row.g, by), dim(row.r, by),
                        1 + random.Next() % 3});
      }
    }
  return rows;
}

Samples Table(std::vector<SampleRow> rows) {
  return Samples({"skin", "non-skin"}, std::move(rows));
}

FitOptions Qda(const char* space = "BGR") {
  FitOptions options;
  options.features = Features(space, {});
  return options;
}

std::uint32_t Color(const SampleRow& row) {
  return static_cast<std::uint32_t>(row.b << 16 | row.g << 8 | row.r);
}

TEST(Folds, KeepEveryGroupOnOneSideAndShareThemOut) {
  const Samples samples = Table(DrawRows(23));
  const Folds folds(samples, 5, 0);
  EXPECT_TRUE(folds.by_group());
  std::map<std::uint32_t, std::set<std::size_t>> folds_of;
  for (const SampleRow& row : samples.rows()) folds_of[row.group].insert(folds.FoldOf(row));
  EXPECT_EQ(folds_of.size(), 23u);
  std::map<std::size_t, int> groups_in;
  for (const auto& [group, its] : folds_of) {
    EXPECT_EQ(its.size(), 1u) << group;
    ++groups_in[*its.begin()];
  }
  for (std::size_t fold = 0; fold < 5; ++fold) EXPECT_EQ(groups_in[fold], fold < 3 ? 5 : 4);
}

TEST(Folds, KeepEveryColorOnOneSideWhereThereAreNoGroups) {
  std::vector<SampleRow> rows = DrawRows(0);
  for (std::size_t i = 0; i < 40; ++i) {  // colours that both classes have
    rows.push_back(rows[50 * i]);
    rows.back().class_index ^= 1;
  }
  const Samples samples = Table(rows);
  const Folds folds(samples, 4, 9);
  EXPECT_FALSE(folds.by_group());
  std::set<std::uint32_t> both;  // colours in both classes must go together too
  for (std::size_t fold = 0; fold < 4; ++fold) {
    std::set<std::uint32_t> training, held_out;
    const Samples inside = folds.HeldOut(samples, fold), outside = folds.Training(samples, fold);
    for (const SampleRow& row : outside.rows()) training.insert(Color(row));
    for (const SampleRow& row : inside.rows()) {
      if (!held_out.insert(Color(row)).second) both.insert(Color(row));
      EXPECT_FALSE(training.contains(Color(row)));
    }
    EXPECT_EQ(inside.Total() + outside.Total(), samples.Total());
    EXPECT_NEAR(static_cast<double>(held_out.size()), static_cast<double>(folds.units().size()) / 4,
                1);
  }
  EXPECT_GT(both.size(), 0u);
}

TEST(Folds, FollowTheStatedRule) {
  // mix(x) is what SplitMix64 gives from the state before x.
  const auto mix = [](std::uint64_t x) { return Random(x - 0x9E3779B97F4A7C15).Next(); };
  for (const std::uint32_t groups : {23u, 0u}) {
    const Samples samples = Table(DrawRows(groups));
    for (const std::uint64_t seed : {0, 1, 77}) {
      std::map<std::uint64_t, std::uint32_t> order;
      for (const SampleRow& row : samples.rows()) {
        const std::uint32_t unit = groups ? row.group : Color(row);
        order[mix(mix(seed) + unit)] = unit;
      }
      std::map<std::uint32_t, std::size_t> fold_of;
      std::size_t turn = 0;
      for (const auto& [hash, unit] : order) fold_of[unit] = turn++ % 5;
      const Folds folds(samples, 5, seed);
      for (const SampleRow& row : samples.rows())
        ASSERT_EQ(folds.FoldOf(row), fold_of[groups ? row.group : Color(row)]);
    }
  }
}

TEST(Folds, CannotBeMoreThanTheUnits) {
  const Samples three =
      Samples({"skin", "non-skin"}, {{1, 0, 1, 2, 3, 1}, {2, 1, 1, 2, 3, 1}, {5, 0, 1, 2, 3, 1}});
  EXPECT_EQ(Folds(three, 3, 0).units().size(), 3u);
  EXPECT_ERROR(Folds(three, 4, 0), "4 folds: do not fit samples of 3 groups");
  EXPECT_ERROR(Folds(three.Ungrouped(), 2, 0), "samples: are of one colour (folds take two");
}

// The figures of one candidate, to the last bit.
std::string Figures(const Comparison& comparison) {
  std::string text;
  const auto add = [&](const std::optional<double>& v) {
    text += v ? std::to_string(std::bit_cast<std::uint64_t>(*v)) + " " : "- ";
  };
  for (const ComparedModel& m : comparison.models) {
    text += CandidateName(m.options) + " " + m.problem;
    for (const auto score : {&FoldScore::auc, &FoldScore::best_f1, &FoldScore::log_loss})
      add(m.MeanOf(score).mean), add(m.MeanOf(score).standard_error);
    add(m.PooledLogLoss());
    for (const FoldScore& f : m.folds) add(f.auc), add(f.best_f1), add(f.log_loss);
    text += "\n";
  }
  return text;
}

TEST(Compare, IsTheSameForAnyOrderAndNumberOfThreads) {
  CandidateNames names;
  names.kinds = {"qda", "lda", "gaussian-nb"};
  names.spaces = {"BGR", "rg", "Lab"};
  for (const std::uint32_t groups : {12u, 0u}) {
    std::vector<SampleRow> rows = DrawRows(groups);
    const std::string expected = Figures(Compare(Table(rows), Candidates(names), {}));
    EXPECT_EQ(testing::Lines(expected), 9);
    Random random(3);
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.Next() % i]);
    for (const std::size_t threads : {1, 3}) {
      const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
      EXPECT_EQ(Figures(Compare(Table(rows), Candidates(names), {})), expected) << threads;
    }
  }
}

TEST(Compare, EqualsTrainingAndEvaluatingFoldByFold) {
  const std::vector<SampleRow> rows = DrawRows(13);
  const Samples samples = Table(rows);
  const Folds folds(samples, 5, 42);
  const ComparedModel compared = Compare(samples, {Qda()}, {.folds = 5, .seed = 42}).models[0];
  double sum = 0, squares = 0, loss = 0, pixels = 0;
  for (std::size_t fold = 0; fold < 5; ++fold) {
    std::vector<SampleRow> training, held_out;  // with their groups: they must not matter
    for (const SampleRow& row : rows)
      (folds.FoldOf(row) == fold ? held_out : training).push_back(row);
    const Model model = Fit(Table(training), Qda());
    const Evaluation evaluation = EvaluateSamples(Table(held_out), model);
    EXPECT_NEAR(*compared.folds[fold].auc, *evaluation.scores->Auc(), 1e-12);
    EXPECT_NEAR(*compared.folds[fold].best_f1,
                *Choose(*evaluation.scores, {DecisionRule::Kind::kMaxF1})->counts.F1(), 1e-12);
    sum += *evaluation.scores->Auc();
    const Reference reference(model);
    double fold_loss = 0, n = 0;
    for (const SampleRow& row : held_out) {
      const double p = Logistic(reference.LogOdds(row.b, row.g, row.r));
      fold_loss -= static_cast<double>(row.count) * std::log(row.class_index == 0 ? p : 1 - p);
      n += static_cast<double>(row.count);
    }
    EXPECT_NEAR(*compared.folds[fold].log_loss, fold_loss / n, 1e-8);
    loss += fold_loss;
    pixels += n;
  }
  EXPECT_NEAR(*compared.MeanOf(&FoldScore::auc).mean, sum / 5, 1e-12);
  for (const FoldScore& fold : compared.folds) squares += std::pow(*fold.auc - sum / 5, 2);
  EXPECT_NEAR(*compared.MeanOf(&FoldScore::auc).standard_error, std::sqrt(squares / 4 / 5), 1e-12);
  EXPECT_NEAR(*compared.PooledLogLoss(), loss / pixels, 1e-8);
  EXPECT_EQ(static_cast<double>(compared.PooledCounts().Total()), pixels);
}

TEST(Compare, SortsByTheCriterionAndTiesByTheGivenOrder) {
  const Samples samples = Table(DrawRows(12));
  FitOptions lda = Qda();
  lda.kind = KindFromName("lda");
  const std::vector<FitOptions> candidates{lda, Qda("YCrCb"), Qda("BGR"), Qda("HSV")};
  for (const Criterion criterion : {Criterion::kAuc, Criterion::kBestF1, Criterion::kLogLoss}) {
    const auto models = Compare(samples, candidates, {.select = criterion}).models;
    std::vector<std::string> names;
    for (const ComparedModel& m : models) names.push_back(CandidateName(m.options));
    const auto place = [&](const char* name) {
      return std::ranges::find(names, name) - names.begin();
    };
    EXPECT_EQ(place("qda BGR"), place("qda YCrCb") + 1);  // the same but for rounding
    for (std::size_t i = 1; i < models.size(); ++i) {
      const ComparedModel &a = models[i - 1], &b = models[i];
      const auto score = criterion == Criterion::kAuc      ? &FoldScore::auc
                         : criterion == Criterion::kBestF1 ? &FoldScore::best_f1
                                                           : &FoldScore::log_loss;
      const double lead = (criterion == Criterion::kLogLoss ? -1 : 1) *
                          (*a.MeanOf(score).mean - *b.MeanOf(score).mean);
      EXPECT_GE(lead, -1e-9);
    }
  }
}

TEST(Compare, WhatCannotBeFittedSaysWhyAndTheRestGoesOn) {
  std::vector<SampleRow> rows = DrawRows(10);
  for (SampleRow& row : rows) row.b = 7;
  const auto models = Compare(Table(rows), {Qda(), Qda("rg")}, {}).models;
  EXPECT_EQ(models[0].problem, "");
  EXPECT_EQ(CandidateName(models[0].options), "qda rg");
  EXPECT_NE(models[1].problem.find("without fold 1: class '"), std::string::npos)
      << models[1].problem;
  EXPECT_NE(models[1].problem.find("singular"), std::string::npos) << models[1].problem;
}

TEST(Compare, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  std::size_t calls = 0;
  Compare(Table(DrawRows(10)), {Qda()},
          {.progress = [&](std::size_t, std::size_t, std::uint64_t) { ++calls; }, .stop = &stop});
  EXPECT_EQ(calls, 0u);
}

TEST(Candidates, AreKindsBySpacesByChannelsBySettings) {
  CandidateNames names{
      {"qda", "gaussian-nb"}, {"BGR", "YCrCb"}, {"all", "Cr,Cb"}, {{0.}, {std::nullopt}}, {}};
  std::vector<std::string> list;
  for (const FitOptions& options : Candidates(names)) list.push_back(CandidateName(options));
  EXPECT_EQ(list, (std::vector<std::string>{"qda BGR", "qda BGR shrinkage auto", "qda YCrCb",
                                            "qda YCrCb shrinkage auto", "qda YCrCb:Cr,Cb",
                                            "qda YCrCb:Cr,Cb shrinkage auto", "gaussian-nb BGR",
                                            "gaussian-nb YCrCb", "gaussian-nb YCrCb:Cr,Cb"}));
  names = {{"lda", "lda"}, {"BGR", "rg", "bgr"}, {"subsets"}, {}, {}};
  EXPECT_EQ(Candidates(names).size(), 7u + 3u);
  names.channels = {"Cr"};
  EXPECT_ERROR(Candidates(names), "channels 'Cr': are in none of the spaces");
  names.channels = {"all", "Cr"};
  EXPECT_ERROR(Candidates(names), "channels 'Cr': are in none of the spaces");
  names.kinds = {"forest"};
  EXPECT_ERROR(Candidates(names), "unknown");
}

}  // namespace
}  // namespace skinmask
