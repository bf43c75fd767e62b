#include "programs/live/scene.h"

#include <opencv2/core.hpp>
#include <utility>

#include "base/elapsed.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/detect_image.h"

namespace skinmask::live {
Scene::Scene(const Model& model, bool mirror, AdapterMaker make_adapter)
    : mirror_(mirror),
      refit_(model),
      own_decision_(model.decision),
      own_prior_(model.positive().prior),
      make_adapter_(std::move(make_adapter)) {
  SetModel(model);
  AdaptTo(model);
}

void Scene::AdaptTo(const Model& model) {
  constexpr StreamOptions kLive{8, 3};  // the search has 0.1 s at 30 frames/s, and no frame waits
  adapter_ = make_adapter_ ? make_adapter_(model, asked_to_adapt_) : nullptr;
  adapter_prior_ = model.positive().prior;
  adaptation_.reset();
  stream_.reset();
  if (adapter_) stream_.emplace(adapter_, kLive);
}

void Scene::SetAdapting(bool adapting) {
  if (adapting == this->adapting()) return;
  asked_to_adapt_ = adapting;
  if (adapting) return AdaptTo(model_);
  adaptation_.reset();
  stream_.reset();
}

bool Scene::RegionCounts() const {
  return tracking() || adapted().by == AdaptationSummary::By::kSeeds;
}

void Scene::SetModel(const Model& model) {
  model_ = model;
  posterior_.emplace(model);
}

cv::Mat Scene::Mirrored(const cv::Mat& upright) const {
  if (!mirror_) return upright;
  cv::Mat flipped;
  cv::flip(upright, flipped, 1);
  return flipped;
}

void Scene::Process(LiveFrame&& frame, Statistics& statistics) {
  frame_ = std::move(frame);
  observation_ = {};
  if (stream_) {
    const auto start = Clock::now();
    adaptation_ = stream_->Follow(ObservationWithBgr().bgr);
    statistics.of(Stage::kAdapt).Add(SecondsSince(start));
  }
  Classify(statistics);
}

void Scene::Reprocess() {
  if (!frame_) return;
  Statistics unused;
  if (stream_ && !adaptation_) adaptation_ = stream_->Follow(ObservationWithBgr().bgr);
  Classify(unused);
}

// Without a BGR image, where the model and the frame allow it.
Maps Scene::MapsAsDecoded() {
  const VideoFrame& picture = frame_->picture;
  const cv::Mat bgr = posterior_->TakesYuv(picture) ? cv::Mat() : picture.StoredBgr();
  if (!bgr.empty() && observation_.bgr.empty()) observation_.bgr = Mirrored(picture.Upright(bgr));
  return {Mirrored(picture.Upright(posterior_->Mask(picture, bgr))),
          Mirrored(picture.Upright(posterior_->Probability(picture, bgr)))};
}

// Another prior than the adapter's moves all log-odds alike.
Maps Scene::MapsAdapted() {
  const cv::Mat& bgr = ObservationWithBgr().bgr;
  const double moved = Logit(prior()) - Logit(adapter_prior_);
  Maps maps;
  if (moved == 0) {
    adapter_->MaskAndProbability(bgr, *adaptation_, threshold(), maps.mask, maps.probability);
    return maps;
  }
  const cv::Mat log_odds = adapter_->LogOdds(bgr, *adaptation_) + cv::Scalar(moved);
  maps.mask = MaskOf(log_odds, threshold());
  maps.probability = ProbabilityOf(log_odds);
  return maps;
}

void Scene::Classify(Statistics& statistics) {
  const auto start = Clock::now();
  observation_.maps = adaptation_ ? MapsAdapted() : MapsAsDecoded();
  statistics.of(Stage::kPosterior).Add(SecondsSince(start));
  const auto found = Clock::now();
  const cv::Mat& map = observation_.maps.probability;
  observation_.region = tracker_ ? tracker_->Follow(map) : RegionOf(MapMomentsOf(map));
  statistics.of(Stage::kRegion).Add(SecondsSince(found));
  observation_.skin_fraction = static_cast<double>(cv::countNonZero(observation_.maps.mask)) /
                               static_cast<double>(observation_.maps.mask.total());
}

const Observation& Scene::ObservationWithBgr() {
  if (observation_.bgr.empty()) observation_.bgr = Mirrored(frame_->picture.Bgr());
  return observation_;
}

// Where P(skin) is near 0.5, and not near the threshold that is being moved: as of `detect`.
cv::Mat Scene::UncertaintyMap() {
  if (!uncertainty_) {
    UncertaintyOptions options;
    if (model_.kind == Kind::kLogistic) options.explained_share = 1;  // it has no densities
    uncertainty_.emplace(model_, options);
  }
  return uncertainty_->MapOf(observation_.maps.probability, ObservationWithBgr().bgr,
                             adaptation_.get());
}

const Observation& Scene::ObservationFor(View view) {
  if (NeedsBgr(view)) ObservationWithBgr();
  if (view == View::kCutout && observation_.behind.empty())
    observation_.behind = backdrop_.Behind(observation_.bgr);
  if (view == View::kUncertainty && observation_.maps.uncertainty.empty())
    observation_.maps.uncertainty = UncertaintyMap();
  return observation_;
}

void Scene::SetThreshold(std::optional<double> threshold) {
  Model model = model_;
  model.decision = threshold ? Decision{*threshold, "fixed", ""} : own_decision_;
  SetModel(model);
}

void Scene::SetPrior(std::optional<double> prior) {
  SetModel(WithPrior(model_, prior.value_or(own_prior_)));
}

void Scene::AddSamples(const cv::Rect& where, bool positive) {
  const cv::Mat& bgr = ObservationWithBgr().bgr;
  refit_.Add(bgr(where & cv::Rect({}, bgr.size())), positive);
  UpdateModel();
}

void Scene::UndoSample() {
  refit_.Undo();
  UpdateModel();
}

void Scene::ClearSamples() {
  refit_.Clear();
  UpdateModel();
}

void Scene::UpdateModel() {
  Model model = WithPrior(refit_.Fitted(), prior());
  model.decision = model_.decision;
  uncertainty_.reset();
  SetModel(model);
  if (stream_) AdaptTo(model);
}

}  // namespace skinmask::live
