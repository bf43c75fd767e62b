// What is asked of a picture, in whatever form it came and in whatever order: the same bytes.
#include <gtest/gtest.h>

#include <functional>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "skinmask/base/error.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/detect/detector.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/model/model.h"
#include "support/detectors.h"
#include "support/scenes.h"

namespace skinmask {
namespace {

using testing::kOff;
using testing::OnSeed;
using testing::Photo;
using testing::Same;

// Counts how often it is converted to B G R.
struct Frame {
  explicit Frame(const cv::Mat& bgr) {
    cv::cvtColor(bgr, i420, cv::COLOR_BGR2YUV_I420);
    stored.layout = VideoFrame::Layout::kI420;
    stored.size = bgr.size();
    const int rows = bgr.rows, half = bgr.cols / 2;
    stored.planes = {i420.ptr(0), i420.ptr(rows), i420.ptr(rows) + rows / 2 * half};
    stored.strides = {bgr.cols, half, half};
    stored.rotation = 90;
    stored.mirrored = true;
  }
  Picture AsPicture() {
    return Picture(stored, [this] {
      ++converted;
      return stored.Bgr();
    });
  }

  cv::Mat i420;
  VideoFrame stored;
  int converted = 0;
};

TEST(Judgement, DoesNotDependOnTheOrderOfQuestions) {
  const cv::Mat bgr = Photo();
  Frame frame(bgr);
  for (const bool adapted : {false, true})
    for (const bool planes : {false, true}) {
      const Detector detector = adapted ? OnSeed() : Detector(DefaultModel(), kOff);
      const auto judge = [&] { return detector.Judge(planes ? frame.AsPicture() : Picture(bgr)); };
      using Ask = std::function<cv::Mat(Judgement&)>;
      const std::vector<Ask> questions = {&Judgement::Mask,
                                          &Judgement::LogOdds,
                                          &Judgement::Classes,
                                          &Judgement::Uncertainty,
                                          &Judgement::AbstainingMask,
                                          &Judgement::Bgr,
                                          [](Judgement& j) { return j.Probability(); },
                                          [](Judgement& j) { return j.Probability(16); },
                                          [](Judgement& j) { return j.Probability(32); }};
      std::vector<cv::Mat> alone;
      for (const Ask& ask : questions) {
        Judgement judgement = judge();
        alone.push_back(ask(judgement).clone());
      }
      for (const bool probability : {false, true})
        for (const bool log_odds : {false, true}) {
          Judgement forwards = judge(), backwards = judge();
          forwards.MakeMask(probability, log_odds);
          for (std::size_t i = 0; i < questions.size(); ++i) {
            const std::size_t j = questions.size() - 1 - i;
            EXPECT_TRUE(Same(questions[i](forwards), alone[i])) << adapted << planes << i;
            EXPECT_TRUE(Same(questions[j](backwards), alone[j])) << adapted << planes << j;
          }
        }
    }
}

// What failed once fails again, and is no memory that nobody wrote to.
TEST(Judgement, KeepsNothingOfWhatFailed) {
  const Detector detector = OnSeed();
  const auto other = detector.Adapt(Picture(Photo()));
  ASSERT_TRUE(other);
  Judgement judgement(detector, Picture(testing::Astronaut().bgr.clone()), other);
  for (int time = 0; time < 2; ++time) {
    EXPECT_THROW(judgement.MakeMask(true, false), Error);
    EXPECT_THROW(judgement.Mask(), Error);
    EXPECT_THROW(judgement.Probability(8), Error);
  }
}

TEST(Judgement, ASmallerOneIsTheWholeOneMadeSmaller) {
  const Detector detector = OnSeed();
  Judgement whole = detector.Judge(Picture(Photo()));
  Judgement smaller = whole.Smaller({240, 160});
  smaller.MakeMask(true, false);
  cv::Mat expected;
  cv::resize(whole.Mask(), expected, {240, 160}, 0, 0, cv::INTER_NEAREST);
  EXPECT_TRUE(Same(smaller.Mask(), expected));
  EXPECT_ERROR(whole.Smaller({0, 0}), "size: of 0 x 0 has no pixels");
  EXPECT_ERROR(whole.Smaller({-3, 8}), "has no pixels");
}

// Planes are judged as they are stored, and turned then; B G R is made where it is looked at.
TEST(Judgement, OfPlanesConvertsWhatItMust) {
  Frame frame(Photo());
  const Detector detector(DefaultModel(), kOff);
  Judgement judgement = detector.Judge(frame.AsPicture());
  const FramePosterior& posterior = detector.posterior();
  EXPECT_TRUE(Same(judgement.Mask(), frame.stored.Upright(posterior.Mask(frame.stored))));
  EXPECT_TRUE(
      Same(judgement.Probability(), frame.stored.Upright(posterior.Probability(frame.stored))));
  EXPECT_EQ(judgement.Mask().size(), cv::Size(320, 480));
  EXPECT_EQ(judgement.judged_size(), cv::Size(480, 320));
  EXPECT_EQ(frame.converted, 0);
  Draw(Output::kOverlay, judgement);
  Draw(Output::kCutout, judgement);
  EXPECT_EQ(frame.converted, 1);
  DetectorOptions by_bgr = kOff;
  by_bgr.pixels = FramePosterior::Pixels::kBgr;
  const Detector of_bgr(DefaultModel(), by_bgr);
  EXPECT_TRUE(Same(of_bgr.Judge(frame.AsPicture()).Mask(),
                   DetectMask(of_bgr.posterior().posterior(), frame.stored.Bgr())));
}

}  // namespace
}  // namespace skinmask
