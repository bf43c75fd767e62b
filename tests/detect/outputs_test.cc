#include "skinmask/detect/outputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <set>
#include <string>

#include "skinmask/base/error.h"
#include "skinmask/detect/detector.h"
#include "skinmask/media/image.h"
#include "skinmask/model/model.h"
#include "support/detectors.h"
#include "support/files.h"
#include "support/scenes.h"

namespace skinmask {
namespace {

using testing::kOff;
using testing::OnSeed;
using testing::Photo;
using testing::Same;

TEST(Outputs, StandInTheTableAtTheirNumbers) {
  std::set<std::string_view> names, suffixes;
  for (std::size_t i = 0; i < OutputKinds().size(); ++i) {
    const OutputKind& kind = OutputKinds()[i];
    EXPECT_EQ(static_cast<std::size_t>(kind.output), i);
    EXPECT_EQ(&KindOf(kind.output), &kind);
    EXPECT_EQ(OutputFromName(kind.name), kind.output);
    EXPECT_TRUE(names.insert(kind.name).second);
    EXPECT_TRUE(suffixes.insert(kind.suffix).second);
    EXPECT_TRUE(suffixes.insert(kind.video_suffix).second);
  }
  EXPECT_ERROR(OutputFromName("masks"), "did you mean mask?");
  EXPECT_ERROR(KindOf(static_cast<Output>(OutputKinds().size())), " is unknown (0 to ");
  EXPECT_ERROR(TypeOf(static_cast<Output>(-1)), "output: -1 is unknown (0 to ");
}

// The colours of P(skin), as 8 bits have it, each lighter than the one before.
TEST(Outputs, HeatmapsAreProbabilitiesInColours) {
  const Detector detector(DefaultModel(), kOff);
  Judgement judgement = detector.Judge(Photo());
  const cv::Mat map = Draw(Output::kHeatmap, judgement), p = judgement.Probability();
  cv::Mat steps(1, 256, CV_8UC1), colors, grey;
  for (int i = 0; i < 256; ++i) steps.at<std::uint8_t>(i) = static_cast<std::uint8_t>(i);
  cv::applyColorMap(steps, colors, cv::COLORMAP_INFERNO);
  for (int y = 0; y < p.rows; ++y)
    for (int x = 0; x < p.cols; ++x)
      ASSERT_EQ(map.at<cv::Vec3b>(y, x), colors.at<cv::Vec3b>(p.at<std::uint8_t>(y, x)));
  cv::cvtColor(colors, grey, cv::COLOR_BGR2GRAY);
  EXPECT_TRUE(std::is_sorted(grey.begin<std::uint8_t>(), grey.end<std::uint8_t>()));
}

// Each is of the type that the table says, in the memory that was given for it, and becomes a file.
TEST(Outputs, AreDrawnAsTheTableSays) {
  const cv::Mat bgr = Photo();
  for (const Detector& detector : {Detector(DefaultModel(), kOff), OnSeed()})
    for (const OutputKind& kind : OutputKinds())
      for (const bool plain : {false, true}) {
        SCOPED_TRACE(kind.name);
        const OutputForm form{.transparent = !plain, .indexed = !plain};
        Judgement judgement = detector.Judge(bgr), again = detector.Judge(bgr);
        const cv::Mat drawn = Draw(kind.output, judgement, form);
        ASSERT_EQ(drawn.type(), TypeOf(kind.output, form));
        ASSERT_EQ(drawn.size(), bgr.size());
        EXPECT_NE(TypeOf(kind.output, {.transparent = false, .indexed = false}), CV_8UC4);
        cv::Mat wide(bgr.rows, bgr.cols + 5, drawn.type(), cv::Scalar::all(7));
        const cv::Mat memory = wide.colRange(0, bgr.cols);
        const cv::Mat there = Draw(kind.output, again, form, memory);
        EXPECT_TRUE(Same(there, drawn));
        EXPECT_EQ(cv::countNonZero(wide.colRange(bgr.cols, wide.cols).clone().reshape(1) != 7), 0);
        const bool of_two_masks = kind.of_unknown && kind.output != Output::kMask;
        if (!plain && !kind.of_model_alone && !of_two_masks) {
          EXPECT_EQ(there.data, memory.data);
        }
        if (plain) continue;
        const std::string png = EncodeOutput(kind.output, drawn, 2);
        EXPECT_EQ(DecodeImage(png, "x").size(), bgr.size());
      }
}

}  // namespace
}  // namespace skinmask
