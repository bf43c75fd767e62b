// The same pixels give the same bytes, whatever memory held before.
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "skinmask/media/image.h"
#include "skinmask/media/video.h"
#include "support/files.h"
#include "support/pictures.h"

namespace skinmask {
namespace {

cv::Mat Noise(int width, int height, std::uint64_t seed) {
  cv::Mat noise(height, width, CV_8UC3);
  cv::RNG(seed).fill(noise, cv::RNG::UNIFORM, 0, 256);
  cv::Mat smooth;
  cv::resize(noise, smooth, {4 * width, 4 * height}, 0, 0, cv::INTER_CUBIC);
  return smooth;
}

// Leaves such numbers where the calls that follow have their variables.
[[gnu::noinline]] void FillStack(std::uint16_t number) {
  volatile std::uint16_t used[100'000];
  for (volatile std::uint16_t& n : used) n = number;
}

TEST(Reproducible, PngDoesNotDependOnWhatTheStackHeld) {
  for (std::uint64_t seed = 1; seed < 5; ++seed) {
    const cv::Mat image = Noise(80, 60, seed);
    FillStack(0);
    const std::string first = EncodePng(image);
    for (const std::uint16_t number : {1, 4, 9, 12, 0x5555, 0xFFFF}) {
      FillStack(number);
      EXPECT_EQ(EncodePng(image) == first, true) << number;
    }
  }
}

// A video of `frames`, whose pixels end where other bytes begin.
std::string VideoOf(const std::filesystem::path& path, char behind) {
  constexpr int kWidth = 174, kHeight = 142;
  constexpr std::size_t kBytes = 3 * kWidth * kHeight;
  VideoWriter writer(path, {kWidth, kHeight}, CV_8UC3, {});
  std::string memory(kBytes + 64, behind);
  for (int i = 0; i < 12; ++i) {
    cv::Mat frame(kHeight, kWidth, CV_8UC3, memory.data());
    Noise(60, 60, 5)(cv::Rect(i, i, kWidth, kHeight)).copyTo(frame);
    writer.Write(frame, i);
  }
  writer.Finish();
  return ReadFile(path);
}

class ReproducibleVideo : public testing::FolderTest {};

TEST_F(ReproducibleVideo, BytesAreTheSameOnEveryRun) {
  for (const char* name : {"a.mp4", "a.mkv"}) {
    const std::string first = VideoOf(Path(name), '\0');
    EXPECT_GT(first.size(), 1000u);
    for (const char behind : {'\x55', '\xFF'})
      EXPECT_EQ(VideoOf(Path(name), behind) == first, true) << name;
  }
}

}  // namespace
}  // namespace skinmask
