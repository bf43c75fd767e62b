// Pixels a second of the row functions, beside a copy and what OpenCV's users write: one line each of
// name, size, threads and Mpx/s, the best of many repeats. The picture is a photograph, enlarged.
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "skinmask/cpu.h"
#include "skinmask/posterior.h"

namespace {

using skinmask::Posterior;

struct Contender {
  std::string name;
  std::function<void()> run;
};

// Seconds of the fastest run, of at least 5 and for at least 0.25 s.
double FastestSeconds(const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(250);
  double fastest = 1e9;
  for (int repeat = 0; repeat < 5 || Clock::now() < end; ++repeat) {
    const Clock::time_point start = Clock::now();
    run();
    fastest = std::min(fastest, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return fastest;
}

// row(y) for every row, on the threads that are allowed.
template <class Row>
void ForRows(int rows, const Row& row) {
  tbb::parallel_for(tbb::blocked_range<int>(0, rows, 16), [&](const tbb::blocked_range<int>& range) {
    for (int y = range.begin(); y < range.end(); ++y) row(y);
  });
}

class Bench {
 public:
  Bench(const cv::Mat& photo, cv::Size size) {
    cv::resize(photo, bgr_, size, 0, 0, cv::INTER_CUBIC);
    out_.create(size, CV_8U);
    four_bytes_copy_.create(size, CV_8UC4);
    cv::cvtColor(bgr_, four_bytes_, cv::COLOR_BGR2BGRA);  // pages never written read as one page
  }

  std::vector<Contender> Contenders();

 private:
  Contender Mask(std::string name, const skinmask::Model& model);
  Contender Probability(std::string name, const skinmask::Model& model);
  Contender InRange(std::string name, int conversion, cv::Scalar low, cv::Scalar high);

  cv::Mat bgr_, out_, converted_, four_bytes_, four_bytes_copy_;
};

Contender Bench::InRange(std::string name, int conversion, cv::Scalar low, cv::Scalar high) {
  return {std::move(name), [=, this] {
            cv::cvtColor(bgr_, converted_, conversion);
            cv::inRange(converted_, low, high, out_);
          }};
}

Contender Bench::Mask(std::string name, const skinmask::Model& model) {
  auto posterior = std::make_shared<Posterior>(model);
  return {std::move(name), [this, posterior] {
            ForRows(bgr_.rows, [&](int y) {
              posterior->MaskRow(bgr_.ptr(y), static_cast<std::size_t>(bgr_.cols), out_.ptr(y));
            });
          }};
}

Contender Bench::Probability(std::string name, const skinmask::Model& model) {
  auto posterior = std::make_shared<Posterior>(model);
  return {std::move(name), [this, posterior] {
            ForRows(bgr_.rows, [&](int y) {
              posterior->ProbabilityRow(bgr_.ptr(y), static_cast<std::size_t>(bgr_.cols),
                                        out_.ptr(y));
            });
          }};
}

std::vector<Contender> Bench::Contenders() {
  const skinmask::Model quadratic = skinmask::DefaultModel();
  std::vector<Contender> contenders;
  contenders.push_back({"memcpy/4-bytes-per-pixel", [this] {
                          ForRows(bgr_.rows, [&](int y) {
                            std::memcpy(four_bytes_copy_.ptr(y), four_bytes_.ptr(y),
                                        4 * static_cast<std::size_t>(bgr_.cols));
                          });
                        }});
  contenders.push_back(InRange("opencv/ycrcb-inrange", cv::COLOR_BGR2YCrCb, {0, 133, 77}, {255, 173, 127}));
  contenders.push_back(InRange("opencv/hsv-inrange", cv::COLOR_BGR2HSV, {0, 48, 80}, {20, 255, 255}));
  contenders.push_back(Mask("mask/quadratic", quadratic));
  contenders.push_back(Probability("probability8/quadratic", quadratic));
  return contenders;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : SKINMASK_SOURCE "/samples/photos/grace_hopper.jpg";
  const cv::Mat photo = cv::imread(path);
  if (photo.empty()) {
    fmt::print(stderr, "{}: not an image\n", path);
    return 1;
  }
  skinmask::ObeyTargetVariable();
  fmt::print("CPU target {}\n", skinmask::ActiveTarget());
  for (const cv::Size size : {cv::Size(640, 480), cv::Size(1920, 1080), cv::Size(3840, 2160)}) {
    Bench bench(photo, size);
    const std::vector<Contender> contenders = bench.Contenders();
    for (int threads : {1, 2}) {
      const tbb::global_control control(tbb::global_control::max_allowed_parallelism,
                                        static_cast<std::size_t>(threads));
      cv::setNumThreads(threads);
      for (const Contender& contender : contenders)
        fmt::print("{:<28} {:>4}x{:<4} {} {:>8.1f}\n", contender.name, size.width, size.height,
                   threads, size.area() / 1e6 / FastestSeconds(contender.run));
    }
  }
}
