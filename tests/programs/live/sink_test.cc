// Frames to a GStreamer pipeline of the user's, and what stands behind a cut-out.
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <tuple>

#include "programs/live/view.h"
#include "skinmask/base/error.h"
#include "skinmask/media/image.h"
#include "support/clips.h"
#include "support/program.h"

namespace skinmask {
namespace {

using live::Backdrop;
using testing::Lines;
using testing::Outcome;

constexpr int kFrames = 16;
const cv::Size kSize(322, 240);  // rows that do not end at a multiple of four bytes

class SinkTest : public testing::ProgramTest {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_FFMPEG();
    MakeClip(kFrames);
  }
  void MakeClip(int frames) {
    testing::MakeOnce(folder_,
                      fmt::format("{}-frames:v {} -c:v ffv1 -pix_fmt bgr0 clip.mkv",
                                  testing::Scrolling("322x240", "25"), frames),
                      {"clip.mkv"});
  }
  // What a sink that takes all bytes gets: frames of `channels` bytes a pixel.
  std::vector<cv::Mat> Sunk(const std::string& flags) {
    const Outcome run =
        Run("live clip.mkv --headless --fast --adapt off " + flags +
            " --force --record a.mkv --sink 'video/x-raw,format=BGRx ! filesink location=out.raw'");
    EXPECT_EQ(run.status, 0) << run.err;
    bytes_ = ReadFile(Path("out.raw"));
    const std::size_t frame = 4 * static_cast<std::size_t>(kSize.area());
    EXPECT_EQ(bytes_.size(), kFrames * frame);
    std::vector<cv::Mat> frames(bytes_.size() / frame);
    for (std::size_t i = 0; i < frames.size(); ++i)
      cv::cvtColor(cv::Mat(kSize, CV_8UC4, bytes_.data() + i * frame), frames[i],
                   cv::COLOR_BGRA2BGR);
    return frames;
  }
  std::string bytes_;
};

// An encoder that needs longer than a sink may be silent, after the last frame.
TEST_F(SinkTest, IsWaitedForWhileItWorks) {
  const Outcome run =
      Run("live clip.mkv --headless --fast --adapt off --sink 'queue max-size-bytes=0 "
          "max-size-time=0 ! identity sleep-time=450000 ! videoconvert ! video/x-raw,format=BGRx ! "
          "filesink location=out.raw'");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(ReadFile(Path("out.raw")).size(), kFrames * 4 * static_cast<std::size_t>(kSize.area()));
}

// The recording, which is lossless, is the oracle.
TEST_F(SinkTest, EveryFrameOfTheViewReachesIt) {
  const std::vector<std::tuple<std::string, std::string, int>> views{
      {"mask", "gray", 1}, {"overlay", "bgr24", 3}, {"cutout", "bgr24", 3}};
  for (const auto& [view, format, channels] : views) {
    const std::vector<cv::Mat> frames = Sunk("--view " + view);
    std::string recorded = testing::RawFrames(folder_, "a.mkv", format);
    const std::size_t frame = static_cast<std::size_t>(channels * kSize.area());
    ASSERT_EQ(recorded.size(), kFrames * frame);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      cv::Mat wanted(kSize, CV_MAKETYPE(CV_8U, channels), recorded.data() + i * frame);
      if (channels == 1) cv::cvtColor(wanted, wanted, cv::COLOR_GRAY2BGR);
      EXPECT_EQ(cv::norm(frames[i], wanted, cv::NORM_INF), 0) << view << " " << i;
    }
  }
}

// --background makes the view a cut-out: the mask's pixels are the frame's, all others the colour.
TEST_F(SinkTest, ACutOutStandsOnItsBackground) {
  const std::vector<cv::Mat> masks = Sunk("--view mask");
  const std::vector<cv::Mat> cut = Sunk("--background '#102030'");
  std::string source = testing::RawFrames(folder_, "clip.mkv", "bgr24");
  for (std::size_t i = 0; i < cut.size(); ++i) {
    cv::Mat wanted(kSize, CV_8UC3, cv::Scalar(0x30, 0x20, 0x10));
    cv::Mat mask;
    cv::extractChannel(masks[i], mask, 0);
    cv::Mat(kSize, CV_8UC3, source.data() + i * 3 * static_cast<std::size_t>(kSize.area()))
        .copyTo(wanted, mask);
    EXPECT_EQ(cv::norm(cut[i], wanted, cv::NORM_INF), 0) << i;
  }
}

TEST_F(SinkTest, WhatIsNoSinkIsOneLine) {
  for (const auto& [flags, status, part] : std::vector<std::tuple<std::string, int, std::string>>{
           {"--sink nonsense", 1, "nonsense"},
           {"--sink ''", 2, "is empty"},
           {"--sink 'fakesink ! !'", 1, "is no GStreamer pipeline"},
           {"--sink 'v4l2sink device=/dev/absent'", 1, "/dev/absent"},
           {"--sink 'filesink location=absent/out'", 1, "absent/out"},
           {"--sink 'video/x-raw,format=GRAY8 ! jpegdec ! fakesink'", 1, "sink"},
           {"--record a.mkv --background '#12'", 2, "#RRGGBB"},
           {"--record a.mkv --background red", 2, "black, white, grey, green, blue"},
           {"--record a.mkv --background absent.png", 1, "absent.png"}}) {
    const Outcome run = Run("live clip.mkv --headless --fast --adapt off " + flags);
    EXPECT_EQ(run.status, status) << flags << run.err;
    EXPECT_EQ(Lines(run.err), 1) << flags << run.err;
    EXPECT_NE(run.err.find(part), std::string::npos) << flags << run.err;
  }
}

TEST_F(SinkTest, ASinkThatFailsInMidRunEndsIt) {
  MakeClip(40);
  const Outcome run = Run(
      "live clip.mkv --headless --fast --adapt off --csv a.csv --sink 'identity error-after=10 ! "
      "fakesink'");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(Lines(run.err), 1) << run.err;
  EXPECT_GE(Lines(ReadFile(Path("a.csv"))), 10);
}

TEST(BackgroundTest, Colours) {
  EXPECT_EQ(live::ParseColor("#0a0B0c"), cv::Scalar(12, 11, 10));
  EXPECT_EQ(live::ParseColor("blue"), cv::Scalar(255, 0, 0));
  for (const char* const text : {"", "#", "#12345", "#1234567", "#12345g", "#-12345", "Blue"})
    EXPECT_FALSE(live::ParseColor(text)) << text;
}

TEST(BackgroundTest, BlurKeepsTheMeanAndLosesTheDetail) {
  cv::Mat bgr(480, 640, CV_8UC3);
  cv::randu(bgr, 0, 256);
  Backdrop blur;
  cv::Scalar mean, deviation;
  cv::meanStdDev(blur.Behind(bgr), mean, deviation);
  EXPECT_NEAR(mean[0], cv::mean(bgr)[0], 1);
  EXPECT_LT(deviation[0], 4);
  EXPECT_EQ(blur.Behind(bgr(cv::Rect(0, 0, 3, 2))).size(), cv::Size(3, 2));
}

// It covers every frame in its own shape: a circle stays one.
TEST(BackgroundTest, APictureCoversTheFrame) {
  const std::string file = testing::SamplesFolder() / "photos/astronaut.png";
  const cv::Mat photo = ReadImage(file);
  Backdrop background(file);
  EXPECT_EQ(cv::norm(background.Behind(photo), photo, cv::NORM_INF), 0);
  const cv::Mat wide = background.Behind(cv::Mat(256, 512, CV_8UC3));
  EXPECT_EQ(cv::norm(wide, photo.rowRange(128, 384), cv::NORM_INF), 0);
}

}  // namespace
}  // namespace skinmask
