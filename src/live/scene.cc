#include "scene.h"

#include <opencv2/core.hpp>

namespace skinmask::live {
namespace {

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

Scene::Scene(const Model& model, bool mirror) : mirror_(mirror), refit_(model) { SetModel(model); }

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

void Scene::Look(LiveFrame&& frame, Statistics& statistics) {
  frame_ = std::move(frame);
  const auto start = Clock::now();
  const VideoFrame& picture = frame_->picture;
  const cv::Mat bgr = posterior_->TakesYuv(picture) ? cv::Mat() : picture.StoredBgr();
  const cv::Mat mask = posterior_->Mask(picture, bgr);
  const cv::Mat probability = posterior_->Probability(picture, bgr);
  statistics.of(Stage::kPosterior).Add(Since(start));
  const auto seen = [&](const cv::Mat& stored) {
    return stored.empty() ? cv::Mat() : Mirrored(picture.Upright(stored));
  };
  observation_ = {seen(bgr), {seen(mask), seen(probability)}, 0, {}};
  const auto found = Clock::now();
  const cv::Mat& map = observation_.maps.probability;
  observation_.region = tracker_ ? tracker_->Follow(map) : RegionOf(MapMomentsOf(map));
  statistics.of(Stage::kRegion).Add(Since(found));
  observation_.skin_fraction = static_cast<double>(cv::countNonZero(observation_.maps.mask)) /
                               static_cast<double>(observation_.maps.mask.total());
}

void Scene::LookAgain() {
  Statistics unused;
  if (frame_) Look(LiveFrame(*frame_), unused);
}

const Observation& Scene::Seen(bool with_bgr) {
  if (with_bgr && observation_.bgr.empty()) observation_.bgr = Mirrored(frame_->picture.Bgr());
  return observation_;
}

std::optional<cv::Rect> Scene::search_window() const {
  return tracker_ ? tracker_->window() : std::nullopt;
}

void Scene::SetThreshold(double threshold) {
  Model model = model_;
  model.decision = {threshold, "fixed", ""};
  SetModel(model);
}

void Scene::SetPrior(double prior) { SetModel(WithPrior(model_, prior)); }

void Scene::AddSamples(const cv::Rect& where, bool positive) {
  const cv::Mat& bgr = Seen(true).bgr;
  refit_.Add(bgr(where & cv::Rect({}, bgr.size())), positive);
  LearnAgain();
}

void Scene::ClearSamples() {
  refit_.Clear();
  LearnAgain();
}

void Scene::LearnAgain() {
  Model model = WithPrior(refit_.Fitted(), prior());
  model.decision = model_.decision;
  SetModel(model);
}

}  // namespace skinmask::live
