// What adaptation costs for each frame of 640x480, of a stream that pans over a photograph:
//   adapt_stream [PHOTOGRAPH [SEARCH_LAG_FRAMES]]
// Frames come 30 times a second, as from a camera.
#include "skinmask/detect/adapt_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <thread>

#include "skinmask/base/error.h"

namespace {

using Clock = std::chrono::steady_clock;

double Milliseconds(Clock::duration d) {
  return std::chrono::duration<double, std::milli>(d).count();
}

void Print(const char* name, std::vector<double> times) {
  std::ranges::sort(times);
  double sum = 0;
  for (double t : times) sum += t;
  fmt::print("{:28s} mean {:5.1f}  median {:5.1f}  99 % {:5.1f}  worst {:5.1f} ms\n", name,
             sum / static_cast<double>(times.size()), times[times.size() / 2],
             times[times.size() * 99 / 100], times.back());
}

}  // namespace

int main(int argc, char** argv) try {
  cv::setNumThreads(1);
  const std::string file = argc > 1 ? argv[1] : "samples/photos/astronaut.png";
  const int lag = argc > 2 ? std::atoi(argv[2]) : 3;
  cv::Mat photograph = cv::imread(file);
  if (photograph.empty()) throw skinmask::Error(file, "cannot be read");
  cv::resize(photograph, photograph, {960, 720}, 0, 0, cv::INTER_AREA);
  const skinmask::Model model = skinmask::DefaultModel();
  std::vector<std::unique_ptr<skinmask::SeedFinder>> finders;
  skinmask::HogOptions hog;
  hog.max_searched_pixels = hog.min_searched_pixels;  // as in `skinmask live`
  finders.push_back(skinmask::HogFaceFinder(hog));
  auto adapter =
      std::make_shared<skinmask::Adapter>(model, model.decision.threshold, std::move(finders));
  skinmask::StreamAdapter stream(adapter, {8, lag});
  std::vector<double> follow, pixels, both;
  int adapted = 0;
  constexpr int kFrames = 300;
  Clock::time_point next = Clock::now();
  for (int i = 0; i < kFrames; ++i) {
    const int x = 160 + static_cast<int>(150 * std::sin(i / 40.));
    const cv::Mat frame = photograph(cv::Rect(x, 0, 640, 480)).clone();
    std::this_thread::sleep_until(next += std::chrono::microseconds(33333));
    const auto begin = Clock::now();
    const auto adaptation = stream.Follow(frame);
    const auto middle = Clock::now();
    if (adaptation) {
      adapter->LogOdds(frame, *adaptation);
      ++adapted;
    }
    const auto end = Clock::now();
    follow.push_back(Milliseconds(middle - begin));
    pixels.push_back(Milliseconds(end - middle));
    both.push_back(Milliseconds(end - begin));
  }
  fmt::print("{} of {} frames adapted, search lag {}\n", adapted, kFrames, lag);
  Print("Follow", follow);
  Print("LogOdds", pixels);
  Print("both", both);
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
