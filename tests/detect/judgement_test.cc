// What is asked of a picture, in whatever form it came and in whatever order: the same bytes; and
// the table of what is made of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <opencv2/imgproc.hpp>
#include <set>
#include <string>

#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/detect/detector.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/media/image.h"
#include "skinmask/model/model.h"
#include "support/colors.h"
#include "support/files.h"
#include "support/pictures.h"
#include "support/scenes.h"

namespace skinmask {
namespace {

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

const DetectorOptions kOff{.adapt = DetectorOptions::Adapt::kOff};

Detector OnSeed() {
  DetectorOptions options;
  options.seed_rect = cv::Rect(180, 60, 60, 60);
  return Detector(DefaultModel(), options);
}

cv::Mat Photo() { return testing::Astronaut().bgr(cv::Rect(0, 0, 480, 320)).clone(); }

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

// Planes are judged as they are stored, and turned then; B G R is made where it is looked at.
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
