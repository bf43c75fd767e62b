// Every public function that takes a picture refuses what is none of its type: the bytes of a grey
// one would be read past their end, and those of one with alpha taken for other colours.
#include <gtest/gtest.h>

#include <functional>

#include "skinmask/base/error.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/detect/adapt_stream.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/detect/detector.h"
#include "skinmask/detect/draw.h"
#include "skinmask/detect/frame_posterior.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/detect/region.h"
#include "skinmask/media/image.h"
#include "support/files.h"
#include "support/pictures.h"
#include "support/scenes.h"

namespace skinmask {
namespace {

using Use = std::function<void(const cv::Mat&)>;

// Fails for all matrices but those of `type`.
void ExpectTakesOnly(int type, const Use& use) {
  EXPECT_NO_THROW(use(cv::Mat(48, 64, type, cv::Scalar::all(90))));
  EXPECT_THROW(use(cv::Mat()), Error);
  for (const int other : {CV_8UC1, CV_8UC2, CV_8UC3, CV_8UC4, CV_16UC3, CV_32FC1, CV_32FC3})
    if (other != type) {
      EXPECT_THROW(use(cv::Mat(48, 64, other, cv::Scalar::all(90))), Error)
          << cv::typeToString(other);
    }
}

TEST(PictureTypes, DetectionTakesBgr) {
  const Posterior posterior(DefaultModel());
  ExpectTakesOnly(CV_8UC3, [&](const cv::Mat& m) { DetectMask(posterior, m); });
  ExpectTakesOnly(CV_8UC3, [&](const cv::Mat& m) { DetectProbability(posterior, m); });
  ExpectTakesOnly(CV_8UC3, [&](const cv::Mat& m) { DetectClasses(posterior, m); });
  ExpectTakesOnly(CV_32FC1, [](const cv::Mat& m) { MaskOf(m, 0.5); });
  ExpectTakesOnly(CV_32FC1, [](const cv::Mat& m) { ProbabilityOf(m); });
  const Detector detector(DefaultModel());
  for (const OutputKind& kind : OutputKinds())
    ExpectTakesOnly(CV_8UC3, [&](const cv::Mat& m) {
      Judgement judgement = detector.Judge(m);
      Draw(kind.output, judgement);
    });
}

TEST(PictureTypes, FramesHaveAllPlanesOfTheirLayout) {
  using Layout = VideoFrame::Layout;
  const FramePosterior posterior(DefaultModel());
  const std::vector<std::uint8_t> bytes(3 * 64 * 48, 90);
  const auto expect_error = [&](const VideoFrame& frame) {
    EXPECT_THROW(frame.Bgr(), Error);
    EXPECT_THROW(posterior.Mask(frame), Error);
    EXPECT_THROW(posterior.Probability(frame), Error);
    EXPECT_THROW(posterior.LogOdds(frame), Error);
  };
  const std::pair<Layout, std::size_t> layouts[] = {{Layout::kBgr, 1},  {Layout::kI420, 3},
                                                    {Layout::kI422, 3}, {Layout::kI444, 3},
                                                    {Layout::kNv12, 2}, {Layout::kYuyv, 1}};
  for (const auto& [layout, planes] : layouts) {
    VideoFrame frame;
    frame.layout = layout;
    frame.size = {64, 48};
    for (std::size_t i = 0; i < planes; ++i) {
      expect_error(frame);
      frame.planes[i] = bytes.data();
      frame.strides[i] = planes == 1 ? 192 : 64;
    }
    EXPECT_EQ(posterior.Mask(frame).size(), frame.size);
    frame.size.height = 0;
    expect_error(frame);
  }
  VideoFrame other;
  other.layout = Layout::kOther;
  other.size = {64, 48};
  expect_error(other);
}

TEST(PictureTypes, AdaptationTakesBgr) {
  const Model model = DefaultModel();
  const auto with = [&](std::unique_ptr<SeedFinder> finder) {
    std::vector<std::unique_ptr<SeedFinder>> finders;
    finders.push_back(std::move(finder));
    return std::make_shared<const Adapter>(model, model.decision.threshold, std::move(finders));
  };
  const std::optional<Adaptation> adaptation =
      with(FixedSeed(cv::Rect(4, 4, 40, 40)))->Adapt(testing::Gradient(64, 48));
  const auto adapter = with(HogFaceFinder());  // takes pictures of one colour, too
  ASSERT_TRUE(adaptation);
  cv::Mat mask, probability;
  ExpectTakesOnly(CV_8UC3, [&](const cv::Mat& m) { adapter->Adapt(m); });
  ExpectTakesOnly(CV_8UC3, [&](const cv::Mat& m) { testing::LogOddsOf(*adapter, m); });
  ExpectTakesOnly(CV_8UC3, [&](const cv::Mat& m) { adapter->LogOdds(m, *adaptation); });
  ExpectTakesOnly(CV_8UC3, [&](const cv::Mat& m) { adapter->Mask(m, *adaptation, 0.5); });
  ExpectTakesOnly(CV_8UC3, [&](const cv::Mat& m) { adapter->Probability(m, *adaptation); });
  ExpectTakesOnly(CV_8UC3, [&](const cv::Mat& m) {
    adapter->MaskAndProbability(m, *adaptation, 0.5, mask, probability);
  });
  StreamAdapter stream(adapter);
  ExpectTakesOnly(CV_8UC3, [&](const cv::Mat& m) { stream.Follow(m); });
  ExpectTakesOnly(CV_8UC3, [&](const cv::Mat& m) { HogFaceFinder()->Find(m); });
}

TEST(PictureTypes, DrawingAndEncodingTakeWhatTheySay) {
  const cv::Mat bgr = testing::Gradient(64, 48), mask(48, 64, CV_8UC1, cv::Scalar(255));
  const std::function<cv::Mat(const cv::Mat&, const cv::Mat&)> drawings[] = {
      [](const cv::Mat& b, const cv::Mat& m) { return DrawOverlay(b, m); },
      [](const cv::Mat& b, const cv::Mat& m) { return CutOut(b, m); }, OnBlack};
  for (const auto& draw : drawings) {
    ExpectTakesOnly(CV_8UC3, [&](const cv::Mat& m) { draw(m, mask); });
    ExpectTakesOnly(CV_8UC1, [&](const cv::Mat& m) { draw(bgr, m); });
    EXPECT_THROW(draw(bgr, mask.colRange(0, 63)), Error);
  }
  ExpectTakesOnly(CV_8UC1, [](const cv::Mat& m) { InPalette(m, ClassPalette(200)); });
  ExpectTakesOnly(CV_8UC1, [](const cv::Mat& m) { EncodePalettePng(m, ClassPalette(200)); });
  ExpectTakesOnly(CV_8UC1, [](const cv::Mat& m) { RegionTracker().Follow(m); });
  ExpectTakesOnly(CV_8UC3, [](cv::Mat m) { DrawRegion(m, Region{}); });
  EXPECT_ERROR(EncodePalettePng(cv::Mat(5, 5, CV_8UC1, cv::Scalar(2)), ClassPalette(2)),
               "indices: go to 2 (a palette of 2 colours ends at 1)");
  EXPECT_THROW(MapMomentsOf(bgr), Error);
  for (const int type : {CV_8UC2, CV_16UC3, CV_32FC1})
    for (const auto encode : {+[](const cv::Mat& m) { return EncodePng(m); },
                              +[](const cv::Mat& m) { return EncodeJpeg(m, 90); }})
      EXPECT_THROW(encode(cv::Mat(4, 4, type, cv::Scalar())), Error);
  EXPECT_ERROR(EncodePng(cv::Mat(4, 4, CV_32FC1, cv::Scalar())),
               "image: is of type CV_32FC1 (CV_8UC1 or CV_16UC1 or CV_8UC3 or CV_8UC4)");
  EXPECT_ERROR(EncodeJpeg(cv::Mat(4, 4, CV_16UC1, cv::Scalar()), 90),
               "image: is of type CV_16UC1 (CV_8UC1 or CV_8UC3)");
  EXPECT_THROW(EncodePng(cv::Mat()), Error);
  EXPECT_THROW(EncodeJpeg(cv::Mat(), 90), Error);
  EXPECT_THROW(EncodeJpeg(bgr, 0), Error);
}

}  // namespace
}  // namespace skinmask
