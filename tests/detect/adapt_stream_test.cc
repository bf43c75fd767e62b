#include "skinmask/detect/adapt_stream.h"

#include <pthread.h>

#include <algorithm>
#include <iostream>
#include <opencv2/imgproc.hpp>
#include <system_error>
#include <thread>
#include <vector>

#include "skinmask/base/error.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/media/image.h"
#include "support/files.h"
#include "support/pictures.h"
#include "support/scenes.h"
#include "support/world.h"

namespace skinmask {
namespace {

using testing::AdapterOf;
using testing::Astronaut;
using testing::F1;
using testing::Hopper;
using testing::LogOddsOf;
using testing::Noisy;
using testing::QuickFaces;
using testing::Same;
using testing::Scene;
using testing::ScoredStream;
using testing::Window;

cv::Mat Lit(const cv::Mat& bgr, double gain, const cv::Scalar& tint = {1, 1, 1}) {
  cv::Mat lit;
  cv::multiply(bgr, tint * gain, lit);
  return lit;
}

cv::Mat MaskFrom(const cv::Mat& z, const cv::Mat& bgr) {
  if (z.empty()) return cv::Mat::zeros(bgr.size(), CV_8UC1);
  return MaskOf(z, DefaultModel().decision.threshold);
}

// The same of what was adapted to, or not.
cv::Mat MaskBy(const Adapter& adapter, const Adaptation* adaptation, const cv::Mat& bgr) {
  static const double threshold = DefaultModel().decision.threshold;
  if (!adaptation) return cv::Mat::zeros(bgr.size(), CV_8UC1);
  return adapter.Mask(bgr, *adaptation, threshold);
}

// The share of the skin that changes from one mask to the next.
double Change(const cv::Mat& before, const cv::Mat& after) {
  return cv::countNonZero(before != after) / static_cast<double>(cv::countNonZero(after));
}

TEST(AdaptStream, TheFirstFrameIsAdaptedLikeAPhotograph) {
  const Scene scene = Astronaut();
  const auto adapter = AdapterOf(QuickFaces());
  ScoredStream stream(adapter);
  EXPECT_TRUE(Same(stream.LogOdds(scene.bgr), LogOddsOf(*adapter, scene.bgr)));
}

TEST(AdaptStream, AStillPictureStaysAsItIs) {
  const Scene scene = Astronaut();
  for (const int lag : {0, 3}) {
    ScoredStream stream(AdapterOf(QuickFaces()), {8, lag});
    for (int i = 0; i < 10; ++i) stream.Follow(Window(scene, i).bgr);
    const cv::Mat frozen = Window(scene, 10).bgr;
    for (int i = 0; i < 11; ++i) stream.Follow(frozen);  // one search sees it
    const cv::Mat settled = stream.LogOdds(frozen);
    ASSERT_FALSE(settled.empty());
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(Same(stream.LogOdds(frozen), settled)) << i;
  }
}

TEST(AdaptStream, AVideoOfAPictureIsStillAfterTenFrames) {
  for (const cv::Mat& picture : {Astronaut().bgr, Hopper().bgr(cv::Rect(0, 300, 400, 200)).clone()})
    for (const int lag : {0, 3}) {
      StreamAdapter stream(AdapterOf(QuickFaces(), true), {4, lag});
      std::shared_ptr<const Adaptation> settled;
      for (int i = 0; i < 10; ++i) settled = stream.Follow(picture);
      for (int i = 0; i < 40; ++i) EXPECT_EQ(stream.Follow(picture), settled) << lag << " " << i;
    }
}

// Nothing is left of what was seen before, nor of the time before the search had ended.
TEST(AdaptStream, AStillPictureIsJudgedAsAPhotograph) {
  const cv::Mat picture = Astronaut().bgr;
  cv::Mat covered = picture.clone();
  covered(cv::Rect(165, 50, 125, 130)) = cv::Scalar::all(90);
  const auto adapter = AdapterOf(QuickFaces(), true);
  const cv::Mat alone = adapter->LogOdds(picture, *adapter->Adapt(picture));
  for (const int covered_frames : {0, 8})
    for (const int lag : {0, 1, 2, 3}) {
      StreamAdapter stream(adapter, {4, lag});
      for (int i = 0; i < covered_frames; ++i) stream.Follow(covered);
      std::shared_ptr<const Adaptation> settled;
      for (int i = 0; i < 20; ++i) settled = stream.Follow(picture);
      ASSERT_TRUE(settled);
      EXPECT_TRUE(Same(adapter->LogOdds(picture, *settled), alone)) << covered_frames << " " << lag;
    }
}

// Both models judge the same frame, so that its own noise does not count.
TEST(AdaptStream, FramesMayBeSeenLongBeforeTheyAreLearntFrom) {
  const Scene scene = Astronaut();
  const cv::Mat other = Hopper().bgr, wall = Hopper().bgr(cv::Rect(0, 300, 400, 200));
  std::vector<cv::Mat> frames;
  for (int i = 0; i < 8; ++i) frames.push_back(Window(scene, 4 * i).bgr);
  for (int i = 0; i < 8; ++i) frames.push_back(Lit(other, 1 - .05 * i));
  for (int i = 0; i < 3; ++i) frames.push_back(wall);
  for (int i = 0; i < 6; ++i)
    frames.push_back(Noisy(Window(scene, i).bgr, static_cast<std::uint64_t>(i)));
  const auto adapter = AdapterOf(QuickFaces(), true);
  StreamAdapter usual(adapter), ahead(adapter);
  std::vector<std::shared_ptr<const StreamAdapter::Observation>> observations;
  std::thread([&] {
    for (const cv::Mat& frame : frames) observations.push_back(ahead.Observe(frame));
  }).join();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto expected = usual.Follow(frames[i]), adaptation = ahead.AdaptTo(*observations[i]);
    ASSERT_EQ(adaptation != nullptr, expected != nullptr) << i;
    if (!expected) continue;
    EXPECT_TRUE(
        Same(adapter->LogOdds(frames[i], *adaptation), adapter->LogOdds(frames[i], *expected)))
        << i;
  }
}

TEST(AdaptStream, NoiseMovesTheModelLessThanWhereEveryFrameIsAdaptedToAlone) {
  const Scene scene = Window(Astronaut(), 0);
  const auto adapter = AdapterOf(QuickFaces());
  StreamAdapter stream(adapter);
  std::shared_ptr<const Adaptation> before;
  std::optional<Adaptation> before_alone;
  double carried = 0, alone = 0, last_f1 = 0, last_f1_alone = 0;
  constexpr int kChanges = 16;
  for (int i = 0; i <= kChanges; ++i) {
    const cv::Mat bgr = Noisy(scene.bgr, 100 + static_cast<std::uint64_t>(i));
    const auto mask = [&](const Adaptation& a) { return MaskBy(*adapter, &a, bgr); };
    const auto now = stream.Follow(bgr);
    const auto now_alone = adapter->Adapt(bgr);
    ASSERT_TRUE(now && now_alone);
    const cv::Mat mask_now = mask(*now), mask_alone = mask(*now_alone);
    if (i > 0) {
      carried += Change(mask(*before), mask_now) / kChanges;
      alone += Change(mask(*before_alone), mask_alone) / kChanges;
    }
    before = now;
    before_alone = now_alone;
    last_f1 = F1(mask_now, scene.truth);
    last_f1_alone = F1(mask_alone, scene.truth);
  }
  std::cout << "the model moves " << carried << " of the mask, alone " << alone << "\n";
  EXPECT_LT(carried, 0.75 * alone);
  EXPECT_LT(carried, 0.015);
  EXPECT_GT(last_f1, last_f1_alone - 0.03);
}

TEST(AdaptStream, FollowsACameraThatMoves) {
  const Scene scene = Astronaut();
  const auto adapter = AdapterOf(QuickFaces());
  StreamAdapter stream(adapter, {8, 3});
  for (int i = 0; i < 60; ++i) {
    const Scene window = Window(scene, i);
    const auto adaptation = stream.Follow(window.bgr);
    ASSERT_EQ(adaptation == nullptr, i < 3) << i;
    // Against a search in this very frame, at every distance from the last one.
    if (i >= 3 && i % 5 == 0) {
      const auto alone = adapter->Adapt(window.bgr);
      ASSERT_TRUE(alone);
      EXPECT_GT(F1(MaskBy(*adapter, adaptation.get(), window.bgr), window.truth),
                F1(MaskBy(*adapter, &*alone, window.bgr), window.truth) - 0.08)
          << i;
    }
  }
}

TEST(AdaptStream, FollowsTheLight) {
  const Scene scene = Astronaut();
  const auto adapter = AdapterOf(QuickFaces());
  StreamAdapter stream(adapter, {8, 3});
  const double at_first = F1(MaskFrom(LogOddsOf(*adapter, scene.bgr), scene.bgr), scene.truth);
  // Dimmer by 1.5 % with each frame, and bluer.
  for (int i = 0; i < 48; ++i) {
    const cv::Mat bgr = Lit(scene.bgr, std::pow(0.985, i), {1 + i / 200., 1, 1 - i / 200.});
    const auto adaptation = stream.Follow(bgr);
    if (i >= 3) {
      EXPECT_GT(F1(MaskBy(*adapter, adaptation.get(), bgr), scene.truth), at_first - 0.1) << i;
    }
  }
}

TEST(AdaptStream, ACutLeavesTheOldModelAtOnce) {
  const Scene first = Astronaut(), second = Window(Hopper(), 0);
  const auto adapter = AdapterOf(QuickFaces());
  const double alone = F1(MaskFrom(LogOddsOf(*adapter, second.bgr), second.bgr), second.truth);
  for (const int lag : {0, 3}) {
    ScoredStream stream(adapter, {8, lag});
    // With a search under way at the cut.
    for (int i = 0; i < 9; ++i) stream.Follow(Window(first, i).bgr);
    for (int i = 0; i < 12; ++i) {
      const cv::Mat z = stream.LogOdds(second.bgr);
      EXPECT_EQ(z.empty(), i < 2 * lag - 1) << lag << " " << i;
      if (!z.empty()) {
        EXPECT_GT(F1(MaskFrom(z, second.bgr), second.truth), alone - 0.01) << i;
      }
    }
  }
}

// Each scene is as in a video of its own.
TEST(AdaptStream, NothingIsCarriedOverACut) {
  const auto adapter = AdapterOf(QuickFaces(), true);
  const cv::Mat scenes[] = {Window(Astronaut(), 0).bgr, Window(Hopper(), 0).bgr};
  for (const int first : {0, 1}) {
    const cv::Mat &before = scenes[first], &after = scenes[1 - first];
    ScoredStream joined(adapter), alone(adapter);
    for (int i = 0; i < 6; ++i) joined.Follow(Noisy(before, static_cast<std::uint64_t>(i)));
    for (int i = 0; i < 3; ++i) {
      const cv::Mat frame = Noisy(after, 10 + static_cast<std::uint64_t>(i));
      EXPECT_TRUE(Same(joined.LogOdds(frame), alone.LogOdds(frame))) << first << " " << i;
    }
  }
}

// A camera that turns, and a light that is switched on, are none: the face keeps its number.
TEST(AdaptStream, IsNotCutByATurnOrALight) {
  const Scene scene = Astronaut();
  StreamAdapter stream(AdapterOf(QuickFaces()));
  const auto numbers = [&](const cv::Mat& bgr) {
    const auto adaptation = stream.Follow(bgr);
    std::vector<std::int64_t> ids;
    if (adaptation)
      for (const Face& face : adaptation->faces) ids.push_back(face.id);
    return ids;
  };
  const std::vector<std::int64_t> first = numbers(Window(scene, 0).bgr);
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(numbers(Window(scene, 6).bgr), first);
  EXPECT_EQ(numbers(Lit(Window(scene, 6).bgr, 1.3)), first);
}

// A face that somebody holds a card before: its colours are remembered, and it comes back.
TEST(AdaptStream, RecoversAFaceThatWasLost) {
  const Scene scene = Window(Astronaut(), 0);
  const auto adapter = AdapterOf(QuickFaces());
  const auto face = adapter->Adapt(scene.bgr);
  ASSERT_TRUE(face && !face->faces.empty());
  cv::Mat hidden = scene.bgr.clone();
  hidden(face->faces[0].box).setTo(cv::Scalar(200, 40, 40));
  StreamAdapter stream(adapter);
  for (int i = 0; i < 6; ++i) stream.Follow(Noisy(scene.bgr, static_cast<std::uint64_t>(i)));
  std::shared_ptr<const Adaptation> now;
  for (int i = 0; i < 10; ++i) now = stream.Follow(Noisy(hidden, static_cast<std::uint64_t>(i)));
  ASSERT_TRUE(now);
  EXPECT_TRUE(now->summary.remembered && now->faces.empty());
  for (int i = 0; i < 5; ++i) now = stream.Follow(Noisy(scene.bgr, static_cast<std::uint64_t>(i)));
  ASSERT_TRUE(now);
  const double alone = F1(MaskFrom(LogOddsOf(*adapter, scene.bgr), scene.bgr), scene.truth);
  EXPECT_GT(F1(MaskFrom(adapter->LogOdds(scene.bgr, *now), scene.bgr), scene.truth), alone - 0.02);
}

// The camera turns down from a face to what its colours have taught. (Upside down, the photograph
// is as bright as before, and no face is found in it.)
TEST(AdaptStream, AFaceThatLeavesIsRemembered) {
  const Scene scene = Astronaut();
  Scene flipped;
  cv::flip(scene.bgr, flipped.bgr, 0);
  cv::flip(scene.truth, flipped.truth, 0);
  const auto adapter = AdapterOf(QuickFaces({.turned_pixels = 0}));
  const double alone = F1(DetectMask(Posterior(DefaultModel()), flipped.bgr), flipped.truth);
  std::vector<cv::Mat> frames;
  for (const cv::Mat& bgr : {scene.bgr, flipped.bgr})
    for (std::uint64_t i = 0; i < 16; ++i) frames.push_back(Noisy(bgr, i));
  for (const int lag : {0, 3}) {
    StreamAdapter stream(adapter, {4, lag});
    std::shared_ptr<const Adaptation> now;
    for (const cv::Mat& frame : frames) now = stream.Follow(frame);
    ASSERT_TRUE(now);
    EXPECT_TRUE(now->summary.remembered && now->faces.empty());
    EXPECT_LT(*now->summary.any_skin, 1);
    const cv::Mat mask = MaskFrom(adapter->LogOdds(flipped.bgr, *now), flipped.bgr);
    EXPECT_GT(F1(mask, flipped.truth), alone + 0.05) << lag;
  }
}

// Of two people, the one in the middle is not alone while the other's face is not to be seen.
TEST(AdaptStream, SomebodyWhoseFaceIsLostIsStillThere) {
  const cv::Mat one = Astronaut().bgr;
  cv::Mat both(one.rows, 3 * one.cols, CV_8UC3, cv::Scalar(90, 90, 90));
  one.copyTo(both.colRange(one.cols, 2 * one.cols));
  cv::flip(one, both.colRange(2 * one.cols, 3 * one.cols), 1);
  const auto adapter = AdapterOf(QuickFaces());
  const auto alone = adapter->Adapt(one);
  ASSERT_TRUE(alone && !alone->faces.empty());
  cv::Rect face = alone->faces[0].box;  // the mirrored one
  face.x = both.cols - face.br().x;
  StreamAdapter stream(adapter, {4, 0});
  std::shared_ptr<const Adaptation> now;
  const auto is_found = [&] {
    return now && std::ranges::any_of(now->faces, [&](const Face& f) {
             return f.box.contains((face.tl() + face.br()) / 2);
           });
  };
  const auto skin = [&](const cv::Mat& bgr) {
    return cv::countNonZero(MaskFrom(adapter->LogOdds(bgr, *now), bgr)(face));
  };
  for (int i = 0; i < 8; ++i) now = stream.Follow(Noisy(both, static_cast<std::uint64_t>(i)));
  ASSERT_TRUE(is_found());
  const int before = skin(both);
  cv::Mat blurred = both.clone();
  cv::blur(blurred(face), blurred(face), face.size() / 3);
  for (int i = 0; i < 24; ++i) now = stream.Follow(Noisy(blurred, static_cast<std::uint64_t>(i)));
  ASSERT_TRUE(now);
  EXPECT_FALSE(is_found());
  EXPECT_GT(skin(blurred), before / 2);
}

// When the body has left, too, its colours are not looked for any more.
TEST(AdaptStream, SomebodyWhoHasLeftIsForgotten) {
  const Scene scene = Astronaut();
  cv::Mat hidden = scene.bgr.clone();
  const auto adapter = AdapterOf(QuickFaces());
  StreamAdapter stream(adapter, {4, 0});
  const auto face = stream.Follow(scene.bgr);
  ASSERT_TRUE(face && !face->faces.empty());
  for (int i = 0; i < 12; ++i) stream.Follow(Noisy(scene.bgr, static_cast<std::uint64_t>(i)));
  hidden(face->faces[0].box).setTo(cv::Scalar(200, 40, 40));
  std::shared_ptr<const Adaptation> now;
  for (int i = 0; i < 12; ++i) now = stream.Follow(Noisy(hidden, static_cast<std::uint64_t>(i)));
  ASSERT_TRUE(now && now->summary.remembered);
  hidden.setTo(cv::Scalar(200, 40, 40), scene.truth);
  for (int i = 0; i < 12; ++i) now = stream.Follow(Noisy(hidden, static_cast<std::uint64_t>(i)));
  EXPECT_EQ(now, nullptr);
}

TEST(AdaptStream, ASceneWithoutAFaceSoonGetsTheGlobalModel) {
  const Scene scene = Astronaut();
  // As bright as the photograph on the average, so that only the face is missed.
  cv::Mat flipped;
  cv::flip(scene.bgr, flipped, 0);
  for (const int lag : {0, 3}) {
    StreamAdapter stream(AdapterOf(QuickFaces({.turned_pixels = 0})), {8, lag});
    // One search: too few for a face to be remembered.
    for (int i = 0; i < 7; ++i) stream.Follow(scene.bgr);
    for (int i = 0; i < 20; ++i) {
      const auto adaptation = stream.Follow(flipped);
      if (i >= 8) {
        EXPECT_FALSE(adaptation) << i;
      }
    }
  }
}

// The frame's own decision holds where no face is, and gives way to a face.
TEST(AdaptStream, FramesWithoutAFaceAreDividedWhereTheyDivide) {
  cv::Mat hidden(300, 400, CV_8UC3, cv::Scalar(150, 120, 100));
  cv::ellipse(hidden, {200, 150}, {80, 120}, 20, 0, 360, cv::Scalar(95, 120, 165), cv::FILLED);
  hidden = Noisy(hidden, 4);
  const auto adapter = AdapterOf(QuickFaces(), true);
  StreamAdapter stream(adapter, {8, 3});
  const auto first = stream.Follow(hidden);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->summary.by, AdaptationSummary::By::kImage);
  EXPECT_TRUE(Same(adapter->LogOdds(hidden, *first), LogOddsOf(*adapter, hidden)));
  for (int i = 0; i < 8; ++i)
    EXPECT_TRUE(
        Same(adapter->LogOdds(hidden, *stream.Follow(hidden)), adapter->LogOdds(hidden, *first)))
        << i;
  const auto noisy = stream.Follow(Noisy(hidden, 5));
  ASSERT_TRUE(noisy);
  EXPECT_NEAR(noisy->summary.shift, first->summary.shift, 0.3);
  std::shared_ptr<const Adaptation> last;
  const cv::Mat face = Astronaut().bgr;
  for (int i = 0; i < 12; ++i) last = stream.Follow(face);
  EXPECT_EQ(last->summary.by, AdaptationSummary::By::kSeeds);
}

// Finds the same seed in every picture.
class Always : public SeedFinder {
 public:
  explicit Always(const cv::Rect& box) : box_(box) {}
  std::string_view name() const override { return "always"; }
  std::vector<Seed> Find(const cv::Mat&) const override { return {{box_, std::nullopt, {}}}; }

 private:
  cv::Rect box_;
};

// A seed that is too small to tell colours by, found again and again in a still picture.
TEST(AdaptStream, ASeedOfNoUseLeavesTheFramesOwnDecision) {
  cv::Mat still(300, 400, CV_8UC3, cv::Scalar(150, 120, 100));
  cv::ellipse(still, {200, 150}, {80, 120}, 20, 0, 360, cv::Scalar(95, 120, 165), cv::FILLED);
  for (const cv::Rect& seed : {cv::Rect(0, 0, 2, 2), cv::Rect({}, still.size())}) {
    const auto adapter = AdapterOf(std::make_unique<Always>(seed), true);
    const auto alone = adapter->Adapt(still);
    ASSERT_TRUE(alone);
    EXPECT_EQ(alone->summary.by, AdaptationSummary::By::kImage);
    StreamAdapter stream(adapter, {4, 0});
    for (int i = 0; i < 12; ++i) {
      const auto now = stream.Follow(still);
      ASSERT_TRUE(now) << i;
      EXPECT_EQ(now->summary, alone->summary) << i;
    }
  }
}

TEST(AdaptStream, GoesOnInAnotherSize) {
  const Scene scene = Astronaut();
  ScoredStream stream(AdapterOf(QuickFaces()));
  ASSERT_EQ(stream.LogOdds(scene.bgr).size(), scene.bgr.size());
  const cv::Mat window = Window(scene, 0).bgr;
  EXPECT_EQ(stream.LogOdds(window).size(), window.size());
}

TEST(AdaptStream, SeedsThatAreGivenStay) {
  const Scene scene = Hopper();
  ScoredStream stream(AdapterOf(FixedSeed(cv::Rect(230, 150, 60, 60))));
  for (int i = 0; i < 20; ++i)
    EXPECT_FALSE(stream.LogOdds(Lit(scene.bgr, 1 - i / 100.)).empty()) << i;
  ScoredStream beyond(AdapterOf(FixedSeed(cv::Rect(500, 500, 60, 60))), {8, 2});
  EXPECT_ERROR(for (int i = 0; i < 3; ++i) beyond.LogOdds(scene.bgr),
               "`seed_rect` 500,500,60,60: is not within");
}

// The result of a search in an earlier scene, or its failure, is not used.
TEST(AdaptStream, ASearchThatFailedInAnEarlierSceneIsForgotten) {
  const Scene scene = Hopper();
  ScoredStream stream(AdapterOf(FixedSeed(cv::Rect(230, 150, 60, 60))), {30, 3});
  for (int i = 0; i < 2; ++i) stream.LogOdds(cv::Mat(100, 100, CV_8UC3, cv::Scalar(90, 80, 70)));
  for (int i = 0; i < 8; ++i) EXPECT_NO_THROW(stream.LogOdds(scene.bgr)) << i;
}

// Where there is no more memory for stacks, or room among the threads of a user.
TEST(AdaptStream, WithoutAThreadForTheSearchItIsDoneWhenItIsDue) {
  constexpr std::size_t kMuchTooLarge = std::size_t{1} << 50;
  const Scene scene = Astronaut();
  const auto adapter = AdapterOf(QuickFaces());
  ScoredStream aside(adapter, {8, 2}), without(adapter, {8, 2});
  std::vector<cv::Mat> wanted;
  for (int i = 0; i < 4; ++i) wanted.push_back(aside.LogOdds(scene.bgr));
  EXPECT_FALSE(Same(wanted.front(), wanted.back()));
  pthread_attr_t usual, large;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_getattr_default_np(&large), 0);
  pthread_attr_setstacksize(&large, kMuchTooLarge);
  ASSERT_EQ(pthread_setattr_default_np(&large), 0);
  EXPECT_THROW(std::thread([] {}).join(), std::system_error);
  std::vector<cv::Mat> got;
  EXPECT_NO_THROW(for (int i = 0; i < 4; ++i) got.push_back(without.LogOdds(scene.bgr)));
  EXPECT_EQ(pthread_setattr_default_np(&usual), 0);
  EXPECT_TRUE(std::ranges::equal(got, wanted, Same));
}

TEST(AdaptStream, OptionsOutOfRangeAreErrors) {
  const auto adapter = AdapterOf(FixedSeed(cv::Rect(0, 0, 9, 9)));
  EXPECT_THROW(StreamAdapter(adapter, {0, 0}), Error);
  EXPECT_THROW(StreamAdapter(adapter, {8, -1}), Error);
  EXPECT_THROW(StreamAdapter(nullptr, {}), Error);
}

}  // namespace
}  // namespace skinmask
