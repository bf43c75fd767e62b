#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "detect/adapt/adapt_steps.h"
#include "detect/adapt/image_fit.h"
#include "detect/adapt/settings.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/adapt.h"

namespace skinmask {
Seed Scaled(const Seed& seed, const cv::Size& from, const cv::Size& to) {
  const double x = static_cast<double>(to.width) / from.width;
  const double y = static_cast<double>(to.height) / from.height;
  Seed scaled = seed;
  const cv::Point first(static_cast<int>(seed.box.x * x), static_cast<int>(seed.box.y * y));
  const cv::Point last(static_cast<int>(std::ceil(seed.box.br().x * x)),
                       static_cast<int>(std::ceil(seed.box.br().y * y)));
  scaled.box = cv::Rect(first, last) & cv::Rect({}, to);
  if (!seed.skin.empty() && !scaled.box.empty())
    cv::resize(seed.skin, scaled.skin, scaled.box.size(), 0, 0, cv::INTER_NEAREST);
  return scaled;
}

bool IsVerified(const Seed& seed, const cv::Mat& log_odds) {
  if (seed.box.empty()) return false;
  if (!seed.face || seed.certain) return true;
  const cv::Rect& b = seed.box;
  const cv::Mat middle = log_odds(
      cv::Rect(b.x + b.width / 4, b.y + b.height / 4, (b.width + 1) / 2, (b.height + 1) / 2) & b);
  return cv::countNonZero(middle > static_cast<double>(kPlausible)) >=
         kVerified * static_cast<double>(middle.total());
}

cv::Mat SmallPicture(const cv::Mat& bgr) {
  const double factor =
      std::max(1., std::ceil(std::sqrt(static_cast<double>(bgr.total()) / kFitPixels)));
  cv::Mat small;
  cv::resize(bgr, small, {}, 1 / factor, 1 / factor, cv::INTER_AREA);
  return small;
}

Adapter::Adapter(const Model& model, double own_threshold,
                 std::vector<std::unique_ptr<SeedFinder>> finders, Refine refine)
    : global_(model, {.mask = false, .probability = false}),
      own_log_odds_(Logit(std::clamp(own_threshold, 1e-6, 1 - 1e-6))),
      finders_(std::move(finders)),
      refine_(refine) {
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
  const auto own = static_cast<float>(own_log_odds_), most = static_cast<float>(kMostGlobal);
  for (int y = 0; y < bgr.rows; ++y) {
    float* const row = z.ptr<float>(y);
    const auto width = static_cast<std::size_t>(bgr.cols);
    if (folded_)
      folded_->LogOddsRow(bgr.ptr(y), width, row);
    else
      global_.LogOddsRow(bgr.ptr(y), width, row);
    for (std::size_t x = 0; x < width; ++x) row[x] = std::clamp(row[x] - own, -most, most);
  }
  return z;
}

std::optional<Adaptation> Adapter::Adapt(const cv::Mat& bgr) const {
  const std::vector<Seed> found = FindSeeds(bgr);
  if (found.empty()) return std::nullopt;
  const cv::Mat small = SmallPicture(bgr);
  const cv::Mat global = GlobalLogOdds(small);
  std::vector<Seed> seeds;
  std::vector<ColorGaussian> anchors;
  for (const Seed& seed : found) {
    const Seed scaled = Scaled(seed, bgr.size(), small.size());
    if (!IsVerified(scaled, global)) continue;
    seeds.push_back(seed);
    const auto anchor = AnchorOf(small, scaled, global);
    if (anchor && anchors.size() < kMostSeeds) anchors.push_back(*anchor);
  }
  if (anchors.empty()) return std::nullopt;
  cv::Mat place = PlaceLogOdds(small.size(), bgr.size(), seeds);
  const std::optional<ImageModel> model = FitToImage(small, anchors, global, place);
  if (!model) return std::nullopt;
  return Adaptation{CompiledMixture(Components(*model), 0), small, std::move(place)};
}

cv::Mat Adapter::LogOdds(const cv::Mat& bgr) const {
  const std::optional<Adaptation> adaptation = Adapt(bgr);
  return adaptation ? LogOdds(bgr, *adaptation) : cv::Mat();
}

cv::Mat Adapter::LogOdds(const cv::Mat& bgr, const Adaptation& adaptation) const {
  cv::Mat z = GlobalLogOdds(bgr);
  thread_local Scratch place_buffer;
  const cv::Mat place = Enlarged(adaptation.place, bgr.size(), place_buffer);
  std::vector<float> row(static_cast<std::size_t>(bgr.cols));
  const auto local_share = static_cast<float>(kLocalShare);
  for (int y = 0; y < bgr.rows; ++y) {
    adaptation.local.LogOddsRow(bgr.ptr(y), row.size(), row.data());
    float* const out = z.ptr<float>(y);
    const float* const at = place.ptr<float>(y);
    for (std::size_t x = 0; x < row.size(); ++x)
      out[x] = local_share * row[x] + (1 - local_share) * out[x] + at[x];
  }
  if (refine_ == Refine::kGuided) RefineAlongEdges(bgr, adaptation.small_bgr, z);
  z += own_log_odds_;
  return z;
}

cv::Mat MaskOf(const cv::Mat& log_odds, double threshold) { return log_odds > Logit(threshold); }

cv::Mat ProbabilityOf(const cv::Mat& log_odds) {
  cv::Mat probability(log_odds.size(), CV_8UC1);
  for (int y = 0; y < probability.rows; ++y)
    std::transform(
        log_odds.ptr<float>(y), log_odds.ptr<float>(y) + probability.cols, probability.ptr(y),
        [](float z) { return static_cast<std::uint8_t>(std::lround(255 * Logistic(z))); });
  return probability;
}

}  // namespace skinmask
