#include "skinmask/report/curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "report/chart.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/evaluation.h"
#include "skinmask/learn/reliability.h"
#include "skinmask/model/reference.h"
#include "support/colors.h"
#include "support/scored.h"
#include "support/world.h"

namespace skinmask {
namespace {

using testing::DrawSamples;
using testing::DrawScored;
using testing::Scored;
using testing::StepsOf;
using testing::Trained;

// 0/0 is undefined, not a rate of 0 or a recall of 1.
TEST(Curves, WithoutPositivePixelsThereIsNoRecall) {
  // Lines of curves, and of the legend, which names all of them.
  const auto lines_of = [](const Scores& scores, const Confusion& counts) {
    const ScoredModel model{"m", scores, {0, counts}};
    const std::string svg = DrawCurves({&model, 1}, "skin", PictureFormat::kSvg);
    int count = 0;
    for (const std::string_view pen : {"stroke-width:1.8;", "stroke-width=\"1.8\""})  // Cairo 1.18
      for (std::size_t at = svg.find(pen); at != svg.npos; at = svg.find(pen, at + 1)) ++count;
    return count;
  };
  const Scores both{{{-1, 0, 3, -2}, {1, 3, 0, 2}}}, one{{{-1, 0, 3, -2}, {1, 0, 3, 2}}};
  const int all = lines_of(both, {.tp = 3, .tn = 3});
  EXPECT_GE(all, 8);
  EXPECT_EQ(lines_of(one, {.fp = 3, .tn = 3}), all - 2);  // neither false negatives nor the ROC
}

// At every threshold the drawn rate is the true one: of scores in bins, of scores with thresholds
// anywhere between them, and with a threshold of the user's between scores and above all of them.
TEST(Curves, ErrorRatesAreSteps) {
  const std::vector<Scored> scored = DrawScored(40, 2, 3, 4);
  const auto rate = [](const Confusion& c) -> std::optional<double> {
    return static_cast<double>(c.fp + c.fn) / static_cast<double>(c.Total());
  };
  const auto counts_above = [&](double z) {
    Confusion counts;
    for (const Scored& s : scored) counts.Add(s.truth, s.z > z);
    return counts;
  };
  Scores anywhere = StepsOf(scored);
  for (ScoreStep& step : anywhere.steps) {
    step.score = std::round(4 * step.score) / 4;  // exactly
    step.threshold = step.score - 0.07;
  }
  for (const Scores& scores : {StepsOf(scored), anywhere})
    for (const double own : {0.3, -0.95, 20.}) {
      const Curve curve = ThinnedCurve(scores, {own, counts_above(own)}, 1000);
      EXPECT_EQ(curve.points.size(), scores.steps.size() + 2);
      const Polyline line = StairsOf(curve, rate);
      EXPECT_EQ(line.front()[0], 1);
      EXPECT_EQ(line.back()[0], 0);
      int checked = 0;
      for (std::size_t k = 1; k < line.size(); ++k) {
        const auto [x, y] = line[k];
        const auto [before_x, before_y] = line[k - 1];
        EXPECT_TRUE(x == before_x || y == before_y) << k;
        EXPECT_LE(x, before_x) << k;
        if (before_x - x < 1e-3) continue;  // the bins of scores are as wide
        ++checked;
        for (const double share : {0.1, 0.5, 0.9})
          EXPECT_EQ(*rate(counts_above(Logit(x + share * (before_x - x)))), y) << x;
      }
      EXPECT_GE(checked, 10);
    }
}

TEST(Reliability, IsThatOfBruteForce) {
  const std::vector<Scored> scored = DrawScored(5000, 2, 3, 1e9);
  constexpr int kBins = 15;
  double ece = 0;
  const Reliability reliability = ReliabilityOf(StepsOf(scored), kBins);
  for (int bin = 0; bin < kBins; ++bin) {
    double count = 0, sum = 0, positive = 0;
    for (const Scored& s : scored) {
      const double p = 1 / (1 + std::exp(-s.z));
      if (p < bin / 15. || p >= (bin + 1) / 15.) continue;
      ++count;
      sum += p;
      positive += s.truth;
    }
    ece += std::abs(positive / count - sum / count) * count / 5000;
    const ReliabilityBin& found = reliability.bins[static_cast<std::size_t>(bin)];
    // A score may be on the other side of a border than its bin's middle is.
    EXPECT_NEAR(static_cast<double>(found.count), count, 2) << bin;
    EXPECT_NEAR(*found.MeanProbability(), sum / count, 1e-3) << bin;
  }
  EXPECT_NEAR(*reliability.Ece(), ece, 1e-3);
  double middle = 0, all = 0;
  for (std::size_t bin = 3; bin < 12; ++bin) {  // of fifteen those from 0.2 to 0.8
    const ReliabilityBin& b = reliability.bins[bin];
    middle += std::abs(static_cast<double>(b.positive) - b.sum);
    all += static_cast<double>(b.count);
  }
  EXPECT_NEAR(*reliability.EceMiddle(), middle / all, 1e-12);
  EXPECT_GT(*reliability.EceMiddle(), *reliability.Ece());
  EXPECT_FALSE(ReliabilityOf(Scores{}, kBins).Ece().has_value());
  EXPECT_THROW(Reliability(0), Error);
}

TEST(Reliability, OfATableIsExact) {
  const Samples samples = DrawSamples();
  const Model model = Trained(Kind::kQda, "BGR");
  const Reference reference(model);
  std::array<double, 10> gap{};
  for (const SampleRow& row : samples.rows()) {
    const double p = Logistic(reference.LogOdds(row.b, row.g, row.r));
    const bool truth = samples.classes()[row.class_index] == "skin";
    gap.at(std::min<std::size_t>(9, static_cast<std::size_t>(p * 10))) +=
        static_cast<double>(row.count) * (p - truth);
  }
  double ece = 0;
  for (const double g : gap) ece += std::abs(g) / static_cast<double>(samples.Total());
  const Evaluation evaluation = EvaluateSamples(samples, model);
  EXPECT_NEAR(*ReliabilityOf(*evaluation.scores, 10).Ece(), ece, 1e-12);
}

TEST(LogOddsHistogram, HoldsEveryPixelOnce) {
  const std::vector<Scored> scored = DrawScored(3000, 2, 3, 1e9);
  const LogOddsHistogram histogram = LogOddsHistogramOf(StepsOf(scored), 20);
  std::vector<std::uint64_t> positive(20);
  std::uint64_t negatives = 0;
  for (const Scored& s : scored) {
    const double place = std::floor((s.z - histogram.low) / histogram.width);
    if (s.truth) ++positive[static_cast<std::size_t>(std::clamp(place, 0., 19.))];
  }
  for (const std::uint64_t n : histogram.negative) negatives += n;
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_NEAR(static_cast<double>(histogram.positive[i]), static_cast<double>(positive[i]), 1)
        << i;
  EXPECT_EQ(negatives,
            static_cast<std::uint64_t>(std::count_if(scored.begin(), scored.end(),
                                                     [](const Scored& s) { return !s.truth; })));
}

TEST(ThinnedCurve, KeepsEndsOrderAndTheOperatingPoint) {
  const std::vector<Scored> scored = DrawScored(20000, 2, 3, 1e9);
  const double threshold = 0.4321;
  OperatingPoint at{threshold, {}};
  for (const Scored& s : scored) at.counts.Add(s.truth, static_cast<float>(s.z) > threshold);
  const Scores scores = StepsOf(scored);
  const Curve curve = ThinnedCurve(scores, at, 100);
  ASSERT_GT(scores.steps.size(), 5000u);
  EXPECT_LE(curve.points.size(), 101u);
  EXPECT_GT(curve.points.size(), 50u);
  EXPECT_EQ(curve.points[curve.operating_point].counts, at.counts);
  EXPECT_EQ(curve.points.front().counts.tp + curve.points.front().counts.fp, 0u);
  EXPECT_EQ(curve.points.back().counts.fn + curve.points.back().counts.tn, 0u);
  double area = 0;
  for (std::size_t i = 1; i < curve.points.size(); ++i) {
    const Confusion &a = curve.points[i - 1].counts, &b = curve.points[i].counts;
    EXPECT_LE(a.tp, b.tp);
    EXPECT_LE(a.fp, b.fp);
    EXPECT_GE(curve.points[i - 1].log_odds, curve.points[i].log_odds);
    // Each is what counting says.
    if (i % 10 == 0) {
      Confusion counted;
      for (const Scored& s : scored) counted.Add(s.truth, s.z > curve.points[i].log_odds);
      EXPECT_NEAR(static_cast<double>(counted.tp), static_cast<double>(b.tp), 3);
    }
    area += (*a.Specificity() - *b.Specificity()) * (*a.Recall() + *b.Recall()) / 2;
  }
  EXPECT_NEAR(area, *scores.Auc(), 1e-3);
}

}  // namespace
}  // namespace skinmask
