#include "skinmask/learn/selective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/world.h"

namespace skinmask {
namespace {

struct Pixel {
  double score;
  bool truth;
};

std::vector<Pixel> DrawPixels() {
  testing::Random random(8);
  std::vector<Pixel> pixels;
  for (int i = 0; i < 2000; ++i) {
    const bool truth = random.Uniform() < 0.3;
    pixels.push_back({(truth ? 1 : -1) + 1.5 * random.Normal(), truth});
  }
  return pixels;
}

Scores ScoresOf(std::vector<Pixel> pixels) {
  std::ranges::sort(pixels, {}, &Pixel::score);
  Scores scores;
  for (const Pixel& p : pixels)
    scores.steps.push_back({p.score, p.truth ? 1u : 0u, p.truth ? 0u : 1u, p.score});
  return scores;
}

TEST(Selective, AbstainingCountsAsBruteForce) {
  const std::vector<Pixel> pixels = DrawPixels();
  const auto at_scores = std::minmax({pixels[0].score, pixels[1].score});
  for (const auto& [low, high] :
       {std::pair(-0.5, 1.2), {0., 0.}, {-100., 100.}, std::pair<double, double>(at_scores)}) {
    double answered = 0, wrong = 0;
    for (const Pixel& p : pixels) {
      const bool positive = p.score > high, negative = p.score <= low;
      answered += positive || negative;
      wrong += (positive && !p.truth) || (negative && p.truth);
    }
    const auto found = Abstaining(ScoresOf(pixels), low, high);
    ASSERT_TRUE(found);
    EXPECT_DOUBLE_EQ(found->coverage, answered / static_cast<double>(pixels.size()));
    EXPECT_EQ(found->risk.has_value(), answered > 0);
    EXPECT_DOUBLE_EQ(found->risk.value_or(0), answered == 0 ? 0 : wrong / answered);
  }
  EXPECT_FALSE(Abstaining({}, 0, 1));
}

// By the definition: the k surest pixels, and how many of them are wrong.
TEST(Selective, TheCurveIsTheRiskOfTheSurest) {
  std::vector<Pixel> pixels = DrawPixels();
  const double threshold = std::ranges::find(pixels, true, &Pixel::truth)->score;
  const SelectiveCurve curve = SelectiveCurveOf(ScoresOf(pixels), threshold, 1 << 20);
  std::ranges::sort(pixels, std::greater(),
                    [&](const Pixel& p) { return std::abs(p.score - threshold); });
  ASSERT_EQ(curve.points.size(), pixels.size());
  double wrong = 0, sum = 0;
  for (std::size_t k = 0; k < pixels.size(); ++k) {
    wrong += (pixels[k].score > threshold) != pixels[k].truth;
    const double n = static_cast<double>(k) + 1;
    EXPECT_DOUBLE_EQ(*curve.points[k].risk, wrong / n);
    EXPECT_DOUBLE_EQ(curve.points[k].coverage, n / static_cast<double>(pixels.size()));
    sum += wrong / n;
  }
  EXPECT_NEAR(curve.area, sum / static_cast<double>(pixels.size()), 1e-3);
  // Answering all is deciding at the threshold.
  const SelectiveCurve thinned = SelectiveCurveOf(ScoresOf(pixels), threshold, 50);
  EXPECT_NEAR(static_cast<double>(thinned.points.size()), 50, 2);
  EXPECT_EQ(thinned.points.back().risk, curve.points.back().risk);
  EXPECT_DOUBLE_EQ(thinned.points.back().coverage, 1);
  EXPECT_DOUBLE_EQ(thinned.area, curve.area);
  EXPECT_TRUE(SelectiveCurveOf({}, 0, 50).points.empty());
}

// By the definition: tied pixels in an order of no meaning, so that each is answered at the risk
// that the ones before leave, with its own share of the tied ones that are wrong.
TEST(Selective, TheAreaOfTiedScoresIsTheMeanOverTheirOrders) {
  const Scores scores{{{-3, 400, 1600, -3}, {0.5, 900, 700, 0.5}, {2, 5000, 300, 2}}};
  const double counts[] = {2000, 5300, 1600}, wrong[] = {400, 300, 700};  // the surest first
  double answered = 0, errors = 0, sum = 0;
  for (std::size_t k = 0; k < 3; ++k)
    for (int i = 0; i < static_cast<int>(counts[k]); ++i) {
      errors += wrong[k] / counts[k];
      sum += errors / ++answered;
    }
  EXPECT_NEAR(SelectiveCurveOf(scores, 0, 100).area, sum / answered, 1e-4);
}

}  // namespace
}  // namespace skinmask
