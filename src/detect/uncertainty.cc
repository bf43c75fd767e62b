#include "skinmask/detect/uncertainty.h"

#include <fmt/format.h>

#include "detect/judged_rows.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/detect_image.h"

namespace skinmask {
namespace {

const UncertaintyOptions& Checked(const UncertaintyOptions& options) {
  if (!(options.low >= 0 && options.low <= options.high && options.high <= 1))
    throw Error("abstain", fmt::format("{} and {} are not two probabilities, the lower one first",
                                       options.low, options.high));
  if (!(options.explained_share > 0 && options.explained_share <= 1))
    throw Error("outlier",
                fmt::format("{} is no share (more than 0 and at most 1)", options.explained_share));
  return options;
}

Posterior PosteriorAt(Model model, double threshold) {
  model.decision.threshold = threshold;
  return Posterior(model, {.probability = false});
}

}  // namespace

Uncertainty::Uncertainty(const Model& model, const UncertaintyOptions& options)
    : options_(Checked(options)),
      low_(PosteriorAt(model, options.low)),
      high_(PosteriorAt(model, options.high)) {
  if (options.explained_share < 1) outliers_.emplace(model, options.explained_share);
}

cv::Mat Uncertainty::Unexplained(const cv::Mat& bgr, const Adaptation* adaptation) const {
  if (!outliers_) return {};
  std::optional<Outliers> own;
  if (adaptation && !adaptation->distances.empty())
    own.emplace(adaptation->distances, options_.explained_share);
  const Outliers& outliers = own ? *own : *outliers_;
  cv::Mat unexplained(bgr.size(), CV_8UC1);
  ForJudgedRows(low_, bgr.size(), [&](int y) {
    outliers.Row(bgr.ptr(y), static_cast<std::size_t>(bgr.cols), unexplained.ptr(y));
  });
  return unexplained;
}

Uncertainty::Levels Uncertainty::LevelsOf(const cv::Mat& bgr, const Adapter* adapter,
                                          const Adaptation* adaptation) const {
  RequireType(bgr, CV_8UC3, "image");
  Levels levels;
  if (adaptation) {
    adapter->Mask(bgr, *adaptation, options_.low, levels.above_low);
    adapter->Mask(bgr, *adaptation, options_.high, levels.above_high);
  } else {
    DetectMask(low_, bgr, levels.above_low);
    DetectMask(high_, bgr, levels.above_high);
  }
  levels.unexplained = Unexplained(bgr, adaptation);
  return levels;
}

cv::Mat Uncertainty::Map(const cv::Mat& bgr, const Adapter* adapter,
                         const Adaptation* adaptation) const {
  const Levels levels = LevelsOf(bgr, adapter, adaptation);
  cv::Mat map = (levels.above_low ^ levels.above_high) & kUnsure;
  if (!levels.unexplained.empty()) map.setTo(kUnexplained, levels.unexplained);
  return map;
}

cv::Mat Uncertainty::MapOf(const cv::Mat& probability, const cv::Mat& bgr,
                           const Adaptation* adaptation) const {
  RequireType(bgr, CV_8UC3, "image");
  RequirePicture(probability, CV_8UC1, bgr.size(), "map of probabilities");
  cv::Mat map = (probability > 255 * options_.low) & (probability <= 255 * options_.high);
  map &= kUnsure;
  if (const cv::Mat unexplained = Unexplained(bgr, adaptation); !unexplained.empty())
    map.setTo(kUnexplained, unexplained);
  return map;
}

cv::Mat Uncertainty::AbstainingMask(const cv::Mat& bgr, const Adapter* adapter,
                                    const Adaptation* adaptation) const {
  const Levels levels = LevelsOf(bgr, adapter, adaptation);
  cv::Mat mask = levels.above_high | (levels.above_low & kUnsure);
  if (!levels.unexplained.empty()) mask.setTo(kUnsure, levels.unexplained);
  return mask;
}

}  // namespace skinmask
