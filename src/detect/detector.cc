#include "skinmask/detect/detector.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <utility>

#include "base/nearest.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

constexpr std::pair<double, double> kUsualInterval{0.25, 0.75};

Model AsAskedFor(Model model, const DetectorOptions& options) {
  if (options.prior) model = WithPrior(std::move(model), *options.prior);
  if (options.threshold) model.decision = {*options.threshold, "fixed", ""};
  if (!options.class_costs.empty()) model = WithClassCosts(std::move(model), options.class_costs);
  return model;
}

Posterior PosteriorAt(Model model, double threshold) {
  model.decision.threshold = threshold;
  return Posterior(model, {.probability = false});
}

// Of pictures that are judged in parallel: a thread that waits for what is made must not begin
// another one, which would wait for it.
template <class T, class Make>
const T& Made(const Lazy<T>& lazy, const Make& make) {
  return lazy.Get([&] { return tbb::this_task_arena::isolate(make); });
}

std::unique_ptr<SeedFinder> FaceFinderFor(const DetectorOptions& options) {
  const auto& finders = FaceFinders();
  return std::ranges::find(finders, !options.faces.empty(), &FaceFinder::takes_file)->make(options);
}

// Null where nothing is adapted.
std::shared_ptr<const Adapter> AdapterFor(const Model& made, const Model& model,
                                          const DetectorOptions& options) {
  if (!options.by_faces() && !options.faces.empty())
    throw Error(options.faces.string(), "finds no faces where nothing is adapted to them");
  const bool is_of_skin = model.positive().name == "skin";
  const bool by_itself = options.by_image() && !options.insist;
  if (!options.has_seeds() && (!options.by_faces() || (by_itself && !is_of_skin))) return nullptr;
  std::vector<std::unique_ptr<SeedFinder>> finders;
  if (options.seed_rect) finders.push_back(FixedSeed(*options.seed_rect));
  if (!options.seed_mask.empty()) finders.push_back(FixedSeed(options.seed_mask));
  if (options.by_faces()) finders.push_back(FaceFinderFor(options));
  AdaptOptions adapt = options.adaptation;
  adapt.image.enabled = (adapt.image.enabled && options.by_image()) || adapt.image.require_face;
  return std::make_shared<Adapter>(model, OwnThreshold(made, model.positive().prior),
                                   std::move(finders), adapt);
}

}  // namespace

const std::vector<FaceFinder>& FaceFinders() {
  static const std::vector<FaceFinder> finders = {
      {"hog", false, [](const DetectorOptions& o) { return HogFaceFinder(o.hog); }},
      {"yunet", true, [](const DetectorOptions& o) { return YuNetFaceFinder(o.faces); }},
  };
  return finders;
}

Detector::Detector(const Model& model, const DetectorOptions& options)
    : made_(std::make_shared<const Model>(model)) {
  SetOptions(options);
  adapter_ = AdapterFor(*made_, *model_, options);
  adapter_prior_ = model_->positive().prior;
}

Detector::Detector(const Model& model, std::shared_ptr<const Adapter> adapter,
                   const DetectorOptions& options)
    : made_(std::make_shared<const Model>(model)), adapter_(std::move(adapter)) {
  SetOptions(options);
  adapter_prior_ = model_->positive().prior;
}

Detector Detector::With(const DetectorOptions& options) const {
  Detector other = *this;
  other.SetOptions(options);
  return other;
}

double Detector::moved() const { return Logit(model_->positive().prior) - Logit(adapter_prior_); }

// What does not change stays as it is.
void Detector::SetOptions(const DetectorOptions& options) {
  Validate(options, *made_);
  const bool first = !model_;
  const bool same_prior = !first && options.prior == options_.prior;
  const bool same_model = same_prior && options.threshold == options_.threshold;
  const bool same_interval = same_prior && options.abstain == options_.abstain;
  const bool same_share = !first && options.outlier == options_.outlier;
  const bool same_posterior =
      same_model && options.pixels == options_.pixels && options.expected == options_.expected;
  if (!same_model) model_ = std::make_shared<const Model>(AsAskedFor(*made_, options));
  if (!same_posterior)
    posterior_ = std::make_shared<const FramePosterior>(*model_, options.pixels, options.expected);
  options_ = options;
  if (!same_interval) interval_ = std::make_shared<const Lazy<Interval>>();
  if (!same_share) {
    outliers_of_masks_ = std::make_shared<const Lazy<Outliers>>();
    outliers_of_maps_ = ExplainedShare(true) == ExplainedShare(false)
                            ? outliers_of_masks_
                            : std::make_shared<const Lazy<Outliers>>();
  }
}

double Detector::ExplainedShare(bool masks) const {
  const bool has_densities = made_->kind != Kind::kLogistic;
  return options_.outlier.value_or(!masks && has_densities ? kOutlierOfMaps : 1);
}

const Detector::Interval& Detector::interval() const {
  return Made(*interval_, [this] {
    const auto ends = options_.abstain.value_or(kUsualInterval);
    return Interval{ends, PosteriorAt(*model_, ends.first), PosteriorAt(*model_, ends.second)};
  });
}

const Outliers* Detector::OutliersOf(bool masks) const {
  const double share = ExplainedShare(masks);
  if (share == 1) return nullptr;
  return &Made(masks ? *outliers_of_masks_ : *outliers_of_maps_,
               [&] { return Outliers(*made_, share); });
}

std::shared_ptr<const Adaptation> Detector::Adapt(const Picture& picture) const {
  if (!adapter_) return nullptr;
  std::optional<Adaptation> adaptation = adapter_->Adapt(picture.Bgr());
  return adaptation ? std::make_shared<const Adaptation>(std::move(*adaptation)) : nullptr;
}

Stream::Stream(Detector detector, const StreamOptions& options) : detector_(std::move(detector)) {
  if (detector_.adapter()) adapter_.emplace(detector_.adapter(), options);
}

std::shared_ptr<const Adaptation> Stream::Follow(const Picture& picture) {
  return adapter_ ? adapter_->Follow(picture.Bgr()) : nullptr;
}

cv::Mat Detect(const cv::Mat& bgr) {
  static const Detector detector(DefaultModel());
  return detector.Judge(bgr).Mask();
}

double OwnThreshold(const Model& made, double prior) {
  if (prior == made.positive().prior) return made.decision.threshold;  // to the bit
  return Logistic(Logit(made.decision.threshold) + Logit(prior) - Logit(made.positive().prior));
}

}  // namespace skinmask
