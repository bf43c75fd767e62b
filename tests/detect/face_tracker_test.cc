#include "detect/adapt/face_tracker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "detect/adapt/stream_observer.h"
#include "support/colors.h"

namespace skinmask {
namespace {

AdaptOptions WithSmallImages(int pixels) {
  AdaptOptions options;
  options.fit.pixels = pixels;
  return options;
}

// What a camera sees of a scene of noise that is looked at from this corner on. (No frame has as
// many pixels as the small image may have: nothing is scaled.)
TrackingFrame SeenFrom(cv::Point corner, int scene = 1) {
  testing::Random random(static_cast<std::uint64_t>(scene));
  cv::Mat whole(300, 400, CV_8UC3);
  for (int y = 0; y < whole.rows; ++y)
    for (int x = 0; x < 3 * whole.cols; ++x)
      whole.ptr(y)[x] = static_cast<std::uint8_t>(std::clamp(128 + 50 * random.Normal(), 0., 255.));
  return TrackingFrameOf(whole(cv::Rect(corner, cv::Size(320, 240))).clone(),
                         WithSmallImages(100'000));
}

Seed FaceAt(double x, double y) {
  const FaceFrame face{{x, y}, 60, 0};
  return {face.Box({320, 240}), face, {}};
}

cv::Point2d OnlyCentre(const FaceTracker& tracker) {
  const std::vector<Seed> seeds = tracker.seeds();
  return seeds.size() == 1 && seeds[0].face ? seeds[0].face->centre : cv::Point2d(-1, -1);
}

TEST(FaceTracker, FollowsAFace) {
  FaceTracker tracker({});
  const TrackingFrame first = SeenFrom({40, 30});
  EXPECT_TRUE(tracker.UpdateWithDetections({FaceAt(160, 120)}, first, first));
  tracker.Follow(SeenFrom({47, 26}));
  EXPECT_EQ(OnlyCentre(tracker), cv::Point2d(153, 124));
  EXPECT_FALSE(tracker.AnyLost());
  EXPECT_TRUE(tracker.AllConfirmed());
}

TEST(FaceTracker, TakesWhatASearchFoundInAnEarlierFrameToWhereItIsNow) {
  FaceTracker tracker({});
  tracker.UpdateWithDetections({FaceAt(160, 120)}, SeenFrom({40, 30}), SeenFrom({45, 30}));
  EXPECT_EQ(OnlyCentre(tracker), cv::Point2d(155, 120));
}

// A drawn face of one colour correlates with nothing, and so with everything.
TEST(FaceTracker, LeavesAFaceOfOneColourWhereItIs) {
  FaceTracker tracker({});
  cv::Mat drawn(240, 320, CV_8UC3, cv::Scalar(60, 50, 40));
  drawn(cv::Rect(100, 60, 120, 120)).setTo(cv::Scalar(140, 170, 210));
  const TrackingFrame frame = TrackingFrameOf(drawn, WithSmallImages(100'000));
  tracker.UpdateWithDetections({FaceAt(160, 120)}, frame, frame);
  tracker.Follow(frame);
  EXPECT_EQ(OnlyCentre(tracker), cv::Point2d(160, 120));
}

// A face whose box ends a pixel within the frame, of which the small image keeps none.
TEST(FaceTracker, TakesAFaceOfWhichNothingIsLeftToFollow) {
  const TrackingFrame large = TrackingFrameOf(cv::Mat(1080, 1920, CV_8UC3, cv::Scalar(90, 90, 90)),
                                              WithSmallImages(39'000));
  for (const cv::Rect box : {cv::Rect(1919, 500, 1, 60), cv::Rect(500, 1079, 60, 1)}) {
    FaceTracker tracker({});
    const Seed seed{box, FaceFrame{{1950., 530.}, 60, 0}, {}};
    tracker.UpdateWithDetections({seed}, large, large);
    tracker.Follow(large);
    EXPECT_EQ(tracker.seeds().size(), 1u);
  }
}

TEST(FaceTracker, StaysWhereASearchJittersAndMovesWhereItDoesNot) {
  FaceTracker tracker({});
  const TrackingFrame frame = SeenFrom({40, 30});
  tracker.UpdateWithDetections({FaceAt(160, 120)}, frame, frame);
  EXPECT_FALSE(tracker.UpdateWithDetections({FaceAt(163, 120)}, frame, frame));
  EXPECT_EQ(OnlyCentre(tracker), cv::Point2d(160, 120));
  EXPECT_FALSE(tracker.UpdateWithDetections({FaceAt(180, 120)}, frame, frame));
  EXPECT_EQ(OnlyCentre(tracker), cv::Point2d(180, 120));
  EXPECT_TRUE(tracker.UpdateWithDetections({FaceAt(180, 120), FaceAt(70, 120)}, frame, frame));
  EXPECT_EQ(tracker.seeds().size(), 2u);
}

// So many searches miss the face in a row until it is dropped, after so many that found it.
int MissesUntilDropped(int meetings, bool lost) {
  FaceTracker tracker({});
  const TrackingFrame frame = SeenFrom({40, 30}), other = SeenFrom({40, 30}, 2);
  for (int i = 0; i < meetings; ++i) tracker.UpdateWithDetections({FaceAt(160, 120)}, frame, frame);
  if (lost) tracker.Follow(other);
  EXPECT_EQ(tracker.AnyLost(), lost);
  int missed = 1;
  while (!tracker.UpdateWithDetections({}, frame, lost ? other : frame)) ++missed;
  EXPECT_TRUE(tracker.empty());
  return missed;
}

TEST(FaceTracker, DropsWhatSearchesMissSoonerWhereItIsLostOrWasHardlyFound) {
  EXPECT_EQ(MissesUntilDropped(1, true), 2);
  EXPECT_EQ(MissesUntilDropped(10, true), 2);
  EXPECT_EQ(MissesUntilDropped(1, false), 5);
  EXPECT_EQ(MissesUntilDropped(10, false), 33);
}

// Of a face that another one may cover, what is still seen may be that other one.
TEST(FaceTracker, AFaceThatMayBeCoveredIsLost) {
  const TrackingFrame frame = SeenFrom({40, 30});
  for (const double x : {180., 70.}) {
    FaceTracker tracker({});
    for (int i = 0; i < 5; ++i)
      tracker.UpdateWithDetections({FaceAt(160, 120), FaceAt(x, 120)}, frame, frame);
    tracker.UpdateWithDetections({FaceAt(160, 120)}, frame, frame);
    EXPECT_EQ(tracker.AnyLost(), x == 180) << x;
  }
}

// One scene dissolves into another: every frame looks like the one before.
TEST(FaceTracker, AFaceThatFadesAwayIsLost) {
  const TrackingFrame before = SeenFrom({40, 30}), after = SeenFrom({40, 30}, 2);
  FaceTracker tracker({});
  for (int i = 0; i < 8; ++i) tracker.UpdateWithDetections({FaceAt(160, 120)}, before, before);
  for (int percent = 0; percent <= 100; percent += 10) {
    TrackingFrame mixed = before;
    cv::Mat grey;
    cv::addWeighted(before.small_grey, 1 - percent / 100., after.small_grey, percent / 100., 0,
                    grey);
    mixed.small_grey = grey;
    tracker.Follow(mixed);
    tracker.UpdateWithDetections({}, mixed, mixed);
    EXPECT_TRUE(percent > 20 || tracker.seeds().size() == 1) << percent;
  }
  EXPECT_TRUE(tracker.seeds().empty());
}

// A face at this place that so many searches found, and that then cannot be seen, or that further
// searches miss although it can.
FaceTracker Dropped(double x, int meetings, bool can_be_seen) {
  FaceTracker tracker({});
  const TrackingFrame frame = SeenFrom({40, 30}), other = SeenFrom({40, 30}, 2);
  const cv::Mat no_evidence = cv::Mat::zeros(frame.small_grey.size(), CV_32FC1);
  for (int i = 0; i < meetings; ++i) tracker.UpdateWithDetections({FaceAt(x, 120)}, frame, frame);
  tracker.UpdateColorPriors(frame, no_evidence, 1);
  const TrackingFrame& last = can_be_seen ? frame : other;
  tracker.Follow(last);
  while (!tracker.UpdateWithDetections({}, frame, last)) continue;
  EXPECT_TRUE(tracker.seeds().empty() && tracker.faces().empty());
  return tracker;
}

TEST(FaceTracker, RemembersTheColoursOfAFaceThatHasLeft) {
  const FaceTracker away = Dropped(160, 2, false), at_the_border = Dropped(10, 2, true);
  EXPECT_EQ(away.color_priors().size(), 1u);
  EXPECT_FALSE(away.empty());
  EXPECT_EQ(at_the_border.color_priors().size(), 1u);
  for (const FaceTracker& not_a_face : {Dropped(160, 2, true), Dropped(160, 1, false)}) {
    EXPECT_TRUE(not_a_face.color_priors().empty());
    EXPECT_TRUE(not_a_face.empty());
  }
  FaceTracker tracker = away;
  tracker.Clear();
  EXPECT_TRUE(tracker.empty());
  tracker = away;
  const TrackingFrame frame = SeenFrom({40, 30});
  tracker.UpdateWithDetections({FaceAt(70, 120)}, frame, frame);
  tracker.UpdateColorPriors(frame, cv::Mat::zeros(frame.small_grey.size(), CV_32FC1), 1);
  EXPECT_EQ(tracker.color_priors().size(), 1u) << "of the new face alone";
}

// A camera turns away: less and less of the face is in the frame.
TEST(FaceTracker, FollowsAFaceOutOfTheFrame) {
  FaceTracker tracker({});
  const TrackingFrame first = SeenFrom({40, 30});
  tracker.UpdateWithDetections({FaceAt(40, 120)}, first, first);
  for (int x = 2; x <= 40; x += 2) {
    tracker.Follow(SeenFrom({40 + x, 30}));
    if (x <= 38) {
      EXPECT_EQ(OnlyCentre(tracker), cv::Point2d(40 - x, 120));
      EXPECT_FALSE(tracker.AnyLost()) << x;
    }
  }
}

std::vector<std::int64_t> Numbers(const FaceTracker& tracker) {
  std::vector<std::int64_t> numbers;
  for (const Face& face : tracker.faces()) numbers.push_back(face.id);
  return numbers;
}

TEST(FaceTracker, NumbersStayWithTheirFacesAndNoneIsGivenTwice) {
  using Are = std::vector<std::int64_t>;
  FaceTracker tracker({});
  const TrackingFrame frame = SeenFrom({40, 30}), other = SeenFrom({40, 30}, 2);
  tracker.UpdateWithDetections({FaceAt(160, 120), FaceAt(70, 120)}, frame, frame);
  EXPECT_EQ(Numbers(tracker), (Are{1, 2}));
  tracker.UpdateWithDetections({FaceAt(70, 120), FaceAt(180, 120)}, frame, frame);
  EXPECT_EQ(Numbers(tracker), (Are{1, 2}));
  EXPECT_EQ(tracker.faces()[0].box, FaceAt(180, 120).box);
  for (int i = 0; i < 9; ++i) tracker.UpdateWithDetections({FaceAt(180, 120)}, frame, frame);
  EXPECT_EQ(Numbers(tracker), (Are{1}));
  tracker.UpdateWithDetections({FaceAt(180, 120), FaceAt(70, 120)}, frame, frame);
  EXPECT_EQ(Numbers(tracker), (Are{1, 3}));
  tracker.Clear();
  tracker.UpdateWithDetections({FaceAt(160, 120)}, other, other);
  EXPECT_EQ(Numbers(tracker), (Are{4}));
}

TEST(FaceTracker, TwoFacesThatOverlapAreTwo) {
  FaceTracker tracker({});
  const TrackingFrame frame = SeenFrom({40, 30});
  for (int i = 0; i < 2; ++i) {
    tracker.UpdateWithDetections({FaceAt(160, 120), FaceAt(180, 120)}, frame, frame);
    EXPECT_EQ(Numbers(tracker), (std::vector<std::int64_t>{1, 2}));
  }
}

TEST(IsCut, IsWhereBothPlacesAndColorsAreOthers) {
  const TrackingFrame frame = SeenFrom({40, 30}), elsewhere = SeenFrom({40, 30}, 2);
  const auto in_the_dark = [](TrackingFrame dark) {
    dark.small_bgr = cv::Mat(dark.small_bgr * 0.4);
    dark.coarse = cv::Mat(dark.coarse * 0.4);
    return dark;
  };
  EXPECT_FALSE(IsCut(frame, frame));
  EXPECT_FALSE(IsCut(frame, elsewhere));
  EXPECT_FALSE(IsCut(frame, in_the_dark(frame)));
  EXPECT_TRUE(IsCut(frame, in_the_dark(elsewhere)));
}

TEST(LastFit, TakesTheMoreOfAFrameTheMoreItDiffers) {
  LastFit fit;
  const TrackingFrame frame = SeenFrom({40, 30});
  const auto brighter = [&](int levels) {
    TrackingFrame other = frame;
    other.coarse = cv::Mat(frame.coarse + cv::Scalar::all(levels));
    return other;
  };
  EXPECT_EQ(fit.Rate(frame), 1);
  fit.Note(frame, 10);
  EXPECT_EQ(fit.Rate(frame), 0);
  EXPECT_EQ(fit.Rate(brighter(1)), 0.25);
  EXPECT_EQ(fit.Rate(brighter(9)), 1);
  EXPECT_FALSE(fit.IsTimeForNext(brighter(1), 99));
  EXPECT_FALSE(fit.IsTimeForNext(brighter(2), 12));
  EXPECT_TRUE(fit.IsTimeForNext(brighter(2), 13));
  EXPECT_TRUE(fit.IsTimeForNext(brighter(9), 11));
  TrackingFrame grey = frame;
  grey.is_monochrome = true;
  EXPECT_EQ(fit.Rate(grey), 1);
  EXPECT_TRUE(fit.IsTimeForNext(grey, 11));
}

TEST(FaceTracker, LeavesARegionThatIsNoFaceInItsPlace) {
  FaceTracker tracker({});
  const TrackingFrame first = SeenFrom({40, 30});
  const cv::Rect box(100, 100, 50, 40);
  tracker.UpdateWithDetections({{box, std::nullopt, {}}}, first, first);
  tracker.Follow(SeenFrom({47, 26}));
  EXPECT_EQ(tracker.seeds()[0].box, box);
}

}  // namespace
}  // namespace skinmask
