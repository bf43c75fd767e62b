// The same pixels give the same bytes, whatever memory held before.
#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>

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

// Runs a function on a stack that ends `below` bytes before the end of `memory`.
template <class F>
void OnStack(char* memory, std::size_t size, std::size_t below, F run) {
  constexpr std::size_t kStack = 2 << 20;  // the thread sanitizer keeps a megabyte of it
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstack(&attributes, memory + size - below - kStack, kStack), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* f) -> void* {
                  (*static_cast<F*>(f))();
                  return nullptr;
                },
                &run),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

// ISA-L once hashed bits 16 to 47 of its state's address into the table: at one address in some
// hundreds the codes were others.
TEST(Reproducible, PngDoesNotDependOnWhereTheStackIs) {
  constexpr std::size_t kStep = 1 << 16, kSteps = 2048, kSize = (kSteps + 48) * kStep;
  void* const memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  cv::Mat image(50, 40, CV_8UC1);  // short matches, and many of them
  cv::RNG(4).fill(image, cv::RNG::UNIFORM, 0, 4);
  const std::string first = EncodePng(image);
  std::size_t others = 0;
  for (std::size_t i = 0; i < kSteps; ++i) {
    OnStack(static_cast<char*>(memory), kSize, i * kStep,
            [&] { others += EncodePng(image) != first; });
    if (i % 64 == 0) madvise(memory, kSize, MADV_DONTNEED);
  }
  EXPECT_EQ(others, 0u);
  munmap(memory, kSize);
}

// A video of `frames`, whose pixels end where other bytes begin.
std::string VideoOf(const std::filesystem::path& path, char behind) {
  constexpr int kWidth = 174, kHeight = 142;
  constexpr std::size_t kBytes = 3 * kWidth * kHeight;
  VideoWriter writer(path, {kWidth, kHeight}, CV_8UC3, {});
  std::string memory(kBytes + 64, behind);
  for (int i = 0; i < 20; ++i) {
    cv::Mat frame(kHeight, kWidth, CV_8UC3, memory.data());
    Noise(70, 70, 5)(cv::Rect(i, i, kWidth, kHeight)).copyTo(frame);
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

// glibc fills what it hands out with the complement of M_PERTURB.
TEST_F(ReproducibleVideo, BytesDoNotDependOnWhatMemoryHeld) {
  for (const char* name : {"a.mp4", "a.mkv"}) {
    const std::string first = VideoOf(Path(name), '\0');
    for (const int fill : {0x55, 0xEE, 0x38}) {
      mallopt(M_PERTURB, fill);
      EXPECT_EQ(VideoOf(Path(name), '\0') == first, true) << name << " " << fill;
      mallopt(M_PERTURB, 0);
    }
  }
}

}  // namespace
}  // namespace skinmask
