#include "skinmask/detect/detector.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/nearest.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

using Adapting = DetectorOptions::Adapt;

constexpr std::pair<Adapting, std::string_view> kAdaptings[] = {
    {Adapting::kAuto, "auto"}, {Adapting::kFaces, "faces"}, {Adapting::kOff, "off"}};

Model WithThresholdOf(Model model, double threshold) {
  if (!(threshold >= 0 && threshold <= 1))
    throw Error("threshold", fmt::format("is {} (0 to 1)", threshold));
  model.decision = {threshold, "fixed", ""};
  return model;
}

Model AsAskedFor(Model model, const DetectorOptions& options) {
  if (options.prior) model = WithPrior(std::move(model), *options.prior);
  return options.threshold ? WithThresholdOf(std::move(model), *options.threshold) : model;
}

std::shared_ptr<const Adapter> AdapterFor(const Model& made, const Model& model,
                                          const DetectorOptions& options) {
  if (options.adapt == Adapting::kOff && !options.faces.empty())
    throw Error(options.faces.string(), "finds no faces where nothing is adapted to them");
  const bool is_of_skin = model.positive().name == "skin";
  if (options.adapt == Adapting::kOff || (options.adapt == Adapting::kAuto && !is_of_skin))
    return nullptr;
  std::vector<std::unique_ptr<SeedFinder>> finders;
  finders.push_back(options.faces.empty() ? HogFaceFinder(options.hog)
                                          : YuNetFaceFinder(options.faces));
  AdaptOptions adapt;
  adapt.refinement.enabled = options.refine;
  adapt.image.enabled = options.adapt == Adapting::kAuto;
  return std::make_shared<Adapter>(model, OwnThreshold(made, model.positive().prior),
                                   std::move(finders), adapt);
}

VideoFrame FrameOf(const cv::Mat& bgr) {
  VideoFrame frame;
  frame.size = bgr.size();
  return frame;
}

}  // namespace

std::string_view AdaptName(Adapting wanted) { return NameIn(kAdaptings, wanted); }
Adapting AdaptFromName(std::string_view name) { return FromNameIn(kAdaptings, "adapt", name); }
std::vector<std::string_view> AdaptNames() { return NamesIn(kAdaptings); }

Detector::Detector(const Model& model, const DetectorOptions& options)
    : model_(AsAskedFor(model, options)),
      posterior_(model_),
      adapter_(AdapterFor(model, model_, options)) {}

Detector Detector::WithThreshold(double threshold) const {
  Detector other = *this;
  other.model_ = WithThresholdOf(model_, threshold);
  other.posterior_ = FramePosterior(other.model_);
  return other;
}

std::optional<Adaptation> Detector::Adapt(const cv::Mat& bgr) const {
  RequireType(bgr, CV_8UC3, "image");
  return adapter_ ? adapter_->Adapt(bgr) : std::nullopt;
}

void Detector::Mask(const cv::Mat& bgr, cv::Mat& mask) const {
  const std::optional<Adaptation> adaptation = Adapt(bgr);
  Mask(FrameOf(bgr), bgr, adaptation ? &*adaptation : nullptr, mask);
}

void Detector::Probability(const cv::Mat& bgr, cv::Mat& probability) const {
  const std::optional<Adaptation> adaptation = Adapt(bgr);
  Probability(FrameOf(bgr), bgr, adaptation ? &*adaptation : nullptr, probability);
}

void Detector::Mask(const VideoFrame& frame, const cv::Mat& bgr, const Adaptation* adaptation,
                    cv::Mat& mask) const {
  if (adaptation)
    adapter_->Mask(bgr, *adaptation, model_.decision.threshold, mask);
  else
    posterior_.Mask(frame, bgr, mask);
}

void Detector::Probability(const VideoFrame& frame, const cv::Mat& bgr,
                           const Adaptation* adaptation, cv::Mat& probability) const {
  if (adaptation)
    adapter_->Probability(bgr, *adaptation, probability);
  else
    posterior_.Probability(frame, bgr).copyTo(probability);
}

double OwnThreshold(const Model& made, double prior) {
  if (prior == made.positive().prior) return made.decision.threshold;  // to the bit
  return Logistic(Logit(made.decision.threshold) + Logit(prior) - Logit(made.positive().prior));
}

}  // namespace skinmask
