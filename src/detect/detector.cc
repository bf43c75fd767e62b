#include "skinmask/detect/detector.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "base/nearest.h"
#include "base/parse.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/measure.h"

namespace skinmask {
namespace {

using Adapting = DetectorOptions::Adapt;
using Ends = std::pair<double, double>;  // of the abstaining interval

constexpr std::pair<Adapting, std::string_view> kAdaptings[] = {
    {Adapting::kAuto, "auto"}, {Adapting::kFaces, "faces"}, {Adapting::kOff, "off"}};

bool IsInterval(const Ends& ends) {
  return ends.first >= 0 && ends.first <= ends.second && ends.second <= 1;
}

std::string TextOfInterval(const Ends& ends) {
  return fmt::format("{},{}", ends.first, ends.second);
}
Ends IntervalFrom(const std::string& text) {
  const auto numbers = ParseNumbers<double>(text, ',');
  if (numbers && numbers->size() == 2 && IsInterval({(*numbers)[0], (*numbers)[1]}))
    return {(*numbers)[0], (*numbers)[1]};
  throw Error(fmt::format("`abstain` '{}'", text),
              "is not LOW,HIGH (two probabilities, the lower one first, as in 0.2,0.8)");
}

std::string TextOfRectangle(const cv::Rect& r) {
  return fmt::format("{},{},{},{}", r.x, r.y, r.width, r.height);
}
cv::Rect RectangleFrom(const std::string& text) {
  if (const auto rectangle = RectangleFromText(text)) return *rectangle;
  throw Error(fmt::format("`seed_rect` '{}'", text), "is not X,Y,WIDTH,HEIGHT in pixels");
}

constexpr std::pair<bool Drawing::*, std::string_view> kDrawings[] = {
    {&Drawing::faces, "faces"}, {&Drawing::ellipse, "ellipse"}};

std::string TextOfDrawing(const Drawing& drawing) {
  std::string text;
  for (const auto& [is_drawn, name] : kDrawings)
    if (drawing.*is_drawn) text.append(text.empty() ? "" : ",").append(name);
  return text;
}
Drawing DrawingFrom(const std::string& text) {
  Drawing drawing;
  for (const std::string& word : Parts(text, ','))
    drawing.*FromNameIn(kDrawings, "`draw`", word) = true;
  return drawing;
}

constexpr Ends kUsualInterval{0.25, 0.75};

Model AsAskedFor(Model model, const DetectorOptions& options) {
  if (options.prior) model = WithPrior(std::move(model), *options.prior);
  if (options.threshold) model.decision = {*options.threshold, "fixed", ""};
  if (!options.class_costs.empty()) model = WithClassCosts(std::move(model), options.class_costs);
  return model;
}

Posterior PosteriorAt(Model model, double threshold, std::uint64_t expected_pixels) {
  model.decision.threshold = threshold;
  return Posterior(model, {.expected_pixels = expected_pixels, .probability = false});
}

// Makes the value in isolation, because pictures may run in parallel: a thread that waits for it
// must not begin with another picture, which would wait for the same value.
template <class T, class Make>
const T& MadeAlone(const Lazy<T>& lazy, const Make& make) {
  return lazy.Get([&] { return tbb::this_task_arena::isolate(make); });
}

std::unique_ptr<SeedFinder> FaceFinderFor(const DetectorOptions& options) {
  const auto& finders = FaceFinders();
  return std::ranges::find(finders, !options.faces.empty(), &FaceFinder::takes_file)->make(options);
}

// The threshold of a trained model after its prior has become `prior`, which shifts all log-odds
// alike.
double OwnThreshold(const Model& made, double prior) {
  const double own = made.PriorOfLogOdds();
  if (prior == own) return made.decision.threshold;  // to the bit
  return Logistic(Logit(made.decision.threshold) + Logit(prior) - Logit(own));
}

// Null without adaptation.
std::shared_ptr<const Adapter> AdapterFor(const Model& made, const Model& model,
                                          const DetectorOptions& options) {
  if (!options.by_faces() && !options.faces.empty())
    throw Error("`faces`",
                "names a face finder, and `adapt` searches for no faces (auto or faces)");
  const bool is_of_skin = model.positive().name == "skin";
  const bool by_itself = options.by_image() && !options.insist;
  if (!options.has_seeds() && (!options.by_faces() || (by_itself && !is_of_skin))) {
    if (options.adaptation.image.require_face && options.adapt == DetectorOptions::Adapt::kOff)
      throw Error("`require_face`", "is of adapted images, and `adapt` is off");
    return nullptr;
  }
  std::vector<std::unique_ptr<SeedFinder>> finders;
  if (options.seed_rect) finders.push_back(FixedSeed(*options.seed_rect));
  if (!options.seed_mask.empty()) finders.push_back(FixedSeed(options.seed_mask));
  if (options.by_faces()) finders.push_back(FaceFinderFor(options));
  AdaptOptions adapt = options.adaptation;
  adapt.image.enabled = (adapt.image.enabled && options.by_image()) || adapt.image.require_face;
  return std::make_shared<Adapter>(model, OwnThreshold(made, model.PriorOfLogOdds()),
                                   std::move(finders), adapt);
}

}  // namespace

std::optional<cv::Rect> RectangleFromText(std::string_view text) {
  constexpr int kMaxSide = 1 << 24;  // sums of two stay whole numbers
  const auto n = ParseNumbers<int>(text, ',');
  const auto is_good = [](int i) { return i >= 0 && i <= kMaxSide; };
  if (!n || n->size() != 4 || !std::ranges::all_of(*n, is_good) || (*n)[2] == 0 || (*n)[3] == 0)
    return std::nullopt;
  return cv::Rect((*n)[0], (*n)[1], (*n)[2], (*n)[3]);
}

const OptionTable<DetectorOptions>& DetectorTable() {
  using O = DetectorOptions;
  static const OptionTable<O> table{
      Option("adapt", &O::adapt, kAdaptings)
          .Shown("adapt", "Adaptation", "auto|faces|off",
                 "Fit the model to the faces of each image, and divide an image without a face "
                 "where its own colours divide (auto) or by the global model (faces); off: the "
                 "global model alone, which is faster and much less accurate")
          .Insists([](O& options) { options.insist = true; }),
      Option("faces", &O::faces)
          .Shown("faces", "Adaptation", "FILE.onnx",
                 "Find faces by this network, YuNet of the OpenCV Zoo, instead of the built-in "
                 "detector")
          .Insists([](O& options) { options.insist |= !options.faces.empty(); }),
      Option("seed_mask", &O::seed_mask)
          .Shown("seed_mask", "Adaptation", "FILE",
                 "Fit to the skin that this mask marks (above 127), in every image"),
      Option("seed_rect", &O::seed_rect, TextOfRectangle, RectangleFrom)
          .Shown("seed_rect", "Adaptation", "X,Y,W,H",
                 "Fit to the skin in this rectangle, in every image"),
      {"adaptation.", &O::adaptation, AdaptTable()},
      Option("threshold", &O::threshold, 0, 1)
          .Shown("threshold", "Decision", "P",
                 "A pixel is skin when P(skin) is above this (default: the model's own)"),
      Option("prior", &O::prior, OptionRange{0, 1, true, true})
          .Shown("prior", "Decision", "P",
                 "Prior P(skin), more than 0 and less than 1 (default: the model's own)"),
      Option("class_costs", &O::class_costs, TextOfClassCosts, ClassCostsFrom)
          .Shown("class_costs", "Decision", "C,C:C,C",
                 "What calling one class another costs, where classes are written or counted, as "
                 "train has it (default: the model's own)"),
      Option("abstain", &O::abstain, TextOfInterval, IntervalFrom)
          .Shown("abstain", "Decision", "LOW,HIGH",
                 "Say 'I do not know' where P(skin) is above LOW and at most HIGH"),
      Option("outlier", &O::outlier, OptionRange{0, 1, true})
          .Shown("outlier", "Decision", "Q",
                 "Call a colour unknown, too, if it is outside of the region that holds the share "
                 "Q of each Gaussian of each class (default: 0.999 with output uncertainty, else "
                 "all colours are known)"),
      Option("draw", &O::draw, TextOfDrawing, DrawingFrom)
          .Shown("draw", "Output", "faces|ellipse",
                 "Draw into overlays the boxes of faces, numbered, with the forehead and the "
                 "cheeks that are measured, or the ellipse of the mask with its axis; or both: "
                 "faces,ellipse"),
      Option("erode", &O::erode, 0, 100)
          .Shown("erode", "Output", "N",
                 "Leave out the N pixels next to the border of the mask where colours are measured")
          .Usually(fmt::format("{}", kUsualErosion))
          .ChangesNoResult()};
  return table;
}

void Validate(const DetectorOptions& options, const Model& model) {
  DetectorTable().Validate(options, "option");
  if (options.abstain && !IsInterval(*options.abstain))
    throw Error("`abstain`", fmt::format("{} are not two probabilities, the lower one first",
                                         TextOfInterval(*options.abstain)));
  if (options.outlier.value_or(1) < 1 && model.kind == Kind::kLogistic)
    throw Error("`outlier`", "a logistic model has no densities (a Gaussian or a histogram one)");
  // Throws Error for a prior and for costs that the model cannot have.
  if (options.prior || !options.class_costs.empty()) AsAskedFor(model, options);
}

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
  adapter_prior_ = model_->PriorOfLogOdds();
}

Detector::Detector(const Model& model, std::shared_ptr<const Adapter> adapter,
                   const DetectorOptions& options)
    : made_(std::make_shared<const Model>(model)), adapter_(std::move(adapter)) {
  SetOptions(options);
  adapter_prior_ = made_->PriorOfLogOdds();
}

Detector Detector::With(const DetectorOptions& options) const {
  DetectorOptions changed = options;
  // What adapts stays.
  changed.adapt = options_.adapt;
  changed.insist = options_.insist;
  changed.seed_rect = options_.seed_rect;
  changed.seed_mask = options_.seed_mask;
  changed.faces = options_.faces;
  changed.hog = options_.hog;
  changed.adaptation = options_.adaptation;
  Detector other = *this;
  other.SetOptions(changed);
  return other;
}

double Detector::prior_shift() const {
  return Logit(model_->PriorOfLogOdds()) - Logit(adapter_prior_);
}

// Parts that do not change are kept.
void Detector::SetOptions(const DetectorOptions& options) {
  const bool first = !model_;
  if (first) Validate(*made_, "model");
  Validate(options, *made_);
  const bool same_prior = !first && options.prior == options_.prior;
  const bool same_model = same_prior && options.threshold == options_.threshold &&
                          options.class_costs == options_.class_costs;
  const bool as_expected = !first && options.expected == options_.expected;
  const bool same_interval = same_prior && as_expected && options.abstain == options_.abstain;
  const bool same_share = as_expected && options.outlier == options_.outlier;
  const bool same_posterior = same_model && as_expected && options.pixels == options_.pixels;
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
  return MadeAlone(*interval_, [this] {
    const auto ends = options_.abstain.value_or(kUsualInterval);
    const std::uint64_t pixels = options_.expected.expected_pixels;
    return Interval{ends, PosteriorAt(*model_, ends.first, pixels),
                    PosteriorAt(*model_, ends.second, pixels)};
  });
}

const Outliers* Detector::OutliersOf(bool masks) const {
  const double share = ExplainedShare(masks);
  if (share == 1) return nullptr;
  return &MadeAlone(masks ? *outliers_of_masks_ : *outliers_of_maps_,
                    [&] { return Outliers(*made_, share, options_.expected.expected_pixels); });
}

std::shared_ptr<const Adaptation> Detector::Adapt(const Picture& picture) const {
  if (!adapter_) return nullptr;
  std::optional<Adaptation> adaptation = adapter_->Adapt(picture.Bgr());
  return adaptation ? std::make_shared<const Adaptation>(std::move(*adaptation)) : nullptr;
}

Stream::Stream(Detector detector, const StreamOptions& options) : detector_(std::move(detector)) {
  if (detector_.adapter()) adapter_.emplace(detector_.adapter(), options);
}

std::shared_ptr<const StreamAdapter::Observation> Stream::Observe(const Picture& picture) {
  return adapter_ ? adapter_->Observe(picture.Bgr()) : nullptr;
}

std::shared_ptr<const Adaptation> Stream::AdaptTo(const StreamAdapter::Observation* observation) {
  return observation ? adapter_->AdaptTo(*observation) : nullptr;
}

cv::Mat Detect(const cv::Mat& bgr) {
  static const Detector detector(DefaultModel());
  return detector.Judge(bgr).Mask();
}

}  // namespace skinmask
