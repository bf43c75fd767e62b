#include "answer.h"

#include <tuple>

#include "skinmask/detect/detect_image.h"
#include "skinmask/detect/draw.h"

namespace skinmask::python {

std::shared_ptr<const Uncertainty> Answers::UncertaintyOf(const Request& request) const {
  const Model& model = detector_.model();
  UncertaintyOptions options;
  if (request.abstain) std::tie(options.low, options.high) = *request.abstain;
  // Masks abstain by P(skin) alone; a logistic model knows no more.
  if (request.output != Output::kUncertainty || model.kind == Kind::kLogistic)
    options.explained_share = 1;
  const std::tuple key(options.low, options.high, options.explained_share);
  const std::lock_guard lock(mutex_);
  for (const auto& [of, kept] : uncertainties_)
    if (of == key) return kept;
  constexpr std::size_t kMax = 4;
  if (uncertainties_.size() == kMax) uncertainties_.pop_front();
  return uncertainties_.emplace_back(key, std::make_shared<const Uncertainty>(model, options))
      .second;
}

cv::Mat Answers::Mask(const cv::Mat& bgr, const Adaptation* adaptation, cv::Mat result) const {
  if (adaptation)
    adapter()->Mask(bgr, *adaptation, detector_.model().decision.threshold, result);
  else
    DetectMask(detector_.posterior(), bgr, result);
  return result;
}

cv::Mat Answers::Probability(int bits, const cv::Mat& bgr, const Adaptation* adaptation,
                             cv::Mat result) const {
  const Posterior& posterior = detector_.posterior();
  if (!adaptation) {
    if (bits == 8) return DetectProbability(posterior, bgr);
    if (bits == 32) return DetectFloatProbability(posterior, bgr);
    return DeepProbabilityOf(DetectLogOdds(posterior, bgr));
  }
  if (bits == 8) {
    adapter()->Probability(bgr, *adaptation, result);
    return result;
  }
  const cv::Mat log_odds = adapter()->LogOdds(bgr, *adaptation);
  return bits == 32 ? FloatProbabilityOf(log_odds) : DeepProbabilityOf(log_odds);
}

cv::Mat Answers::Of(const Request& request, const cv::Mat& bgr, const Adaptation* adaptation,
                    cv::Mat result) const {
  switch (request.output) {
    case Output::kMask:
      if (request.abstain)
        return UncertaintyOf(request)->AbstainingMask(bgr, adapter(), adaptation);
      return Mask(bgr, adaptation, std::move(result));
    case Output::kProbability:
      return Probability(request.bits, bgr, adaptation, std::move(result));
    case Output::kOverlay:
      return DrawOverlay(bgr, Mask(bgr, adaptation, {}));
    case Output::kCutout:
      return CutOut(bgr, Mask(bgr, adaptation, {}));
    case Output::kClasses:
      return DetectClasses(detector_.posterior(), bgr);
    case Output::kUncertainty:
      return UncertaintyOf(request)->Map(bgr, adapter(), adaptation);
  }
  return {};
}

}  // namespace skinmask::python
