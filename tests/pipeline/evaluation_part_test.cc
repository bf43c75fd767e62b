#include "pipeline/evaluation_part.h"

#include <gtest/gtest.h>

#include "skinmask/base/error.h"
#include "support/files.h"
#include "support/pictures.h"

namespace skinmask {
namespace {

TEST(EvaluationMerge, RefusesWhatWasJudgedOtherwiseOrChangedMeanwhile) {
  EvaluationMerge merge;
  EvaluationPart first, second;
  first.header.size = second.header.size = 2;
  first.header.shard = {1, 2};
  second.header.shard = {2, 2};
  second.finder = "another";
  merge.Add("a", std::move(first));
  EXPECT_ERROR(merge.Add("b", std::move(second)), "b: was judged otherwise than the others");
  EvaluationPart whole, part;
  whole.images.emplace_back().name = "a.png";
  part.images.emplace_back().name = "b.png";
  EXPECT_ERROR(CountAbove(whole, part, "c", 0), "c: has changed since it was read first");
}

using PairsTest = testing::FolderTest;

TEST_F(PairsTest, NoIgnoredPixelIsDrawn) {
  cv::Mat truth(48, 48, CV_8UC1, cv::Scalar(255));
  truth.colRange(24, 48) = 128;
  Put("i/a.png", testing::Encode(".png", testing::Gradient(48, 48)));
  Put("m/a.png", testing::Encode(".png", truth));
  PairOptions options;
  options.images = Path("i");
  options.masks = Path("m");
  options.ignored = {"128"};
  // Of a lattice of 24 x 24.
  EXPECT_EQ(EvaluateImages(options, Detector(DefaultModel(), nullptr), {}).drawn.size(), 12u * 24);
}

TEST(ReportOf, MasksLookInvertedFromTwoThirdsOfTheImagesOn) {
  EvaluationPart part;
  const auto add = [&part](const Confusion& counts) {
    JudgedImage image;
    image.metrics = MetricsOf({counts, std::nullopt});
    part.images.push_back(std::move(image));
  };
  for (int i = 0; i < 2; ++i) add({1, 90, 90, 1});
  add({50, 10, 10, 50});
  EXPECT_TRUE(ReportOf(part).masks_look_inverted);
  add({2, 1, 1, 2});
  EXPECT_FALSE(ReportOf(part).masks_look_inverted);
}

}  // namespace
}  // namespace skinmask
