#include "skinmask/detect/detect.h"

#include <memory>
#include <utility>
#include <vector>

#include "media/picture_type.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/model/model.h"

namespace skinmask {
namespace {

// What the program has without options.
struct Defaults {
  Model model = DefaultModel();
  Posterior posterior{model};
  Adapter adapter{model, model.decision.threshold, Finders()};

  static std::vector<std::unique_ptr<SeedFinder>> Finders() {
    std::vector<std::unique_ptr<SeedFinder>> finders;
    finders.push_back(HogFaceFinder());
    return finders;
  }
};

}  // namespace

cv::Mat Detect(const cv::Mat& bgr) {
  RequireType(bgr, CV_8UC3, "image");
  static const Defaults defaults;
  const std::optional<Adaptation> adaptation = defaults.adapter.Adapt(bgr);
  if (!adaptation) return DetectMask(defaults.posterior, bgr);
  cv::Mat mask;
  defaults.adapter.Mask(bgr, *adaptation, defaults.model.decision.threshold, mask);
  return mask;
}

}  // namespace skinmask
