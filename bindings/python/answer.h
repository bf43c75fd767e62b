// What is asked of a picture, and the library's answers to it. Nothing here knows Python.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <opencv2/core.hpp>
#include <optional>
#include <tuple>
#include <utility>

#include "skinmask/detect/detector.h"
#include "skinmask/detect/uncertainty.h"
#include "skinmask/media/outputs.h"
#include "skinmask/model/model.h"
#include "skinmask/model/posterior.h"
#include "skinmask/model/reference.h"

namespace skinmask::python {

// What is made at the first call of Get, by whichever thread it comes from.
template <class T>
class Lazy {
 public:
  template <class Make>
  const T& Get(const Make& make) const {
    std::call_once(once_, [&] { value_ = std::make_unique<const T>(make()); });
    return *value_;
  }

 private:
  mutable std::once_flag once_;
  mutable std::unique_ptr<const T> value_;
};

// A model, and what answers for single pixels, made when they are first asked for.
class KeptModel {
 public:
  explicit KeptModel(Model model) : model_(std::move(model)) {}

  const Model& model() const { return model_; }
  const Reference& reference() const {
    return reference_.Get([this] { return Reference(model_); });
  }
  const Posterior& posterior() const {
    return posterior_.Get([this] { return Posterior(model_, {.probability = false}); });
  }

 private:
  Model model_;
  Lazy<Reference> reference_;
  Lazy<Posterior> posterior_;
};

struct Request {
  Output output = Output::kMask;
  int bits = 8;  // of probabilities: 8, 16, or 32 for floats
  std::optional<std::pair<double, double>> abstain{};
};

// A Detector, and what it takes to tell where it is unsure. Safe from many threads.
class Answers {
 public:
  Answers(const Model& model, const DetectorOptions& options) : detector_(model, options) {}

  const Detector& detector() const { return detector_; }
  const Adapter* adapter() const { return detector_.adapter().get(); }

  // For CV_8UC3, `adaptation` null or what adapter() made of it; in the memory of `result`, where
  // that fits.
  cv::Mat Of(const Request& request, const cv::Mat& bgr, const Adaptation* adaptation,
             cv::Mat result = {}) const;

 private:
  cv::Mat Mask(const cv::Mat& bgr, const Adaptation* adaptation, cv::Mat result) const;
  cv::Mat Probability(int bits, const cv::Mat& bgr, const Adaptation* adaptation,
                      cv::Mat result) const;
  std::shared_ptr<const Uncertainty> UncertaintyOf(const Request& request) const;

  Detector detector_;
  mutable std::mutex mutex_;
  // By their options, the last few that were made.
  mutable std::deque<
      std::pair<std::tuple<double, double, double>, std::shared_ptr<const Uncertainty>>>
      uncertainties_;
};

}  // namespace skinmask::python
