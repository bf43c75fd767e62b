// When the finders of a StreamAdapter see a frame.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "skinmask/detect/adapt_stream.h"
#include "support/scenes.h"

namespace skinmask {
namespace {

using testing::AdapterOf;
using testing::Astronaut;
using testing::Noisy;
using testing::QuickFaces;
using testing::Same;
using testing::Scene;
using testing::ScoredStream;
using testing::Window;

// Takes its time, each time another.
class Slow : public SeedFinder {
 public:
  std::string_view name() const override { return "slow"; }
  std::vector<Seed> Find(const cv::Mat& bgr) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds(10 * (bgr.at<cv::Vec3b>(9, 9)[0] % 5)));
    return faces_->Find(bgr);
  }

 private:
  std::unique_ptr<SeedFinder> faces_ = QuickFaces();
};

// Counts the frames that it sees, and finds nothing in the first `unseen` of them.
class Counting : public SeedFinder {
 public:
  explicit Counting(int& count, int unseen = 0) : count_(count), unseen_(unseen) {}
  std::string_view name() const override { return "counting"; }
  std::vector<Seed> Find(const cv::Mat& bgr) const override {
    return ++count_ > unseen_ ? faces_->Find(bgr) : std::vector<Seed>();
  }

 private:
  int& count_;
  int unseen_;
  std::unique_ptr<SeedFinder> faces_ = QuickFaces();
};

// Fails in one of its searches.
class FailsOnce : public SeedFinder {
 public:
  explicit FailsOnce(int failing) : failing_(failing) {}
  std::string_view name() const override { return "fails once"; }
  std::vector<Seed> Find(const cv::Mat& bgr) const override {
    if (count_++ == failing_) throw Error("finder", "failed");
    return faces_->Find(bgr);
  }

 private:
  int failing_;
  mutable std::atomic<int> count_ = 0;
  std::unique_ptr<SeedFinder> faces_ = QuickFaces();
};

// A still picture, of which no frame differs from the one that the failed search saw.
TEST(AdaptStream, SearchesAgainAfterASearchThatFailed) {
  const cv::Mat with_face = Window(Astronaut(), 0).bgr;
  cv::Mat without = with_face.clone();
  without.setTo(cv::Scalar(90, 100, 110));
  for (const int lag : {0, 3})
    for (const int failing : {0, 1}) {
      StreamAdapter stream(AdapterOf(std::make_unique<FailsOnce>(failing)), {4, lag});
      int errors = 0;
      std::size_t faces = 0;
      for (int i = 0; i < 40; ++i) try {
          const auto adaptation = stream.Follow(i < failing ? without : with_face);
          faces = adaptation ? adaptation->faces.size() : 0;
        } catch (const Error&) {
          ++errors;
        }
      EXPECT_EQ(errors, 1) << lag << ' ' << failing;
      EXPECT_EQ(faces, 1u) << lag << ' ' << failing;
    }
}

// Frames 0 and 4, which confirms what frame 0 told (or eight frames of the first 16 that show
// nobody), and from then on every 32nd, until something comes into the picture.
TEST(AdaptStream, SearchesLessWhileNothingChanges) {
  const cv::Mat with_face = Window(Astronaut(), 0).bgr;
  cv::Mat without = with_face.clone();
  without.setTo(cv::Scalar(90, 100, 110));
  for (const auto& [still, comes_in] : {std::pair(with_face, 3), {without, 9}}) {
    int count = 0;
    StreamAdapter stream(AdapterOf(std::make_unique<Counting>(count)));
    for (int i = 0; i < 50; ++i) stream.Follow(Noisy(still, static_cast<std::uint64_t>(i)));
    EXPECT_EQ(count, comes_in);
    cv::Mat changed = still.clone();
    changed(cv::Rect(0, 0, 400, 120)) = cv::Scalar(200, 60, 60);
    for (int i = 0; i < 8; ++i) stream.Follow(changed);
    EXPECT_GT(count, comes_in);
  }
  int moving = 0;
  StreamAdapter stream(AdapterOf(std::make_unique<Counting>(moving)));
  const Scene scene = Astronaut();
  for (int i = 0; i < 48; ++i) stream.Follow(Window(scene, i).bgr);
  EXPECT_GE(moving, 6);
}

// Until a face is known, and until eight searches have found none, there is one between each two of
// the usual frames, which are searched all the same.
TEST(AdaptStream, SearchesMoreAtFirstUntilAFaceIsKnown) {
  const cv::Mat still = Window(Astronaut(), 0).bgr;
  std::vector<cv::Mat> noisy;
  for (std::uint64_t i = 0; i < 50; ++i) noisy.push_back(Noisy(still, i));
  using Frames = std::vector<int>;
  const auto searched = [&](int unseen, const StreamOptions& options = {}) {
    int count = 0;
    StreamAdapter stream(AdapterOf(std::make_unique<Counting>(count, unseen)), options);
    Frames frames;
    int before = 0;
    for (int i = 0; i < 50; ++i) {
      stream.Follow(noisy[static_cast<std::size_t>(i)]);
      if (count > before) frames.push_back(i);
      before = count;
    }
    return frames;
  };
  EXPECT_EQ(searched(0), (Frames{0, 4, 36}));
  EXPECT_EQ(searched(3), (Frames{0, 2, 4, 6, 8, 40}));
  EXPECT_EQ(searched(99), (Frames{0, 2, 4, 6, 8, 10, 12, 14, 46}));
  EXPECT_EQ(searched(99, {3, 0}), (Frames{0, 2, 3, 5, 6, 8, 9, 11, 35}));
  EXPECT_EQ(searched(99, {5, 0}), (Frames{0, 3, 5, 8, 10, 13, 15, 18}));
  EXPECT_EQ(searched(99, {1, 0}), (Frames{0, 1, 2, 3, 4, 5, 6, 7, 15, 23, 31, 39, 47}));
}

TEST(AdaptStream, WhenASearchEndsDoesNotMatter) {
  const Scene scene = Astronaut();
  ScoredStream quick(AdapterOf(QuickFaces()), {5, 2}),
      slow(AdapterOf(std::make_unique<Slow>()), {5, 2});
  for (int i = 0; i < 20; ++i) {
    const cv::Mat bgr = Window(scene, i).bgr;
    EXPECT_TRUE(Same(quick.LogOdds(bgr), slow.LogOdds(bgr))) << i;
  }
}

}  // namespace
}  // namespace skinmask
