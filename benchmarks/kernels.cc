// Pixels a second of the row functions, beside a copy and what OpenCV's users write, on a
// photograph that is enlarged. Contenders that should answer alike are compared before they are
// timed.
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <Eigen/LU>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <numbers>
#include <opencv2/core/eigen.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/ml.hpp>
#include <stdexcept>

#include "results.h"
#include "skinmask/base/logistic.h"
#include "skinmask/data/yuv_encoding.h"
#include "skinmask/learn/fit.h"
#include "skinmask/model/posterior.h"
#include "skinmask/model/yuv_quadratic.h"

namespace skinmask::bench {
namespace {

// Labelled pixels as OpenCV takes them: a row of three floats and a label each.
struct Rows {
  cv::Mat pixels, labels;
  explicit Rows(const Samples& samples) {
    for (const SampleRow& row : samples.rows()) {
      for (std::uint64_t i = 0; i < row.count; ++i) {
        pixels.push_back(cv::Vec3f(row.b, row.g, row.r));
        labels.push_back(static_cast<int>(row.class_index));
      }
    }
    pixels = pixels.reshape(1);
  }
};

// With equal priors, as NormalBayesClassifier has them.
Model Gaussian(const Samples& samples) {
  FitOptions options;
  options.positive_prior = 0.5;
  options.estimator = Estimator::kUnbiased;
  return Fit(samples, options);
}

Model OfKind(const Samples& samples, Kind kind, const char* space = "BGR") {
  FitOptions options;
  options.kind = kind;
  options.features = Features(space, {});
  return Fit(samples, options);
}

constexpr int kComponents = 4, kPositive = 2;  // the first two count as skin

// log(weight * density) of a component of EM's.
Quadratic LogDensity(double weight, const cv::Mat& mean, const cv::Mat& covariance) {
  Eigen::Matrix3d s;
  Eigen::Vector3d mu;
  cv::cv2eigen(covariance, s);
  cv::cv2eigen(mean.reshape(1, 3), mu);
  const Eigen::Matrix3d inverse = s.inverse();
  const Eigen::Vector3d v = Eigen::Vector3d::Constant(128) - mu, linear = -inverse * v;
  Quadratic q;
  q.constant = std::log(weight) - 0.5 * std::log(s.determinant()) - 0.5 * v.dot(inverse * v);
  q.linear = {linear(0), linear(1), linear(2)};
  q.product = {-inverse(0, 0) / 2, -inverse(0, 1), -inverse(0, 2),
               -inverse(1, 1) / 2, -inverse(1, 2), -inverse(2, 2) / 2};
  return q;
}

CompiledMixture MixtureOf(const cv::ml::EM& em) {
  std::vector<cv::Mat> covariances;
  em.getCovs(covariances);
  std::vector<MixtureComponent> components;
  for (int k = 0; k < kComponents; ++k)
    components.push_back({LogDensity(em.getWeights().at<double>(k), em.getMeans().row(k),
                                     covariances[static_cast<std::size_t>(k)]),
                          k < kPositive ? 0 : 1});
  return CompiledMixture(components, 0);
}

// row(y) for every row, on the threads that are allowed.
template <class Row>
void ForRows(int rows, const Row& row) {
  tbb::parallel_for(tbb::blocked_range<int>(0, rows, 16),
                    [&](const tbb::blocked_range<int>& range) {
                      for (int y = range.begin(); y < range.end(); ++y) row(y);
                    });
}

// A picture in every form that a contender wants, and where they put their answers.
struct Picture {
  cv::Mat bgr, luma, chroma;  // chroma of two by two pixels: U V U V ... in a row
  cv::Mat four_bytes, four_bytes_copy, converted, out;

  Picture(const cv::Mat& photo, cv::Size size) : four_bytes_copy(size, CV_8UC4), out(size, CV_8U) {
    cv::resize(photo, bgr, size, 0, 0, cv::INTER_CUBIC);
    cv::cvtColor(bgr, four_bytes, cv::COLOR_BGR2BGRA);
    cv::Mat i420;
    cv::cvtColor(bgr, i420, cv::COLOR_BGR2YUV_I420);
    luma = i420.rowRange(0, size.height).clone();
    const cv::Mat planes = i420.rowRange(size.height, i420.rows).clone().reshape(1, 2);
    cv::merge(std::vector<cv::Mat>{planes.row(0), planes.row(1)}, chroma);
    chroma = chroma.reshape(1, size.height / 2);
  }
};

struct Contender {
  std::string name;
  std::function<void(Picture&)> run;
  std::string like = {};  // whose answers its must be
  double may_differ = 0;  // in at most this share of the pixels
};

template <class Form>
Contender Mask(std::string name, std::shared_ptr<const Form> form, std::string like = {},
               double may_differ = 0) {
  return {std::move(name),
          [form](Picture& p) {
            ForRows(p.bgr.rows, [&](int y) {
              form->MaskRow(p.bgr.ptr(y), static_cast<std::size_t>(p.bgr.cols), p.out.ptr(y));
            });
          },
          std::move(like), may_differ};
}

template <class Form>
Contender Probability(std::string name, std::shared_ptr<const Form> form) {
  return {std::move(name), [form](Picture& p) {
            ForRows(p.bgr.rows, [&](int y) {
              form->ProbabilityRow(p.bgr.ptr(y), static_cast<std::size_t>(p.bgr.cols),
                                   p.out.ptr(y));
            });
          }};
}

Contender Nv12Mask(const Model& model) {
  const auto quadratic = std::make_shared<const CompiledYuvQuadratic>(
      Quadratic(model), YuvEncoding{}, Logit(model.decision.threshold));
  // Chroma at half the resolution, and bytes that are rounded: not the same picture at edges.
  return {"mask/quadratic-nv12",
          [quadratic](Picture& p) {
            ForRows(p.luma.rows, [&](int y) {
              quadratic->MaskRow({YuvRow::Layout::kNv12, {p.luma.ptr(y), p.chroma.ptr(y / 2)}},
                                 static_cast<std::size_t>(p.luma.cols), p.out.ptr(y));
            });
          },
          "mask/quadratic", 0.02};
}

Contender InRange(std::string name, int conversion, cv::Scalar low, cv::Scalar high) {
  return {std::move(name), [=](Picture& p) {
            cv::cvtColor(p.bgr, p.converted, conversion);
            cv::inRange(p.converted, low, high, p.out);
          }};
}

Contender Copy() {
  return {"memcpy/4-bytes-per-pixel", [](Picture& p) {
            ForRows(p.bgr.rows, [&](int y) {
              std::memcpy(p.four_bytes_copy.ptr(y), p.four_bytes.ptr(y),
                          4 * static_cast<std::size_t>(p.bgr.cols));
            });
          }};
}

cv::Mat Floats(const cv::Mat& bgr) {
  cv::Mat pixels;
  bgr.reshape(1, static_cast<int>(bgr.total())).convertTo(pixels, CV_32F);
  return pixels;
}

Contender NormalBayes(const Rows& rows) {
  const auto classifier = cv::ml::NormalBayesClassifier::create();
  classifier->train(rows.pixels, cv::ml::ROW_SAMPLE, rows.labels);
  const int skin = rows.labels.at<int>(rows.labels.rows - 1);  // the last class by name
  return {"opencv/normal-bayes", [classifier, skin](Picture& p) {
            cv::Mat classes;
            classifier->predict(Floats(p.bgr), classes);
            cv::compare(classes.reshape(1, p.bgr.rows), skin, p.out, cv::CMP_EQ);
          }};
}

Contender Em(const cv::Ptr<cv::ml::EM>& em) {
  return {"opencv/em", [em](Picture& p) {
            cv::Mat shares, skin;
            em->predict(Floats(p.bgr), shares);
            cv::reduce(shares.colRange(0, kPositive), skin, 1, cv::REDUCE_SUM);
            cv::compare(skin.reshape(1, p.bgr.rows), 0.5, p.out, cv::CMP_GT);
          }};
}

std::vector<Contender> Contenders(const Samples& samples) {
  const Rows rows(samples);
  const auto em = cv::ml::EM::create();
  em->setClustersNumber(kComponents);
  em->setCovarianceMatrixType(cv::ml::EM::COV_MAT_GENERIC);
  cv::setRNGSeed(1);
  em->trainEM(rows.pixels);
  const Model gaussian = Gaussian(samples);
  const auto quadratic = std::make_shared<const Posterior>(gaussian);
  const auto mixture = std::make_shared<const CompiledMixture>(MixtureOf(*em));
  const auto table = std::make_shared<const Posterior>(OfKind(samples, Kind::kGaussianNb, "HSV"));
  constexpr double kTies = 1e-4;  // OpenCV's answers come from float inputs by other formulas
  return {
      Copy(),
      InRange("opencv/ycrcb-inrange", cv::COLOR_BGR2YCrCb, {0, 133, 77}, {255, 173, 127}),
      InRange("opencv/hsv-inrange", cv::COLOR_BGR2HSV, {0, 48, 80}, {20, 255, 255}),
      NormalBayes(rows),
      Em(em),
      Mask("mask/quadratic", quadratic, "opencv/normal-bayes", kTies),
      Mask("mask/mixture-4", mixture, "opencv/em", kTies),
      Mask("mask/table", table),
      Probability("probability8/quadratic", quadratic),
      Probability("probability8/mixture-4", mixture),
      Probability("probability8/table", table),
      Mask("mask/logistic", std::make_shared<const Posterior>(OfKind(samples, Kind::kLogistic))),
      Mask("mask/histogram", std::make_shared<const Posterior>(OfKind(samples, Kind::kHistogram))),
      Nv12Mask(gaussian)};
}

// Throws where a contender's answers are not those of its like.
void Compare(const std::vector<Contender>& contenders, Picture& picture) {
  for (const Contender& contender : contenders) {
    if (contender.like.empty()) continue;
    for (const Contender& other : contenders)
      if (other.name == contender.like) other.run(picture);
    const cv::Mat expected = picture.out.clone();
    contender.run(picture);
    const double differ =
        cv::countNonZero(expected != picture.out) / static_cast<double>(expected.total());
    if (differ > contender.may_differ)
      throw std::runtime_error(fmt::format("{} differs from {} in {:.4f} % of the pixels",
                                           contender.name, contender.like, 100 * differ));
  }
}

}  // namespace

void BenchKernels(const std::string& samples, Results& results) {
  const cv::Mat photo = cv::imread(samples + "/photos/grace_hopper.jpg");
  const std::vector<Contender> contenders =
      Contenders(ReadSamples(samples + "/labelled-pixels.csv"));
  for (const cv::Size size : {cv::Size(640, 480), cv::Size(1920, 1080), cv::Size(3840, 2160)}) {
    Picture picture(photo, size);
    Compare(contenders, picture);
    for (const int threads : ThreadCounts()) {
      const tbb::global_control control(tbb::global_control::max_allowed_parallelism,
                                        static_cast<std::size_t>(threads));
      cv::setNumThreads(threads);
      for (const Contender& contender : contenders) {
        const double seconds = FastestSeconds([&] { contender.run(picture); });
        results.push_back({contender.name, fmt::format("{}x{}", size.width, size.height), threads,
                           size.area() / 1e6 / seconds});
      }
    }
  }
}

}  // namespace skinmask::bench
