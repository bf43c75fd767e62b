// The search for faces against dlib's own, whose templates it uses, and against itself.
#include "detect/adapt/hog_search.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <thread>

#include "skinmask/base/cpu.h"
#include "skinmask/detect/seed_finder.h"
#include "support/colors.h"
#include "support/dlib_faces.h"
#include "support/program.h"

namespace skinmask {
namespace {

using testing::DataFolder;
using testing::DlibFaces;
using testing::ForcedTarget;

double Overlap(const HogFace& a, const HogFace& b) {
  const auto rect = [](const HogFace& f) {
    return cv::Rect(cv::Point(f.left, f.top), cv::Point(f.right + 1, f.bottom + 1));
  };
  const double both = (rect(a) & rect(b)).area();
  return both / (rect(a).area() + rect(b).area() - both);
}

bool IsAmong(const HogFace& face, const std::vector<HogFace>& faces) {
  return std::any_of(faces.begin(), faces.end(),
                     [&](const HogFace& other) { return Overlap(face, other) >= .5; });
}

std::vector<HogFace> BestOf(const std::vector<HogFace>& windows) {
  std::vector<HogFace> best;
  for (const auto& group : GroupsOf(windows)) best.push_back(group.front());
  return best;
}

// Every face of one that scores at least .1 is among those of the other, which score at least 0.
void ExpectSameFaces(const cv::Mat& grey, const std::string& name, int* count = nullptr) {
  HogSearch search;
  const std::vector<HogFace> ours = BestOf(search.Find(grey, 0)), theirs = DlibFaces(grey, 0);
  for (const HogFace& face : theirs)
    if (face.score >= .1) {
      EXPECT_TRUE(IsAmong(face, ours)) << name << ": missed " << face.score;
    }
  for (const HogFace& face : ours)
    if (face.score >= .1) {
      EXPECT_TRUE(IsAmong(face, theirs)) << name << ": " << face.score << " is none";
    }
  if (count) *count += static_cast<int>(theirs.size());
}

cv::Mat Sample(const char* name, int flags = cv::IMREAD_GRAYSCALE) {
  const auto folder = std::filesystem::path(SKINMASK_SOURCE) / "samples/photos";
  return cv::imread((folder / name).string(), flags);
}

cv::Mat Scaled(const cv::Mat& grey, double scale) {
  cv::Mat scaled;
  cv::resize(grey, scaled, {}, scale, scale, scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
  return scaled;
}

cv::Mat Enlarged(const cv::Mat& grey, double pixels) {
  return Scaled(grey, std::sqrt(pixels / static_cast<double>(grey.total())));
}

cv::Mat Noise(int width, int height) {
  cv::Mat grey(height, width, CV_8UC1);
  testing::Random random(5);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      grey.at<std::uint8_t>(y, x) =
          static_cast<std::uint8_t>(std::clamp(128 + 60 * random.Normal(), 0., 255.));
  return grey;
}

void ExpectFacesInSamplesOfAnySize() {
  int count = 0;
  for (const char* name : {"astronaut.png", "grace_hopper.jpg"}) {
    const cv::Mat grey = Sample(name);
    ASSERT_FALSE(grey.empty());
    for (const double scale : {.5, .73, 1., 1.31, 2.})
      ExpectSameFaces(Scaled(grey, scale), name, &count);
  }
  EXPECT_GE(count, 10);
}

void ExpectFacesAtTheBorders() {
  const cv::Mat face = Scaled(Sample("astronaut.png"), .9)(cv::Rect(130, 20, 151, 161));
  for (int cut = 0; cut < 24; cut += 5) {
    ExpectSameFaces(face(cv::Rect(cut, 0, face.cols - cut, face.rows)), "left");
    ExpectSameFaces(face(cv::Rect(0, cut, face.cols, face.rows - cut)), "top");
    ExpectSameFaces(face(cv::Rect(0, 0, face.cols - cut, face.rows)), "right");
    ExpectSameFaces(face(cv::Rect(0, 0, face.cols, face.rows - cut)), "bottom");
  }
}

void ExpectFacesInPhotographs() {
  int count = 0, index = 0;
  for (const char* set : {"groups/images", "ecu/images"})
    for (const auto& entry : std::filesystem::directory_iterator(DataFolder() / set)) {
      if (index++ % 12 != 0) continue;
      const cv::Mat grey = cv::imread(entry.path().string(), cv::IMREAD_GRAYSCALE);
      if (!grey.empty())
        ExpectSameFaces(Enlarged(grey, 8e5), entry.path().filename().string(), &count);
    }
  EXPECT_GE(count, 13);
}

// At once, since dlib's detector takes longer to unpack than to find some.
TEST(HogSearch, FindsTheFacesOfDlib) {
  ExpectFacesInSamplesOfAnySize();
  ExpectFacesAtTheBorders();
  if (!DataFolder().empty()) ExpectFacesInPhotographs();
}

TEST(HogSearch, FindsNoneInScenes) {
  SKIP_WITHOUT_DATA();
  HogSearch search;
  int index = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DataFolder() / "negatives")) {
    if (index++ % 4 != 0) continue;
    const cv::Mat grey = cv::imread(entry.path().string(), cv::IMREAD_GRAYSCALE);
    if (!grey.empty()) {
      EXPECT_TRUE(search.Find(Enlarged(grey, 5e5), 0).empty()) << entry.path();
    }
  }
}

TEST(HogSearch, FindsNoneWhereNothingIs) {
  HogSearch search;
  for (const int level : {0, 128, 255})
    EXPECT_TRUE(search.Find(cv::Mat(900, 1100, CV_8UC1, cv::Scalar(level)), 0).empty());
  cv::Mat ramp(700, 900, CV_8UC1);
  for (int y = 0; y < ramp.rows; ++y)
    for (int x = 0; x < ramp.cols; ++x)
      ramp.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>((x + y) / 7);
  EXPECT_TRUE(search.Find(ramp, 0).empty());
  EXPECT_TRUE(search.Find(Noise(1100, 900), 0).empty());
}

// Small ones have no window, odd ones cells of which a part is missing. One search sees them all,
// so what it keeps of one does not show in the next.
TEST(HogSearch, TakesEverySize) {
  HogSearch kept;
  const cv::Mat noise = Noise(120, 120);
  for (int width = 1; width <= 120; width += width < 30 ? 1 : 7)
    for (const int height : {1, 2, 3, 11, 12, 19, 20, 21, 63, 64, 65, 77, 96, 120}) {
      const cv::Mat grey = noise(cv::Rect(0, 0, width, height));
      HogSearch fresh;
      const std::vector<HogFace> a = kept.Find(grey, -2), b = fresh.Find(grey, -2);
      ASSERT_EQ(a.size(), b.size()) << width << "x" << height;
      for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i].score, b[i].score);
    }
  for (const cv::Size& size : {cv::Size(300000, 20), {20, 300000}, {1 << 22, 1}, {1, 1 << 22}})
    EXPECT_TRUE(kept.Find(cv::Mat(size, CV_8UC1, cv::Scalar(90)), 0).empty());
}

// Scores to the bit, also of windows that are no faces.
TEST(HogSearch, AllTargetsFindTheSame) {
  const cv::Mat face = Sample("astronaut.png"), noise = Noise(203, 171);
  for (const cv::Mat& grey : {face, face(cv::Rect(90, 3, 301, 257)), Scaled(face, 1.7), noise,
                              noise(cv::Rect(0, 0, 77, 70))}) {
    HogSearch search;
    const std::vector<HogFace> best = search.Find(grey, -1.5);
    for (const std::string& name : UsableTargets()) {
      const ForcedTarget target(name);
      const std::vector<HogFace> found = search.Find(grey, -1.5);
      ASSERT_EQ(found.size(), best.size()) << name;
      for (std::size_t i = 0; i < best.size(); ++i) {
        EXPECT_EQ(found[i].score, best[i].score) << name;
        EXPECT_EQ(found[i].pattern, best[i].pattern) << name;
        EXPECT_EQ(found[i].left, best[i].left) << name;
        EXPECT_EQ(found[i].top, best[i].top) << name;
        EXPECT_EQ(found[i].right, best[i].right) << name;
        EXPECT_EQ(found[i].bottom, best[i].bottom) << name;
      }
    }
  }
}

// With all of its searches: of a crowd, and of a picture that lies on its side. Fewer pixels than
// usual, because the plain target is slow.
TEST(HogFaceFinder, TargetsAndThreadsDoNotMatter) {
  const cv::Mat bgr = Sample("astronaut.png", cv::IMREAD_COLOR);
  const cv::Mat portrait = Scaled(bgr(cv::Rect(100, 0, 256, 256)), .86);
  const cv::Mat small = Scaled(portrait, .6);
  cv::Mat crowd(500, 700, CV_8UC3, cv::Scalar(90, 100, 110)), lying;
  for (int i = 0; i < 3; ++i) portrait.copyTo(crowd(cv::Rect({10 + 230 * i, 20}, portrait.size())));
  small.copyTo(crowd(cv::Rect({300, 320}, small.size())));
  cv::rotate(bgr(cv::Rect(60, 0, 330, 330)), lying, cv::ROTATE_90_CLOCKWISE);
  HogOptions options;
  options.min_searched_pixels = 400'000;
  options.crowd_pixels = 800'000;
  const auto finder = HogFaceFinder(options);
  const auto frames = [&](const cv::Mat& picture, std::size_t threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    std::vector<FaceFrame> found;
    for (const Seed& seed : finder->Find(picture)) found.push_back(*seed.face);
    return found;
  };
  const std::vector<FaceFrame> of_crowd = frames(crowd, 1), of_lying = frames(lying, 1);
  EXPECT_EQ(of_crowd.size(), 4u);
  EXPECT_EQ(of_lying.size(), 1u);
  for (const std::string& name : UsableTargets()) {
    const ForcedTarget target(name);
    EXPECT_EQ(frames(crowd, 3), of_crowd) << name;
    EXPECT_EQ(frames(lying, 3), of_lying) << name;
  }
}

TEST(HogFaceFinder, GivesManyThreadsTheSame) {
  const cv::Mat bgr = Sample("astronaut.png", cv::IMREAD_COLOR);
  const auto finder = HogFaceFinder();
  const std::vector<Seed> first = finder->Find(bgr);
  ASSERT_EQ(first.size(), 1u);
  std::vector<std::thread> threads;
  std::vector<std::vector<Seed>> found(4);
  for (auto& seeds : found)
    threads.emplace_back([&] {
      for (int i = 0; i < 3; ++i) seeds = finder->Find(bgr);
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& seeds : found) {
    ASSERT_EQ(seeds.size(), 1u);
    EXPECT_EQ(seeds[0].box, first[0].box);
    EXPECT_EQ(seeds[0].face->centre, first[0].face->centre);
  }
}

// A face, and the same at this share of half of its size.
cv::Mat SmallBesideLarge(double scale) {
  const cv::Mat portrait = Sample("astronaut.png", cv::IMREAD_COLOR)(cv::Rect(100, 0, 256, 256));
  cv::Mat picture(700, 900, CV_8UC3, cv::Scalar(90, 100, 110));
  Scaled(portrait, 2).copyTo(picture(cv::Rect(20, 40, 512, 512)));
  const cv::Mat other = Scaled(portrait, scale);
  other.copyTo(picture(cv::Rect({560, 100}, other.size())));
  return picture;
}

// Of the groups of windows, those of smaller faces are missing, and nothing else differs: a face
// that stays has the same best window.
TEST(HogSearch, LeavesOutSmallerFacesOnly) {
  for (const double scale : {.5, .8, .9, 1., 1.1, 1.3}) {
    cv::Mat grey;
    cv::cvtColor(SmallBesideLarge(scale), grey, cv::COLOR_BGR2GRAY);
    grey = Enlarged(grey, 1.5e6);
    HogSearch search;
    const std::vector<HogFace> all = BestOf(search.Find(grey, -.5));
    ASSERT_GE(all.size(), 2u) << scale;
    for (const double share : {.3, .45, .9}) {
      const double least = share * all[0].size();
      const std::vector<HogFace> some = BestOf(search.Find(grey, -.5, share, all[0].score));
      EXPECT_EQ(BestOf(search.Find(grey, -.5, 0, 0, least)).size(), some.size()) << share;
      EXPECT_LE(some.size(), all.size());
      for (const HogFace& face : all) {
        const bool is_kept = std::ranges::any_of(some, [&](const HogFace& other) {
          return other.score == face.score && other.left == face.left && other.top == face.top;
        });
        EXPECT_EQ(is_kept, face.size() >= least) << scale << ' ' << share << ' ' << face.size();
      }
    }
  }
}

// The time for faces that are much smaller than another is spared.
TEST(HogFaceFinder, ASmallFaceBesideALargeOneIsSearchedForOnRequest) {
  const auto found = [&](double scale, double min_relative_size) {
    HogOptions options;
    options.min_relative_size = min_relative_size;
    return HogFaceFinder(options)->Find(SmallBesideLarge(scale)).size();
  };
  EXPECT_EQ(found(1.2, .45), 2u);
  EXPECT_EQ(found(.5, .45), 1u);
  EXPECT_EQ(found(.5, 0), 2u);
}

// Behind a face in the foreground, the faces of a crowd are found as without it.
TEST(HogFaceFinder, ALargeFaceHidesNoCrowd) {
  const cv::Mat portrait = Sample("astronaut.png", cv::IMREAD_COLOR)(cv::Rect(100, 0, 256, 256));
  cv::Mat picture(1000, 1400, CV_8UC3, cv::Scalar(90, 100, 110));
  Scaled(portrait, 2.2).copyTo(picture(cv::Rect(20, 400, 563, 563)));
  for (int i = 0; i < 2; ++i)
    portrait.copyTo(picture(cv::Rect({20 + 400 * i, 60}, portrait.size())));
  const cv::Mat small = Scaled(portrait, .55);
  for (int i = 0; i < 3; ++i) small.copyTo(picture(cv::Rect({700 + 200 * i, 600}, small.size())));
  EXPECT_EQ(HogFaceFinder()->Find(picture).size(), 6u);
}

// Where three faces are, smaller ones are searched for; where two are, the time is spared.
TEST(HogFaceFinder, ACrowdIsSearchedForSmallerFaces) {
  const cv::Mat portrait = Sample("astronaut.png", cv::IMREAD_COLOR)(cv::Rect(100, 0, 256, 256));
  cv::Mat small;
  cv::resize(portrait, small, {}, .55, .55, cv::INTER_AREA);
  const auto found = [&](int large, const HogOptions& options) {
    cv::Mat picture(1000, 1400, CV_8UC3, cv::Scalar(90, 100, 110));
    for (int i = 0; i < large; ++i)
      portrait.copyTo(picture(cv::Rect({60 + 400 * i, 40}, portrait.size())));
    small.copyTo(picture(cv::Rect({700, 600}, small.size())));
    return static_cast<int>(HogFaceFinder(options)->Find(picture).size());
  };
  EXPECT_EQ(found(2, {}), 2);
  EXPECT_EQ(found(3, {}), 4);
  HogOptions once;
  once.crowd_pixels = 0;
  EXPECT_EQ(found(3, once), 3);
  HogOptions bounded;  // as `live` has it
  bounded.max_searched_pixels = bounded.min_searched_pixels;
  EXPECT_EQ(found(3, bounded), 3);
}

// A face that alone would not score enough counts beside one of its colours, not beside another.
TEST(HogFaceFinder, FurtherFacesMayScoreLessWhereColorsAgree) {
  const cv::Mat upright = Sample("astronaut.png", cv::IMREAD_COLOR)(cv::Rect(100, 0, 256, 256));
  cv::Mat turned, other, alike, unlike;
  cv::warpAffine(upright, turned, cv::getRotationMatrix2D({128, 128}, -30, 1), upright.size(),
                 cv::INTER_LINEAR, cv::BORDER_REPLICATE);
  cv::cvtColor(turned, other, cv::COLOR_BGR2RGB);
  cv::hconcat(upright, turned, alike);
  cv::hconcat(upright, other, unlike);
  HogOptions options;
  options.turned_pixels = 0;
  options.min_score = .9;
  options.further_slack = 0;
  EXPECT_EQ(HogFaceFinder(options)->Find(alike).size(), 1u);
  options.further_slack = .6;
  EXPECT_EQ(HogFaceFinder(options)->Find(alike).size(), 2u);
  EXPECT_EQ(HogFaceFinder(options)->Find(unlike).size(), 1u);
  options.min_score = .3;
  options.further_slack = 0;
  EXPECT_EQ(HogFaceFinder(options)->Find(unlike).size(), 2u);
}

FaceFrame BestFrame(const cv::Mat& bgr) {
  const std::vector<Seed> seeds = HogFaceFinder()->Find(bgr);
  EXPECT_FALSE(seeds.empty());
  return seeds.empty() ? FaceFrame{{0, 0}, 1, 0} : *seeds[0].face;
}

// By how many of its sizes a frame is elsewhere than the other, or larger or smaller.
double Distance(const FaceFrame& a, const FaceFrame& b) {
  return std::max(cv::norm(a.centre - b.centre) / b.size, std::abs(std::log(a.size / b.size)));
}

// Close-ups without the forehead are cut out of a picture, whose frame is the truth.
TEST(HogFaceFinder, FindsFacesThatAreCutByTheBorder) {
  const cv::Mat bgr = Sample("astronaut.png", cv::IMREAD_COLOR);
  const FaceFrame whole = BestFrame(bgr);
  HogOptions alone;
  alone.padding = 0;
  alone.again_pixels = 1;
  alone.turned_pixels = 0;
  for (const double right : {-.05, 0., .05, .1}) {
    const cv::Rect cut(cvRound(224 + 165 * right) - 57, 101, 115, 115);
    EXPECT_TRUE(HogFaceFinder(alone)->Find(bgr(cut)).empty()) << right;
    FaceFrame frame = BestFrame(bgr(cut));
    frame.centre += cv::Point2d(cut.tl());
    EXPECT_LT(Distance(frame, whole), .15) << right;
  }
}

// A window on the nose, or around the whole head, is in the group of a face, and says nothing of
// its size. One that is a fifth larger does.
TEST(HogSearch, WindowsOfAnotherSizeDoNotMoveAFrame) {
  const cv::Size image(600, 600);
  const HogFace best{.4, 0, 200, 200, 349, 349}, nose{.3, 0, 260, 260, 289, 289},
      head{.3, 0, 100, 100, 449, 449}, alike{.3, 0, 185, 185, 364, 364};
  const FaceFrame alone = FrameOfGroup({best}, 1, 1, image);
  ASSERT_EQ(GroupsOf({best, nose, head}).size(), 1u);
  EXPECT_EQ(FrameOfGroup({best, nose, head}, 1, 1, image), alone);
  EXPECT_GT(FrameOfGroup({best, alike}, 1, 1, image).size, alone.size);
}

TEST(HogFaceFinder, FramesDoNotDependOnTheSizeOfTheFile) {
  const cv::Mat bgr = Sample("astronaut.png", cv::IMREAD_COLOR);
  const FaceFrame as_it_is = BestFrame(bgr);
  for (const double scale : {.4, .8, 1.7, 3., 6.}) {
    FaceFrame frame = BestFrame(Scaled(bgr, scale));
    frame.centre /= scale;
    frame.size /= scale;
    EXPECT_LT(Distance(frame, as_it_is), .05) << scale;
  }
}

// Cells are 8 pixels of what is searched, some 3 here.
TEST(HogFaceFinder, FramesMoveWithThePicture) {
  const cv::Mat bgr = Sample("astronaut.png", cv::IMREAD_COLOR);
  const FaceFrame whole = BestFrame(bgr);
  for (int shift = 1; shift <= 5; ++shift) {
    FaceFrame frame = BestFrame(bgr(cv::Rect(shift, shift, bgr.cols - shift, bgr.rows - shift)));
    frame.centre += cv::Point2d(shift, shift);
    EXPECT_LT(Distance(frame, whole), .03) << shift;
  }
}

// A face whose score is near the threshold, turned more and more.
TEST(HogFaceFinder, LooksAgainWhereThereIsNoFace) {
  const cv::Mat upright = Sample("astronaut.png", cv::IMREAD_COLOR)(cv::Rect(60, 0, 330, 330));
  HogOptions once, again;
  once.padding = again.padding = 0;
  once.turned_pixels = again.turned_pixels = 0;
  once.again_pixels = 1;
  int found_once = 0, found = 0;
  for (double angle = 20; angle < 40; angle += 5) {
    cv::Mat turned;
    cv::warpAffine(upright, turned, cv::getRotationMatrix2D({165, 130}, angle, 1), upright.size(),
                   cv::INTER_LINEAR, cv::BORDER_REPLICATE);
    for (double least = .2; least < 1.4; least += .3) {
      once.min_score = again.min_score = least;
      const bool is_found = !HogFaceFinder(once)->Find(turned).empty();
      const bool is_found_again = !HogFaceFinder(again)->Find(turned).empty();
      EXPECT_TRUE(is_found_again || !is_found) << angle;
      found_once += is_found;
      found += is_found_again;
    }
  }
  EXPECT_LT(found_once, found);
}

// Turned around the face, so that its frame is known; the score that is asked for is higher and
// higher, as of faces that are harder to see.
TEST(HogFaceFinder, FindsHeadsThatAreTilted) {
  const cv::Mat upright = Sample("astronaut.png", cv::IMREAD_COLOR)(cv::Rect(60, 0, 330, 330));
  const FaceFrame frame = BestFrame(upright);
  int found_upright = 0, found_turned = 0;
  for (const double degrees : {-45., -35., -25., 25., 35., 45.}) {
    cv::Mat turned;
    cv::warpAffine(upright, turned, cv::getRotationMatrix2D(frame.centre, -degrees, 1),
                   upright.size(), cv::INTER_LINEAR, cv::BORDER_REPLICATE);
    for (double least = .2; least < 1.4; least += .3) {
      HogOptions options;
      options.min_searched_pixels = 500'000;  // the head is large
      options.min_score = options.min_tilted_score = least;
      options.further_slack = 0;
      const std::vector<Seed> found = HogFaceFinder(options)->Find(turned);
      options.turned_pixels = 0;
      const bool is_found_upright = !HogFaceFinder(options)->Find(turned).empty();
      EXPECT_TRUE(!is_found_upright || !found.empty()) << degrees;
      found_upright += is_found_upright;
      if (is_found_upright || found.empty()) continue;
      ++found_turned;
      ASSERT_EQ(found.size(), 1u) << degrees;
      EXPECT_LT(Distance(*found[0].face, frame), .15) << degrees;
      EXPECT_NEAR(found[0].face->TiltDegrees(), frame.TiltDegrees() + degrees, 20) << degrees;
    }
  }
  EXPECT_GT(found_turned, found_upright / 3);
  EXPECT_GT(found_turned, 2);
}

// Photographs that lie on their side or stand on their head, where upright no face is found.
TEST(HogFaceFinder, FindsHeadsThatLie) {
  const cv::Mat upright = Sample("astronaut.png", cv::IMREAD_COLOR)(cv::Rect(60, 0, 330, 330));
  const FaceFrame frame = BestFrame(upright);
  const double last = upright.cols;
  const struct {
    int turn;
    double degrees;
    cv::Point2d centre;
  } lying[] = {{cv::ROTATE_90_CLOCKWISE, 90, {last - frame.centre.y, frame.centre.x}},
               {cv::ROTATE_90_COUNTERCLOCKWISE, -90, {frame.centre.y, last - frame.centre.x}},
               {cv::ROTATE_180, 180, {last - frame.centre.x, last - frame.centre.y}}};
  for (const auto& [turn, degrees, centre] : lying) {
    cv::Mat turned;
    cv::rotate(upright, turned, turn);
    const std::vector<Seed> found = HogFaceFinder()->Find(turned);
    ASSERT_EQ(found.size(), 1u) << degrees;
    EXPECT_LT(cv::norm(found[0].face->centre - centre), .1 * frame.size) << degrees;
    EXPECT_NEAR(found[0].face->size, frame.size, .15 * frame.size) << degrees;
    EXPECT_NEAR(found[0].face->TiltDegrees(), frame.TiltDegrees() + degrees, 20) << degrees;
    HogOptions upright_alone;
    upright_alone.turned_pixels = 0;
    EXPECT_TRUE(HogFaceFinder(upright_alone)->Find(turned).empty()) << degrees;
  }
}

// However large a picture is, it is searched at a size within bounds; what is thinner than a pixel
// then has no face.
TEST(HogFaceFinder, TakesPicturesOfEveryShape) {
  const auto finder = HogFaceFinder();
  // Sides that float does not hold, and more pixels than twice the most that are searched.
  constexpr int kLong = (1 << 24) + 1, kTall = 1 << 21;
  ASSERT_GT(kLong, 2 * HogOptions().max_searched_pixels);
  cv::Mat pixels(1, 9 * kTall, CV_8UC3, cv::Scalar(9, 99, 200));  // of all of them
  for (const cv::Size& size : {cv::Size(1, 1), {2, 3}, {7, 5}, {1, kLong}, {kLong, 1}, {9, kTall}})
    EXPECT_TRUE(finder->Find(cv::Mat(size, CV_8UC3, pixels.data)).empty()) << size;
}

// A picture of 36 megapixels is searched at a sixth of that.
TEST(HogFaceFinder, FindsAFaceInALargePicture) {
  const cv::Mat bgr = Sample("astronaut.png", cv::IMREAD_COLOR);
  const FaceFrame whole = BestFrame(bgr);
  const cv::Mat portrait = Scaled(bgr, 3);
  cv::Mat picture(6000, 6000, CV_8UC3, cv::Scalar(90, 100, 110));
  const cv::Rect place({4400, 200}, portrait.size());
  portrait.copyTo(picture(place));
  const std::vector<Seed> found = HogFaceFinder()->Find(picture);
  ASSERT_EQ(found.size(), 1u);
  FaceFrame frame = *found[0].face;
  frame.centre = (frame.centre - cv::Point2d(place.tl())) / 3;
  frame.size /= 3;
  EXPECT_LT(Distance(frame, whole), .05);
}

}  // namespace
}  // namespace skinmask
