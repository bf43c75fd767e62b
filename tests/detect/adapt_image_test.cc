// The adaptation of images without a face: their light, and what of them is skin.
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "detect/adapt/image_decision.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/detect/detector.h"
#include "support/light.h"
#include "support/scenes.h"

namespace skinmask {
namespace {

using testing::Darker;
using testing::DarkTorso;
using testing::F1;
using testing::Hand;
using testing::RoundHand;
using testing::Same;
using testing::Toned;
using testing::Under;
using testing::Wood;

cv::Mat TruthOfHand() {
  cv::Mat truth(240, 320, CV_8UC1, cv::Scalar(0));
  cv::circle(truth, {160, 120}, 70, 255, cv::FILLED);
  return truth;
}

// A hand before a wall, and a band of colours between theirs.
cv::Mat HandAndBand(int height) {
  cv::Mat bgr = Hand(3), band(height, bgr.cols, CV_8UC3);
  const cv::Vec3d skin(125, 150, 205), wall(235, 240, 225);
  for (int x = 0; x < band.cols; ++x)
    band.col(x).setTo(cv::Vec3b(skin + x / (band.cols - 1.) * (wall - skin)));
  band.copyTo(bgr.rowRange(0, height));
  return bgr;
}

// The same picture in less light has the same skin, by every way to ask for it; the trained model
// alone does not see it.
TEST(Exposure, AHandInLittleLightIsTheHandInMore) {
  const Model model = DefaultModel();
  const Detector detector(model);
  const cv::Mat hand = Hand(2), as_it_is = detector.Judge(hand).Mask().clone();
  ASSERT_GT(F1(as_it_is, TruthOfHand()), 0.97);
  for (const double darker : {1., 2., 3.}) {
    const cv::Mat dark = Darker(hand, darker);
    Judgement judgement = detector.Judge(dark);
    EXPECT_NEAR(judgement.summary().stops, darker, 0.3);
    EXPECT_GT(F1(judgement.Mask(), as_it_is), 0.97) << darker;
    EXPECT_EQ(
        cv::countNonZero(judgement.Mask() != MaskOf(judgement.LogOdds(), detector.threshold())), 0);
    EXPECT_EQ(cv::countNonZero(judgement.Probability(8) != ProbabilityOf(judgement.LogOdds())), 0);
  }
}

// In the light of shade, which the model alone does not know, a hand before a plain wall stands
// apart as it does in the usual light, where the usual light shows no skin.
TEST(CoolLight, ShowsTheHandThatTheUsualLightDoesNot) {
  const Model model = DefaultModel();
  DetectorOptions usual_only, global;
  usual_only.adaptation.image.max_unsure_cool = 0;
  global.adapt = DetectorOptions::Adapt::kOff;
  const Detector detector(model), in_usual_light(model, usual_only), unadapted(model, global);
  const cv::Mat truth = TruthOfHand(), shade = Under(RoundHand(), {1.3, 1, 0.55});
  Judgement judgement = detector.Judge(shade);
  EXPECT_TRUE(judgement.summary().cool);
  EXPECT_GT(F1(judgement.Mask(), truth), 0.97);
  EXPECT_EQ(cv::countNonZero(judgement.Mask() != MaskOf(judgement.LogOdds(), detector.threshold())),
            0);
  Judgement usual = in_usual_light.Judge(shade);
  EXPECT_FALSE(usual.summary().cool);
  EXPECT_LT(F1(usual.Mask(), truth), 0.5);
  EXPECT_LT(F1(unadapted.Judge(shade).Mask(), truth), 0.5);
  Stream stream(detector);
  for (int frame = 0; frame < 3; ++frame)
    EXPECT_GT(F1(stream.Judge(shade).Mask(), truth), 0.97) << frame;
  // In daylight nothing is gained by assuming shade.
  Judgement daylight = detector.Judge(Hand(3));
  EXPECT_FALSE(daylight.summary().cool);
  EXPECT_GT(F1(daylight.Mask(), truth), 0.97);
}

// Dark skin close up is much darker than the white that sets the exposure.
TEST(DarkSkinCloseUp, IsFoundInMoreLight) {
  const Model model = DefaultModel();
  DetectorOptions usual_only;
  usual_only.adaptation.image.max_unsure_dark = 0;
  const Detector detector(model), in_usual_light(model, usual_only);
  const cv::Mat torso = DarkTorso();
  cv::Mat truth(torso.size(), CV_8UC1, cv::Scalar(0));
  truth(cv::Rect(31, 41, 259, 179)).setTo(255);
  Judgement judgement = detector.Judge(torso), usual = in_usual_light.Judge(torso);
  EXPECT_GT(F1(judgement.Mask(), truth), 0.95);
  EXPECT_LT(F1(usual.Mask(), truth), 0.6);
  EXPECT_NEAR(judgement.summary().stops - usual.summary().stops,
              std::log2(usual_only.adaptation.image.dark_gain), 1e-9);
  EXPECT_EQ(cv::countNonZero(judgement.Mask() != MaskOf(judgement.LogOdds(), detector.threshold())),
            0);
  Stream stream(detector);
  for (int frame = 0; frame < 3; ++frame)
    EXPECT_GT(F1(stream.Judge(torso).Mask(), truth), 0.95) << frame;
  // Less of it, in the corner of a larger image, is a wooden door as likely.
  cv::Mat far(480, 640, CV_8UC3, cv::Scalar(110, 95, 85));
  torso.copyTo(far(cv::Rect({}, torso.size())));
  EXPECT_EQ(detector.Judge(far).summary(), in_usual_light.Judge(far).summary());
}

TEST(UnclearImages, AreEmpty) {
  const Model model = DefaultModel();
  DetectorOptions any;
  any.adaptation.image.max_unsure = 1e6;
  const cv::Mat wood = Wood({100, 120, 150});
  const Detector detector(model), keeping(model, any);
  Judgement judgement = detector.Judge(wood), with_any = keeping.Judge(wood);
  ASSERT_GT(cv::countNonZero(with_any.Mask()), 0.05 * static_cast<double>(wood.total()));
  EXPECT_TRUE(judgement.summary().unclear);
  EXPECT_FALSE(with_any.summary().unclear);
  EXPECT_EQ(cv::countNonZero(judgement.Mask()), 0);
  // Grain of a large image is averaged in the small one, and comes back in the mask.
  cv::Mat large, grain(1440, 1920, CV_16SC3);
  cv::resize(wood, large, grain.size(), 0, 0, cv::INTER_NEAREST);
  cv::RNG(3).fill(grain, cv::RNG::NORMAL, 0, 6);
  cv::add(large, grain, large, cv::noArray(), CV_8U);
  Judgement of_large = detector.Judge(large);
  EXPECT_TRUE(of_large.summary().unclear);
  EXPECT_LT(cv::countNonZero(of_large.Mask()), 0.002 * static_cast<double>(large.total()));
}

TEST(AnySkin, IsHigherWhereAPartStandsApart) {
  const auto any_skin = [](const cv::Mat& bgr, const DetectorOptions& options = {}) {
    return Detector(DefaultModel(), options).Judge(bgr).summary().any_skin;
  };
  const cv::Mat hand = testing::RoundHand();
  cv::Mat blue(200, 200, CV_8UC3, cv::Scalar(180, 120, 60));
  EXPECT_LT(any_skin(blue).value(), 0.1);
  EXPECT_GT(any_skin(hand).value(), 0.9);
  EXPECT_GT(any_skin(testing::Astronaut().bgr).value(), 0.99);  // with a face
  DetectorOptions seeded, off, face;
  seeded.seed_rect = cv::Rect(80, 80, 40, 40);
  EXPECT_EQ(any_skin(hand, seeded), 1);
  seeded.insist = true;  // with faces, too
  const Detector detector(DefaultModel(), seeded);
  const cv::Mat astronaut = testing::Astronaut().bgr;
  Judgement both = detector.Judge(astronaut);
  EXPECT_EQ(both.summary().faces, 1u);
  EXPECT_EQ(both.summary().any_skin, 1);
  face.adaptation.image.require_face = true;
  EXPECT_EQ(any_skin(hand, face), std::nullopt);
  const Detector plain(DefaultModel(), nullptr);
  EXPECT_EQ(plain.Judge(hand).summary().any_skin, std::nullopt);
}

// As Detector(DefaultModel(), options) is, but that each picture is searched for faces once.
Detector QuickDetector(const DetectorOptions& options) {
  const Model model = DefaultModel();
  std::vector<std::unique_ptr<SeedFinder>> finders;
  finders.push_back(testing::QuickFaces(options.hog));
  return Detector(model,
                  std::make_shared<const Adapter>(model, model.decision.threshold,
                                                  std::move(finders), options.adaptation),
                  options);
}

// The value of an option, between `low` and `high`, from which on `is` holds for the summary.
template <class Is>
double BoundOf(const cv::Mat& bgr, double ImageDecisionOptions::*option, double low, double high,
               const Is& is) {
  while (high > 1.01 * low) {
    DetectorOptions options;
    options.adaptation.image.*option = std::sqrt(low * high);
    const bool holds = is(QuickDetector(options).Judge(bgr).summary());
    (holds ? high : low) = options.adaptation.image.*option;
  }
  return low;
}

// The unsure pixels for each pixel of skin.
double UnsureIn(const cv::Mat& bgr) {
  return BoundOf(bgr, &ImageDecisionOptions::max_unsure, 0.01, 100,
                 [](const AdaptationSummary& summary) { return !summary.unclear; });
}

// The picture, moved to the left and back every four frames, so that frames are looked at.
cv::Mat Shaken(const cv::Mat& bgr, int frame) {
  constexpr int kBy = 8;
  cv::Mat moved = bgr.clone();
  if (frame / 4 % 2 == 0) cv::hconcat(bgr.colRange(kBy, bgr.cols), bgr.colRange(0, kBy), moved);
  return moved;
}

// Two pictures that differ little, on both sides of the bound: in a stream the second is judged as
// the first, so that a mask does not go and come with noise.
TEST(UnclearImages, OfAStreamStayAsTheyBegan) {
  const cv::Mat one = Wood({96, 120, 148}), other = Wood({104, 120, 149});
  ASSERT_GT(cv::norm(one, other, cv::NORM_L1) / static_cast<double>(3 * one.total()), 1);
  const double unsure = UnsureIn(one), less = UnsureIn(other);
  ASSERT_LT(1.05 * less, unsure);
  ASSERT_LT(unsure, 2 * less);
  DetectorOptions options;
  options.adaptation.image.max_unsure = std::sqrt(unsure * less);
  const Detector detector = QuickDetector(options);
  EXPECT_TRUE(detector.Judge(one).summary().unclear);
  EXPECT_FALSE(detector.Judge(other).summary().unclear);
  for (const bool begins_unclear : {false, true}) {
    Stream stream(detector);
    for (int frame = 0; frame < 16; ++frame) {
      const bool first = frame / 4 % 2 == 0;
      EXPECT_EQ(stream.Judge(first == begins_unclear ? one : other).summary().unclear,
                begins_unclear)
          << frame;
    }
    // A first frame that differs from all others does not decide for long.
    Stream other_begins(detector);
    other_begins.Judge(begins_unclear ? other : one);
    bool is_unclear = !begins_unclear;
    for (int frame = 0; frame < 16; ++frame)
      is_unclear =
          other_begins.Judge(Shaken(begins_unclear ? one : other, frame)).summary().unclear;
    EXPECT_EQ(is_unclear, begins_unclear);
  }
}

// Skin that is seen after unclear frames is seen at once: they were not without skin, but unclear.
TEST(UnclearImages, AreNoPastOfAStream) {
  const cv::Mat one = Wood({96, 120, 148}), other = Wood({104, 120, 149});
  DetectorOptions steady, single;
  steady.adaptation.image.max_unsure = std::sqrt(UnsureIn(one) * UnsureIn(other));
  single = steady;
  single.adaptation.steady = 0;
  Stream stream(QuickDetector(steady)), without(QuickDetector(single));
  bool is_unclear = true;
  for (int frame = 0; frame < 40 && is_unclear; ++frame) {
    const cv::Mat bgr = frame == 0 ? one : Shaken(other, frame);
    Judgement judgement = stream.Judge(bgr);
    is_unclear = judgement.summary().unclear;
    EXPECT_TRUE(Same(judgement.Mask(), without.Judge(bgr).Mask())) << frame;
    EXPECT_EQ(cv::countNonZero(judgement.Mask()) == 0, is_unclear) << frame;
  }
  EXPECT_FALSE(is_unclear);
}

// The same of two pictures of which one has a valley in its histogram.
TEST(Valleys, OfAStreamStayAsTheyBegan) {
  constexpr double kWithout = 0.613;  // where a picture without a valley is divided
  const auto height = [](const cv::Mat& bgr) {
    return BoundOf(bgr, &ImageDecisionOptions::max_valley, 0.01, 1,
                   [](const AdaptationSummary& summary) {
                     return summary.shift != ImageDecisionOptions().sure_log_odds;
                   });
  };
  const cv::Mat flat = HandAndBand(70), deep = HandAndBand(50);
  const double high = height(flat), low = height(deep);
  ASSERT_LT(1.05 * low, high);
  DetectorOptions options;
  options.adaptation.image.max_valley = std::sqrt(low * high);
  options.adaptation.image.sure_log_odds = kWithout;
  const Detector detector = QuickDetector(options);
  const auto has_valley = [&](Judgement judgement) {
    return judgement.summary().shift != kWithout;
  };
  EXPECT_FALSE(has_valley(detector.Judge(flat)));
  EXPECT_TRUE(has_valley(detector.Judge(deep)));
  for (const bool begins_deep : {false, true}) {
    Stream stream(detector);
    for (int frame = 0; frame < 16; ++frame) {
      const bool first = frame / 4 % 2 == 0;
      EXPECT_EQ(has_valley(stream.Judge(first == begins_deep ? deep : flat)), begins_deep) << frame;
    }
    Stream other_begins(detector);
    other_begins.Judge(begins_deep ? flat : deep);
    bool is_deep = !begins_deep;
    for (int frame = 0; frame < 16; ++frame)
      is_deep = has_valley(other_begins.Judge(Shaken(begins_deep ? deep : flat, frame)));
    EXPECT_EQ(is_deep, begins_deep);
  }
}

// The least share of a photograph's colours, in a toned picture, that is not monochrome.
double ShareAtTheBound(const cv::Mat& photo, bool was_monochrome) {
  const cv::Mat toned = Toned(photo, 0.2);
  for (double share = 0;; share += 0.01) {
    cv::Mat mixed;
    cv::addWeighted(photo, share, toned, 1 - share, 0, mixed);
    if (!IsMonochrome(mixed, {}, was_monochrome)) return share;
  }
}

// What lies between the bounds for a first and for a next frame stays what the scene began with, so
// noise does not turn all of a mask on and off.
TEST(Monochrome, OfAStreamStaysAsItBegan) {
  const cv::Mat photo = Darker(testing::Astronaut().bgr, 1);
  const double first = ShareAtTheBound(photo, false), next = ShareAtTheBound(photo, true);
  ASSERT_LT(first + 0.01, next);
  const auto frame = [&](double share) {
    cv::Mat mixed;
    cv::addWeighted(photo, share, Toned(photo, 0.2), 1 - share, 0, mixed);
    return mixed;
  };
  const cv::Mat toned = frame(0), between = frame((first + next) / 2);
  const Detector detector(DefaultModel());
  Stream stream(detector);
  EXPECT_FALSE(stream.Judge(between).summary().monochrome);
  EXPECT_TRUE(stream.Judge(toned).summary().monochrome);
  EXPECT_TRUE(stream.Judge(between).summary().monochrome);
  EXPECT_FALSE(stream.Judge(photo).summary().monochrome);
  EXPECT_FALSE(stream.Judge(between).summary().monochrome);
}

// Hue tells nothing there, so it changes nothing: the answers are those of the grey picture, with a
// seed and without, in a photograph and in a stream.
TEST(Monochrome, AnswersAreThoseOfTheGreyPicture) {
  const Model model = DefaultModel();
  for (const bool seeded : {false, true}) {
    // No channel of the toned picture is full, so its grey is that of the grey one.
    const cv::Mat photo =
        Darker(testing::Astronaut().bgr, 1)(cv::Rect(0, seeded ? 0 : 256, 512, 256));
    const cv::Mat grey = Toned(photo, 0), sepia = Toned(photo, 0.2);
    DetectorOptions options;
    if (seeded) options.seed_rect = cv::Rect(190, 80, 70, 90);
    const Detector detector(model, options);
    Judgement of_sepia = detector.Judge(sepia), of_grey = detector.Judge(grey);
    EXPECT_TRUE(of_sepia.summary().monochrome);
    EXPECT_EQ(of_sepia.summary(), of_grey.summary());
    EXPECT_EQ(cv::norm(of_sepia.LogOdds(), of_grey.LogOdds(), cv::NORM_INF), 0);
    EXPECT_EQ(cv::countNonZero(of_sepia.Mask()) > 0, seeded);
    Stream sepias(detector), greys(detector);
    for (int frame = 0; frame < 3; ++frame)
      EXPECT_EQ(cv::norm(sepias.Judge(sepia).LogOdds(), greys.Judge(grey).LogOdds(), cv::NORM_INF),
                0);
  }
}

// Hands are no faces: with either way of adapting, in a picture and in a stream, from any threshold
// above 0. What is seeded is found as ever.
TEST(RequireFace, LeavesAnImageWithoutOneEmpty) {
  const Model model = DefaultModel();
  const cv::Mat hand = Hand(2);
  for (const auto adapt : {DetectorOptions::Adapt::kAuto, DetectorOptions::Adapt::kFaces}) {
    DetectorOptions options;
    options.adapt = adapt;
    options.threshold = 1e-6;
    options.adaptation.image.require_face = true;
    const Detector detector(model, options);
    Judgement judgement = detector.Judge(hand);
    EXPECT_EQ(judgement.summary().by, AdaptationSummary::By::kNobody);
    EXPECT_EQ(cv::countNonZero(judgement.Mask()), 0);
    EXPECT_EQ(cv::countNonZero(judgement.Probability(16)), 0);
    Stream stream(detector);
    for (int frame = 0; frame < 2; ++frame)
      EXPECT_EQ(cv::countNonZero(stream.Judge(hand).Mask()), 0) << frame;
  }
  DetectorOptions off;
  off.adapt = DetectorOptions::Adapt::kOff;
  off.adaptation.image.require_face = true;
  EXPECT_ERROR(Detector(model, off), "is of adapted images, and `adapt` is off");
  DetectorOptions seeded, required;
  seeded.seed_rect = required.seed_rect = cv::Rect(130, 90, 60, 60);
  required.adaptation.image.require_face = true;
  const cv::Mat mask = Detector(model, seeded).Judge(hand).Mask();
  EXPECT_GT(cv::countNonZero(mask), 0);
  EXPECT_EQ(cv::countNonZero(mask != Detector(model, required).Judge(hand).Mask()), 0);
}

// A hand and specks of its colour, of the model's own way, of a divided image and of a dark one.
TEST(SmallParts, AreNoSkinWhereNoFaceIs) {
  for (const bool dark : {false, true})
    for (const int cell : {1, 4}) {
      cv::Mat bgr = Hand(2);
      cv::resize(bgr, bgr, {}, cell, cell, cv::INTER_NEAREST);
      const cv::Rect speck(10 * cell, 20 * cell, 9 * cell, 9 * cell);
      bgr(speck).setTo(cv::Scalar(125, 150, 205));
      if (dark) bgr = Darker(bgr, 1.5);
      DetectorOptions keeps;
      keeps.adaptation.image.min_component = 0;
      const Detector detector = QuickDetector({}), keeping = QuickDetector(keeps);
      Judgement cleared = detector.Judge(bgr), kept = keeping.Judge(bgr);
      EXPECT_EQ(cv::countNonZero(kept.Mask()(speck)), speck.area());
      EXPECT_EQ(cv::countNonZero(cleared.Mask()(speck)), 0);
      const double still_there = kept.LogOdds().at<float>(speck.y + speck.height / 2, speck.x + 4);
      EXPECT_GT(still_there, cleared.LogOdds().at<float>(speck.y + speck.height / 2, speck.x + 4));
      // All else is as it was.
      cv::Mat others = kept.Mask().clone();
      others(speck).setTo(0);
      EXPECT_EQ(cv::countNonZero(others != cleared.Mask()), 0);
      EXPECT_EQ(cv::countNonZero(cleared.Mask() != MaskOf(cleared.LogOdds(), detector.threshold())),
                0);
    }
}

}  // namespace
}  // namespace skinmask
