// Pixels a second of the row functions, beside a copy and what OpenCV's users write: one line each of
// name, size, threads and Mpx/s, the best of many repeats. The picture is a photograph, enlarged.
#include <Eigen/Cholesky>
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "skinmask/cpu.h"
#include "skinmask/posterior.h"
#include "skinmask/yuv.h"

namespace {

using skinmask::CompiledMixture;
using skinmask::Posterior;

// The default model with each Gaussian split in two: two components of skin, two of the rest.
CompiledMixture FourComponents() {
  const skinmask::Model model = skinmask::DefaultModel();
  std::vector<skinmask::MixtureComponent> components;
  for (std::size_t k = 0; k < 2; ++k) {
    const Eigen::Matrix3d lower = Eigen::LLT<Eigen::Matrix3d>(model.classes[k].covariance).matrixL();
    const Eigen::Vector3d step = 0.6 * lower.col(0);
    for (double side : {-1., 1.}) {
      skinmask::Model part = model;
      part.classes[k].mean += side * step;
      part.classes[k].covariance -= step * step.transpose();
      components.push_back({skinmask::Quadratic::Discriminant(part, k), static_cast<int>(k)});
    }
  }
  return CompiledMixture(components, skinmask::Logit(model.decision.threshold));
}

// A naive Bayes in HSV, hue 10 for skin against anything.
skinmask::Model HsvModel() {
  skinmask::Model model = skinmask::DefaultModel();
  model.kind = skinmask::Covariance::kDiagonal;
  model.features = skinmask::Features("HSV", {});
  model.classes[0].mean = Eigen::Vector3d(10, 100, 190);
  model.classes[0].covariance = Eigen::Vector3d(60, 1600, 1800).asDiagonal();
  model.classes[1].mean = Eigen::Vector3d(70, 90, 120);
  model.classes[1].covariance = Eigen::Vector3d(3000, 4500, 4000).asDiagonal();
  return model;
}

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
    cv::Mat i420;
    cv::cvtColor(bgr_, i420, cv::COLOR_BGR2YUV_I420);
    luma_ = i420.rowRange(0, size.height).clone();
    const cv::Mat planes[2] = {i420.rowRange(size.height, i420.rows).reshape(1, 2).row(0),
                               i420.rowRange(size.height, i420.rows).reshape(1, 2).row(1)};
    cv::merge(planes, 2, chroma_);
    chroma_ = chroma_.reshape(1, size.height / 2);
    out_.create(size, CV_8U);
    four_bytes_copy_.create(size, CV_8UC4);
    cv::cvtColor(bgr_, four_bytes_, cv::COLOR_BGR2BGRA);  // pages never written read as one page
  }

  std::vector<Contender> Contenders();

 private:
  template <class Form>
  Contender Mask(std::string name, std::shared_ptr<const Form> form);
  template <class Form>
  Contender Probability(std::string name, std::shared_ptr<const Form> form);
  Contender Nv12Mask();
  Contender InRange(std::string name, int conversion, cv::Scalar low, cv::Scalar high);

  cv::Mat luma_, chroma_;  // chroma of two by two pixels: U V U V ... in a row
  cv::Mat bgr_, out_, converted_, four_bytes_, four_bytes_copy_;
};

Contender Bench::InRange(std::string name, int conversion, cv::Scalar low, cv::Scalar high) {
  return {std::move(name), [=, this] {
            cv::cvtColor(bgr_, converted_, conversion);
            cv::inRange(converted_, low, high, out_);
          }};
}

template <class Form>
Contender Bench::Mask(std::string name, std::shared_ptr<const Form> form) {
  return {std::move(name), [this, form] {
            ForRows(bgr_.rows, [&](int y) {
              form->MaskRow(bgr_.ptr(y), static_cast<std::size_t>(bgr_.cols), out_.ptr(y));
            });
          }};
}

template <class Form>
Contender Bench::Probability(std::string name, std::shared_ptr<const Form> form) {
  return {std::move(name), [this, form] {
            ForRows(bgr_.rows, [&](int y) {
              form->ProbabilityRow(bgr_.ptr(y), static_cast<std::size_t>(bgr_.cols), out_.ptr(y));
            });
          }};
}

Contender Bench::Nv12Mask() {
  const skinmask::Model model = skinmask::DefaultModel();
  const auto quadratic = std::make_shared<const skinmask::CompiledYuvQuadratic>(
      skinmask::Quadratic(model), skinmask::YuvEncoding{},
      skinmask::Logit(model.decision.threshold));
  return {"mask/quadratic-nv12", [this, quadratic] {
            ForRows(luma_.rows, [&](int y) {
              quadratic->MaskRow(skinmask::Nv12Row{luma_.ptr(y), chroma_.ptr(y / 2)},
                                 static_cast<std::size_t>(luma_.cols), out_.ptr(y));
            });
          }};
}

std::vector<Contender> Bench::Contenders() {
  const auto quadratic = std::make_shared<const Posterior>(skinmask::DefaultModel());
  const auto mixture = std::make_shared<const CompiledMixture>(FourComponents());
  const auto table = std::make_shared<const Posterior>(HsvModel());
  std::vector<Contender> contenders;
  contenders.push_back({"memcpy/4-bytes-per-pixel", [this] {
                          ForRows(bgr_.rows, [&](int y) {
                            std::memcpy(four_bytes_copy_.ptr(y), four_bytes_.ptr(y),
                                        4 * static_cast<std::size_t>(bgr_.cols));
                          });
                        }});
  contenders.push_back(
      InRange("opencv/ycrcb-inrange", cv::COLOR_BGR2YCrCb, {0, 133, 77}, {255, 173, 127}));
  contenders.push_back(InRange("opencv/hsv-inrange", cv::COLOR_BGR2HSV, {0, 48, 80}, {20, 255, 255}));
  contenders.push_back(Mask("mask/quadratic", quadratic));
  contenders.push_back(Mask("mask/mixture-4", mixture));
  contenders.push_back(Mask("mask/table", table));
  contenders.push_back(Probability("probability8/quadratic", quadratic));
  contenders.push_back(Probability("probability8/mixture-4", mixture));
  contenders.push_back(Probability("probability8/table", table));
  contenders.push_back(Nv12Mask());
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
