// Times DetectMask of a photograph, enlarged, for benchmarks/python_module.py to stand beside:
// detect_mask PHOTO WIDTH HEIGHT THREADS prints the least and the middle seconds of 300 calls.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "skinmask/detect/detect_image.h"
#include "skinmask/media/image.h"
#include "skinmask/model/model.h"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  try {
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(std::atoi(argv[4])));
    cv::Mat image;
    cv::resize(skinmask::ReadImage(argv[1]), image, {std::atoi(argv[2]), std::atoi(argv[3])});
    const skinmask::Posterior posterior(skinmask::DefaultModel());
    std::vector<double> seconds;
    for (int i = 0; i < 300; ++i) {
      const auto start = std::chrono::steady_clock::now();
      const cv::Mat mask = skinmask::DetectMask(posterior, image);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      seconds.push_back(taken.count());
    }
    std::ranges::sort(seconds);
    fmt::print("{} {}\n", seconds.front(), seconds[seconds.size() / 2]);
  } catch (const std::exception& e) {
    fmt::print(stderr, "detect_mask: {}\n", e.what());
    return 1;
  }
}
