// A picture and what is found in it.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <opencv2/core.hpp>
#include <optional>
#include <utility>

#include "skinmask/detect/judgement.h"
#include "skinmask/detect/measure.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/detect/region.h"

namespace skinmask::python {

namespace py = pybind11;

// All of it is made when it is first asked for, by whichever thread asks.
class Judged {
 public:
  // `owner` keeps what the judgement needs.
  Judged(std::shared_ptr<const void> owner, Judgement judgement)
      : owner_(std::move(owner)), judgement_(std::move(judgement)) {}

  cv::Mat Bgr() {
    const std::lock_guard lock(mutex_);
    return judgement_.Bgr();
  }
  cv::Mat Mask() {
    const std::lock_guard lock(mutex_);
    return Draw(Output::kMask, judgement_);
  }
  cv::Mat Probability() {
    const std::lock_guard lock(mutex_);
    return judgement_.Probability();
  }
  std::optional<Region> RegionIn() { return RegionOf(MapMomentsOf(Probability())); }
  Measurement Measured() {
    const std::lock_guard lock(mutex_);
    return judgement_.Measured();
  }
  const char* AdaptedBy() {
    const std::lock_guard lock(mutex_);
    const AdaptationSummary::By by = judgement_.summary().by;
    if (by == AdaptationSummary::By::kNothing) return "nothing";
    if (by == AdaptationSummary::By::kNobody) return "nobody";
    return by == AdaptationSummary::By::kSeeds ? "faces" : "image";
  }

 private:
  std::shared_ptr<const void> owner_;
  std::mutex mutex_;
  Judgement judgement_;
};

// One frame of a video.
class Frame : public Judged {
 public:
  Frame(std::shared_ptr<const void> owner, Judgement judgement, std::int64_t index, double seconds)
      : Judged(std::move(owner), std::move(judgement)), index_(index), seconds_(seconds) {}

  std::int64_t index() const { return index_; }
  double seconds() const { return seconds_; }

 private:
  std::int64_t index_;
  double seconds_;
};

void DefineJudged(py::module_& module);

}  // namespace skinmask::python
