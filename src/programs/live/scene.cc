#include "programs/live/scene.h"

#include <fmt/format.h>

#include <tuple>

#include "base/elapsed.h"
#include "skinmask/base/error.h"
#include "skinmask/learn/fit.h"

namespace skinmask::live {
namespace {

// Updates a class's mean and covariance: merges `moments` with the kTrainedPixels of the trained
// class.
void Join(ClassModel& c, const Moments& moments, const Features& features) {
  if (moments.n == 0) return;
  const auto [mean, covariance] = FeatureMoments(moments, features);
  const auto n = static_cast<double>(moments.n);
  const double total = n + Refit::kTrainedPixels;
  const double old_share = Refit::kTrainedPixels / total, new_share = n / total;
  const FeatureVector apart = mean - c.mean;
  const FeatureMatrix between = apart * apart.transpose();  // exactly symmetric
  c.covariance =
      (old_share * c.covariance + new_share * covariance + (old_share * new_share) * between)
          .eval();
  c.mean = (old_share * c.mean + new_share * mean).eval();
  c.count += moments.n;
}

// Mirrors a frame: flips it, and reverses the direction of its rotation.
VideoFrame Mirrored(VideoFrame frame) {
  frame.mirrored = !frame.mirrored;
  frame.rotation = (360 - frame.rotation) % 360;
  return frame;
}

}  // namespace

void Refit::Add(const cv::Mat& bgr, bool positive) {
  if (!IsGaussian(trained_.kind) || trained_.classes.size() != 2)
    throw Error(
        std::string(KindName(trained_.kind)),
        "models do not learn from samples here (qda, lda and gaussian-nb of two classes do)");
  std::vector<std::int32_t> carriers(3 * static_cast<std::size_t>(bgr.cols));
  before_.emplace_back(skin_, other_);
  Moments& moments = positive ? skin_ : other_;
  for (int y = 0; y < bgr.rows; ++y) {
    CarrierRow(trained_.features.space(), bgr.ptr(y), static_cast<std::size_t>(bgr.cols),
               carriers.data());
    for (std::size_t x = 0; x < carriers.size(); x += 3) moments.Add(&carriers[x], 1);
  }
}

void Refit::Undo() {
  if (before_.empty()) return;
  std::tie(skin_, other_) = before_.back();
  before_.pop_back();
}

void Refit::Clear() {
  skin_ = other_ = Moments();
  before_.clear();
}

Model Refit::Fitted() const {
  if (empty()) return trained_;
  Model model = trained_;
  Join(model.classes[0], skin_, model.features);
  Join(model.classes[1], other_, model.features);
  if (model.kind == Kind::kGaussianNb)
    for (ClassModel& c : model.classes)
      c.covariance = c.covariance.diagonal().asDiagonal().toDenseMatrix();
  if (model.kind == Kind::kLda) {
    const double a = kTrainedPixels + static_cast<double>(skin_.n);
    const double b = kTrainedPixels + static_cast<double>(other_.n);
    const FeatureMatrix pooled =
        (a * model.classes[0].covariance + b * model.classes[1].covariance) / (a + b);
    for (ClassModel& c : model.classes) c.covariance = pooled;
  }
  model.card.scores.clear();
  model.card.notes.emplace_back(
      "sampled",
      fmt::format(
          "{} pixels of {} and {} of {} were added live to the training data of the SHA-256 "
          "above, which counted as {:g} of each",
          skin_.n, model.classes[0].name, other_.n, model.classes[1].name, kTrainedPixels));
  Validate(model, "the model with the samples");
  return model;
}

DetectorOptions WithoutAdaptation(DetectorOptions options) {
  options.adapt = DetectorOptions::Adapt::kOff;
  options.seed_rect.reset();
  options.seed_mask.clear();
  options.faces.clear();
  return options;
}

Scene::Scene(const Model& made, bool mirror, const DetectorOptions& options,
             const DetectorOptions& if_asked)
    : mirror_(mirror), refit_(made), if_asked_(if_asked) {
  BeginStream(options);
}

void Scene::BeginStream(const DetectorOptions& options) {
  Detector detector(refit_.Fitted(), options);
  options_ = options;
  adaptation_.reset();
  stream_.emplace(std::move(detector), kLiveStream);
  stream_->SetRate(rate_);
  stale_ = true;
}

// Keeps the threshold and prior that the user has set.
void Scene::SetAdapting(bool adapting) {
  if (adapting == this->adapting()) return;
  DetectorOptions options = adapting ? if_asked_ : WithoutAdaptation(options_);
  options.threshold = options_.threshold;
  options.prior = options_.prior;
  BeginStream(options);
}

std::optional<Region> Scene::ellipse() {
  if (!seen_) return std::nullopt;
  if (!ellipse_) {
    const cv::Mat mask = seen_->Mask();
    if (!tracker_)
      ellipse_ = RegionOf(MapMomentsOf(mask));
    else if (const auto& window = tracker_->window())
      ellipse_ = RegionOf(MapMomentsOf(mask, *window));
    else
      ellipse_.emplace();
  }
  return *ellipse_;
}

std::optional<Region> Scene::region(Statistics& statistics) {
  if (!region_) {
    const auto start = Clock::now();
    const cv::Mat map = seen_->Probability();
    region_.emplace(tracker_ ? tracker_->Follow(map) : RegionOf(MapMomentsOf(map)));
    statistics.of(Stage::kRegion).Add(SecondsSince(start));
  }
  return *region_;
}

void Scene::Process(LiveFrame&& frame, Statistics& statistics) {
  const Picture picture(mirror_ ? Mirrored(std::move(frame.picture)) : std::move(frame.picture));
  const auto start = Clock::now();
  adaptation_ = stream_->Follow(picture);
  if (adapting()) statistics.of(Stage::kAdapt).Add(SecondsSince(start));
  Judge(picture, statistics);
  stale_ = false;
}

void Scene::Reprocess() {
  if (!seen_ || !std::exchange(stale_, false)) return;
  Statistics unused;
  const Picture picture = seen_->picture();
  if (!adaptation_) adaptation_ = stream_->Follow(picture);
  Judge(picture, unused);
}

void Scene::Judge(const Picture& picture, Statistics& statistics) {
  const auto start = Clock::now();
  seen_.emplace(stream_->detector(), picture, adaptation_);
  seen_->MakeMask(tracker_ || region_, false);
  const cv::Mat mask = seen_->Mask();
  statistics.of(Stage::kPosterior).Add(SecondsSince(start));
  behind_.release();
  ellipse_.reset();
  region_.reset();
  if (tracker_) region(statistics);  // the tracker needs every frame
  skin_fraction_ = static_cast<double>(cv::countNonZero(mask)) / static_cast<double>(mask.total());
}

cv::Mat Scene::Behind(View view) {
  if (view != View::kCutout) return {};
  if (behind_.empty()) behind_ = backdrop_.Behind(seen_->Bgr());
  return behind_;
}

void Scene::Set(std::optional<double> DetectorOptions::*option, std::optional<double> value) {
  options_.*option = value;
  stream_->Set(options_);
  stale_ = true;
}

void Scene::AddSamples(const cv::Rect& where, bool positive) {
  refit_.Add(seen_->Bgr()(where), positive);
  BeginStream(options_);
}

}  // namespace skinmask::live
