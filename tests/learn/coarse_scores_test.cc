#include "skinmask/learn/coarse_scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "skinmask/base/error.h"
#include "support/colors.h"

namespace skinmask {
namespace {

using testing::Random;

// Photographs of all sizes, each with an offset of its own: scores that tell the classes apart.
std::vector<ScoreHistogram> SomeImages(int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<ScoreHistogram> images;
  for (int i = 0; i < count; ++i) {
    ScoreHistogram histogram;
    const double offset = random.Normal(), share = 0.1 + 0.3 * random.Uniform();
    const auto pixels = static_cast<int>(std::exp(7 + 0.7 * random.Normal()));
    for (int p = 0; p < pixels; ++p) {
      const bool truth = random.Uniform() < share;
      histogram.Add(static_cast<float>(offset + (truth ? 1.5 : -3) + 2 * random.Normal()), truth);
    }
    images.push_back(histogram);
  }
  return images;
}

std::vector<CoarseScores> BlocksOf(const std::vector<ScoreHistogram>& images) {
  std::vector<CoarseScores> blocks;
  for (const ScoreHistogram& image : images) blocks.emplace_back(image.Steps());
  return blocks;
}

// Scores of all images but one, counted anew in the fine bins.
Scores Recounted(const std::vector<ScoreHistogram>& images, std::size_t without) {
  ScoreHistogram sum;
  for (std::size_t i = 0; i < images.size(); ++i)
    if (i != without) sum += images[i];
  return sum.Steps();
}

TEST(CoarseScores, TellWhatAllButOneScore) {
  const std::vector<ScoreHistogram> images = SomeImages(25, 1);
  const std::vector<CoarseScores> blocks = BlocksOf(images);
  const std::vector<ScoreMeasures> without = MeasuresWithoutEach(blocks);
  const Scores every = Recounted(images, images.size());
  const ScoreMeasures all = MeasuresOf(blocks);
  ASSERT_EQ(without.size(), images.size());
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Scores rest = Recounted(images, i);
    const Reliability reliability = ReliabilityOf(rest);
    // What an interval is made of is the change, here of some 1e-3 and 1e-2. Coarse bins blur that
    // by a few hundredths at most.
    EXPECT_NEAR(*without[i].auc - *all.auc, *rest.Auc() - *every.Auc(), 2e-5);
    EXPECT_NEAR(*without[i].average_precision - *all.average_precision,
                *rest.AveragePrecision() - *every.AveragePrecision(), 2e-4);
    EXPECT_NEAR(*without[i].ece, *reliability.Ece(), 1e-6);
    EXPECT_NEAR(*without[i].ece_middle, *reliability.EceMiddle(), 1e-6);
  }
  EXPECT_NEAR(*all.auc, *every.Auc(), 1e-4);
  EXPECT_NEAR(*all.average_precision, *every.AveragePrecision(), 3e-3);
}

TEST(CoarseScores, AddUpInAnyOrder) {
  const std::vector<CoarseScores> blocks = BlocksOf(SomeImages(6, 2));
  CoarseScores up, down, pairs;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    up += blocks[i];
    down += blocks[blocks.size() - 1 - i];
  }
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    CoarseScores pair = blocks[i];
    pair += blocks[i + 1];
    pairs += pair;
  }
  EXPECT_EQ(up, down);
  EXPECT_EQ(up, pairs);
  std::uint64_t positive = 0;
  for (const CoarseScores& block : blocks) positive += block.Total(true);
  EXPECT_EQ(up.Total(true), positive);
}

TEST(CoarseScores, HoldTheEndsAndNothing) {
  ScoreHistogram histogram;
  for (const float z : {-1e30f, -1e-9f, 0.f, 1e-9f, 1e30f}) histogram.Add(z, z > 0);
  const CoarseScores scores(histogram.Steps());
  ASSERT_EQ(scores.bins.size(), 4u);  // 0 is an edge, and belongs to what is below it
  EXPECT_EQ(scores.bins[0].index, 0u);
  EXPECT_EQ(scores.bins[1].index + 1, scores.bins[2].index);
  EXPECT_EQ(scores.bins[1].negative, 2u);
  EXPECT_EQ(scores.bins[2].positive, 1u);
  EXPECT_EQ(scores.bins[2].negative, 0u);
  EXPECT_EQ(CoarseScores::Unpacked(scores.Packed(), scores.reliability), scores);
  EXPECT_EQ(CoarseScores::Unpacked("", {}), CoarseScores());
  const std::vector<CoarseScores> blocks{{}, scores, {}};
  ASSERT_EQ(MeasuresWithoutEach(blocks).size(), 1u);  // empty blocks are none
  EXPECT_FALSE(MeasuresWithoutEach(blocks)[0].auc);
  EXPECT_FALSE(MeasuresWithoutEach(blocks)[0].ece);
}

TEST(CoarseScores, ReadWhatTheyWriteAndNothingElse) {
  const CoarseScores scores = BlocksOf(SomeImages(1, 3))[0];
  const std::string packed = scores.Packed();
  EXPECT_LT(packed.size(), 2000u);
  EXPECT_EQ(CoarseScores::Unpacked(packed, scores.reliability), scores);
  auto wrong = scores.reliability;
  ++wrong[3].count;
  EXPECT_THROW(CoarseScores::Unpacked(packed, wrong), Error);
  wrong = scores.reliability;
  ++wrong[0].positive;
  EXPECT_THROW(CoarseScores::Unpacked(packed, wrong), Error);
  wrong = scores.reliability;
  wrong[14].sum = (wrong[14].count << 20) + 1;
  EXPECT_THROW(CoarseScores::Unpacked(packed, wrong), Error);
  Scores few;
  few.steps = {{-4, 1, 1, -3}, {2, 5, 1, 3}};
  const CoarseScores two(few);
  wrong = two.reliability;
  wrong.front().positive += 2;  // more than its pixels
  wrong.back().positive -= 2;
  EXPECT_THROW(CoarseScores::Unpacked(two.Packed(), wrong), Error);
  EXPECT_THROW(CoarseScores::Unpacked(packed.substr(0, packed.size() - 1), scores.reliability),
               Error);
}

}  // namespace
}  // namespace skinmask
