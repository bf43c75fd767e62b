#include <algorithm>
#include <cstdint>

#include "base/parallel_rows.h"
#include "detect/adapt/image_fit.h"
#include "detect/adapt/refine.h"
#include "detect/adapt/seed_skin.h"
#include "detect/adapt/small_image.h"
#include "detect/adapt/spatial_prior.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/adapt.h"

namespace skinmask {

Adapter::Adapter(const Model& model, double own_threshold,
                 std::vector<std::unique_ptr<SeedFinder>> finders, const AdaptOptions& options)
    : global_(model, {.mask = false, .probability = false}),
      own_log_odds_(Logit(std::clamp(own_threshold, 1e-6, 1 - 1e-6))),
      finders_(std::move(finders)),
      options_(options) {
  options_.Validate();
  if (Quadratic::CanFold(model)) folded_.emplace(Quadratic(model), 0);
}

std::vector<Seed> Adapter::FindSeeds(const cv::Mat& bgr) const {
  std::vector<Seed> seeds;
  for (const auto& finder : finders_)
    for (Seed& seed : finder->Find(bgr)) seeds.push_back(std::move(seed));
  return seeds;
}

cv::Mat Adapter::GlobalLogOdds(const cv::Mat& bgr) const {
  cv::Mat z(bgr.size(), CV_32FC1);
  const auto own = static_cast<float>(own_log_odds_);
  const auto most = static_cast<float>(options_.max_global_log_odds);
  ForRowsOf(bgr.cols, bgr.rows, [&](int y) {
    float* const row = z.ptr<float>(y);
    const auto width = static_cast<std::size_t>(bgr.cols);
    if (folded_)
      folded_->LogOddsRow(bgr.ptr(y), width, row);
    else
      global_.LogOddsRow(bgr.ptr(y), width, row);
    for (std::size_t x = 0; x < width; ++x) row[x] = std::clamp(row[x] - own, -most, most);
  });
  return z;
}

std::optional<Adaptation> Adapter::Adapt(const cv::Mat& bgr) const {
  const std::vector<Seed> found = FindSeeds(bgr);
  if (found.empty()) return std::nullopt;
  const cv::Mat small = SmallImage(bgr, options_.fit.pixels);
  const cv::Mat global = GlobalLogOdds(small);
  std::vector<Seed> seeds;
  std::vector<ColorGaussian> anchors;
  for (const Seed& seed : found) {
    const Seed scaled = Scaled(seed, bgr.size(), small.size());
    if (!IsVerified(scaled, global, options_.skin)) continue;
    seeds.push_back(seed);
    const auto anchor = AnchorOf(small, scaled, global, options_.skin);
    if (anchor && anchors.size() < kMaxSeeds) anchors.push_back(*anchor);
  }
  if (anchors.empty()) return std::nullopt;
  cv::Mat prior = SpatialPrior(small.size(), bgr.size(), seeds, options_.prior);
  const std::optional<ImageModel> model = FitToImage(small, anchors, {global, prior}, options_);
  if (!model) return std::nullopt;
  return Adaptation{CompiledMixture(Components(*model), 0), small, std::move(prior)};
}

cv::Mat Adapter::LogOdds(const cv::Mat& bgr) const {
  const std::optional<Adaptation> adaptation = Adapt(bgr);
  return adaptation ? LogOdds(bgr, *adaptation) : cv::Mat();
}

cv::Mat Adapter::LogOdds(const cv::Mat& bgr, const Adaptation& adaptation) const {
  cv::Mat z = GlobalLogOdds(bgr);
  thread_local Scratch prior_buffer;
  const cv::Mat prior = Enlarged(adaptation.spatial_prior, bgr.size(), prior_buffer);
  const auto width = static_cast<std::size_t>(bgr.cols);
  const auto local_weight = static_cast<float>(options_.local_weight);
  ForRowsOf(bgr.cols, bgr.rows, [&](int y) {
    thread_local std::vector<float> local;
    local.resize(width);
    adaptation.local.LogOddsRow(bgr.ptr(y), width, local.data());
    float* const out = z.ptr<float>(y);
    const float* const at = prior.ptr<float>(y);
    for (std::size_t x = 0; x < width; ++x)
      out[x] = local_weight * local[x] + (1 - local_weight) * out[x] + at[x];
  });
  if (options_.refinement.enabled) RefineLogOdds(bgr, adaptation.small_bgr, options_.refinement, z);
  z += own_log_odds_;
  return z;
}

}  // namespace skinmask
