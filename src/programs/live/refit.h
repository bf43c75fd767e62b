// A model that learns from pixels that the user points at.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <utility>
#include <vector>

#include "skinmask/data/moments.h"
#include "skinmask/model/model.h"

namespace skinmask::live {

// The model as trained counts as kTrainedPixels pixels of each class, with that class's mean and
// covariance; the labelled ones are added to them, by their exact moments. Priors, threshold and
// calibration stay: a rectangle says how skin looks, not how much of it there is.
class Refit {
 public:
  static constexpr double kTrainedPixels = 5000;

  explicit Refit(Model trained);

  // Throws Error for models that are not two Gaussians, and for rectangles without pixels. `bgr` is
  // CV_8UC3.
  void Add(const cv::Mat& bgr, bool positive);
  void Undo();  // the last that was added
  void Clear();

  std::size_t rectangles() const { return before_.size(); }
  bool empty() const { return skin_.n + other_.n == 0; }
  std::uint64_t skin_pixels() const { return skin_.n; }
  std::uint64_t other_pixels() const { return other_.n; }

  // The trained model where nothing was added. Its card says what was added, and has no scores,
  // which would be another model's.
  Model Fitted() const;

 private:
  Model trained_;
  Moments skin_, other_;
  std::vector<std::pair<Moments, Moments>> before_;  // each rectangle: what both were
};

}  // namespace skinmask::live
