// Pixels of which a model does not know: those near its threshold, and those whose colour none of
// its classes explains.
#pragma once

#include <opencv2/core.hpp>

#include "skinmask/detect/adapt.h"
#include "skinmask/model/outliers.h"
#include "skinmask/model/posterior.h"

namespace [[gnu::visibility("default")]] skinmask {

struct UncertaintyOptions {
  // Not known is what has low < P(skin) <= high, 0..1 each.
  double low = 0.25, high = 0.75;
  // Each component of a class explains the colours of its region of highest density that holds this
  // share of it (Outliers). 0..1; at 1 all colours are explained.
  double explained_share = 0.999;
};

// Safe from many threads; the same for any number.
class Uncertainty {
 public:
  static constexpr std::uint8_t kUnsure = 128, kUnexplained = 255;

  // Throws Error for options out of range, and for a logistic model, which has no densities, unless
  // explained_share is 1.
  Uncertainty(const Model& model, const UncertaintyOptions& options);

  // Of CV_8UC3, `adaptation` null or what `adapter` made of this image; CV_8UC1 of its size:
  // kUnexplained where no class explains the colour, elsewhere kUnsure where P(skin) is between low
  // and high, and 0 where the answer is sure. Costs two masks and the distances.
  cv::Mat Map(const cv::Mat& bgr, const Adapter* adapter, const Adaptation* adaptation) const;
  // The same from `probability` (CV_8UC1 of P(skin) as DetectProbability or an adapter makes it,
  // which must be at hand), to half a step of it. Costs the distances alone.
  cv::Mat MapOf(const cv::Mat& probability, const cv::Mat& bgr, const Adaptation* adaptation) const;
  // The mask that abstains: 255 where P(skin) is above high, kUnsure where it is not known or (with
  // explained_share under 1) not explained, 0 where it is at most low.
  cv::Mat AbstainingMask(const cv::Mat& bgr, const Adapter* adapter,
                         const Adaptation* adaptation) const;

 private:
  struct Levels {
    cv::Mat above_low, above_high, unexplained;  // 255 or 0; the last may be empty
  };
  Levels LevelsOf(const cv::Mat& bgr, const Adapter* adapter, const Adaptation* adaptation) const;
  cv::Mat Unexplained(const cv::Mat& bgr, const Adaptation* adaptation) const;

  UncertaintyOptions options_;
  Posterior low_, high_;
  std::optional<Outliers> outliers_;
};

}  // namespace skinmask
