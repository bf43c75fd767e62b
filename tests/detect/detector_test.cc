#include "skinmask/detect/detector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>
#include <set>
#include <string>

#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/media/image.h"
#include "skinmask/model/model.h"
#include "support/colors.h"
#include "support/detectors.h"
#include "support/files.h"
#include "support/scenes.h"

namespace skinmask {
namespace {

using testing::OnSeed;
using testing::Photo;
using testing::Same;

// Colours that lie on a line are nowhere far from those of a face.
TEST(Detector, FitsGreyAndDarkPhotographsToTheirFaces) {
  cv::Mat grey, photo = ReadImage(testing::SamplesFolder() / "photos/astronaut.png");
  const cv::Mat truth = ReadImage(testing::SamplesFolder() / "masks/astronaut.png");
  cv::cvtColor(photo, grey, cv::COLOR_BGR2GRAY);
  cv::cvtColor(grey, grey, cv::COLOR_GRAY2BGR);
  cv::Mat skin;
  cv::extractChannel(truth, skin, 0);
  for (const cv::Mat& bgr : {grey, cv::Mat(photo * 0.25)}) {
    const Detector detector{DefaultModel()};
    Judgement judgement = detector.Judge(bgr);
    EXPECT_EQ(judgement.summary().by, AdaptationSummary::By::kSeeds);
    const double found = cv::countNonZero(judgement.Mask() & skin);
    EXPECT_GT(found / cv::countNonZero(skin), 0.5);
  }
}

TEST(Detector, TakesCostsAsItTakesThresholds) {
  const cv::Mat bgr = Photo();
  DetectorOptions off;
  off.adapt = DetectorOptions::Adapt::kOff;
  DetectorOptions costs = off;
  costs.class_costs = {0, 50, 1, 0};
  const Detector plain(DefaultModel(), off), dear(DefaultModel(), costs);
  const cv::Mat classes = plain.Judge(bgr).Classes(), dear_classes = dear.Judge(bgr).Classes();
  EXPECT_FALSE(Same(classes, dear_classes));
  EXPECT_TRUE(Same(plain.With(costs).Judge(bgr).Classes(), dear_classes));
  EXPECT_TRUE(Same(dear.With(off).Judge(bgr).Classes(), classes));
}

TEST(Detector, TakesModelsThatAFileCouldHold) {
  EXPECT_ERROR(Detector{Model()}, "model: 0 classes (2 to 255)");
  Model model = DefaultModel();
  model.decision.threshold = std::nan("");
  EXPECT_ERROR(Detector(model, nullptr), "model: threshold nan");
  model = DefaultModel();
  model.classes[0].prior = std::nan("");
  EXPECT_ERROR(Detector{model}, "prior nan");
}

// What was adapted to holds on under another threshold and another prior.
TEST(Detector, MovesWithoutAdaptingAnew) {
  const cv::Mat bgr = Photo();
  const Detector before = OnSeed();
  Judgement own = before.Judge(bgr);
  DetectorOptions options = before.options();
  options.threshold = 0.2;
  const Detector lower = before.With(options);
  EXPECT_EQ(lower.adapter(), before.adapter());
  EXPECT_TRUE(Same(lower.Judge(bgr).Mask(), MaskOf(own.LogOdds(), 0.2)));
  options.prior = 0.7;
  const Detector moved = lower.With(options);
  EXPECT_EQ(moved.adapter(), before.adapter());
  const double shift = Logit(0.7) - Logit(before.model().positive().prior);
  const cv::Mat z = own.LogOdds() + cv::Scalar(shift);
  Judgement of_moved = moved.Judge(bgr);
  of_moved.MakeMask(true, false);
  EXPECT_TRUE(Same(of_moved.Mask(), MaskOf(z, 0.2)));
  EXPECT_TRUE(Same(of_moved.Probability(), ProbabilityOf(z)));
  options = before.options();
  EXPECT_TRUE(Same(moved.With(options).Judge(bgr).Mask(), own.Mask()));
  options.prior = 1.5;
  EXPECT_THROW(before.With(options), Error);
  // What adapts stays, and is told.
  DetectorOptions threshold;
  threshold.threshold = 0.2;
  const DetectorOptions told = before.With(threshold).options();
  EXPECT_EQ(told.seed_rect, before.options().seed_rect);
  EXPECT_EQ(told.threshold, 0.2);
}

// The prior of a calibrated model is that of its calibration's data. To ask for it changes nothing,
// and another one shifts all log-odds alike, whether the adaptation was made with it or before.
TEST(Detector, PriorsOfACalibratedModelShiftAllAlike) {
  Model model = DefaultModel();
  model.adapted_calibration = {};
  model.calibration = {0.6, 0.4, "other data", 0.4};
  ASSERT_NE(model.positive().prior, 0.4);
  const cv::Mat bgr = Photo();
  DetectorOptions options;
  options.seed_rect = cv::Rect(180, 60, 60, 60);
  const Detector plain(model, options);
  Judgement own = plain.Judge(bgr);
  for (const double prior : {0.4, 0.1}) {
    DetectorOptions asked = options;
    asked.prior = prior;
    const cv::Mat z = own.LogOdds() + cv::Scalar(Logit(prior) - Logit(0.4));
    for (const Detector& detector :
         {Detector(model, asked), plain.With(asked), Detector(model, plain.adapter(), asked)}) {
      Judgement judgement = detector.Judge(bgr);
      EXPECT_LT(cv::norm(judgement.LogOdds(), z, cv::NORM_INF), 1e-3) << prior;
    }
  }
}

// Tables of all colours, or each colour as it comes.
TEST(Detector, SaysTheSameWhateverIsExpected) {
  const cv::Mat bgr = Photo();
  const Detector many(testing::TrainedOfKind(Kind::kHistogram, "BGR", {"R"}),
                      {.adapt = DetectorOptions::Adapt::kOff});
  DetectorOptions options = many.options();
  options.expected.expected_pixels = 0;
  const Detector few = many.With(options);
  Judgement of_many = many.Judge(bgr), of_few = few.Judge(bgr);
  EXPECT_TRUE(Same(of_few.Uncertainty(), of_many.Uncertainty()));
  EXPECT_GT(cv::countNonZero(of_many.Uncertainty()), 0);
  EXPECT_TRUE(Same(of_few.Mask(), of_many.Mask()));
  EXPECT_TRUE(Same(of_few.Probability(), of_many.Probability()));
}

TEST(Detector, FindersAreCalledAsTheTableSays) {
  std::set<std::string_view> names;
  for (const FaceFinder& finder : FaceFinders()) {
    EXPECT_TRUE(names.insert(finder.name).second);
    if (!finder.takes_file) {
      EXPECT_EQ(finder.make({})->name(), finder.name);
    }
  }
  EXPECT_EQ(Detector(DefaultModel()).adapter()->finder_names(), FaceFinders()[0].name);
}

// The frames of a stream are those that its tracker saw.
TEST(Stream, IsADetectorWithATracker) {
  const Detector detector(DefaultModel());
  Stream stream(detector);
  StreamAdapter tracker(detector.adapter());
  for (int i = 0; i < 4; ++i) {
    const cv::Mat bgr = testing::Window(testing::Astronaut(), i).bgr;
    const auto adaptation = tracker.Follow(bgr);
    ASSERT_TRUE(adaptation);
    Judgement judgement = stream.Judge(bgr);
    EXPECT_EQ(judgement.summary(), adaptation->summary);
    EXPECT_TRUE(Same(judgement.LogOdds(), detector.adapter()->LogOdds(bgr, *adaptation)));
  }
}

}  // namespace
}  // namespace skinmask
