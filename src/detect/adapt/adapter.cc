#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/parallel_rows.h"
#include "detect/adapt/adapted_rows.h"
#include "detect/adapt/image_decision.h"
#include "detect/adapt/image_fit.h"
#include "detect/adapt/seed_priors.h"
#include "detect/adapt/small_image.h"
#include "detect/judged_rows.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/detect/detect_image.h"

namespace skinmask {

Adapter::Adapter(const Model& model, double own_threshold,
                 std::vector<std::unique_ptr<SeedFinder>> finders, const AdaptOptions& options)
    : global_(model, {.mask = false, .probability = false}),
      own_log_odds_(Logit(std::clamp(own_threshold, 1e-6, 1 - 1e-6))),
      calibration_(model.adapted_calibration),
      finders_(std::move(finders)),
      options_(options),
      image_options_(options) {
  options_.Validate();
  image_options_.fit = options.image.fit;
  image_options_.local_weight = options.image.local_weight;
  image_options_.global_weight = 1 - options.image.local_weight;
  image_options_.max_global_log_odds = options.image.max_global_log_odds;
  image_options_.refinement.enabled = false;
  if (Quadratic::CanFold(model)) folded_.emplace(model);
}

std::string Adapter::finder_names() const {
  std::string names;
  for (const auto& finder : finders_) {
    if (!names.empty()) names += '+';
    names += finder->name();
  }
  return names;
}

std::vector<Seed> Adapter::FindSeeds(const cv::Mat& bgr) const {
  std::vector<Seed> seeds;
  for (const auto& finder : finders_)
    for (Seed& seed : finder->Find(bgr)) seeds.push_back(std::move(seed));
  return seeds;
}

cv::Mat Adapter::GlobalLogOdds(const cv::Mat& bgr, const AdaptOptions& options,
                               double shift) const {
  cv::Mat z(bgr.size(), CV_32FC1);
  const auto own = static_cast<float>(own_log_odds_ + shift);
  const auto most = static_cast<float>(options.max_global_log_odds);
  std::optional<CompiledQuadratic> folded;
  if (folded_) folded.emplace(*folded_, 0);
  ForJudgedRows(global_, bgr.size(), [&](int y) {
    float* const row = z.ptr<float>(y);
    const auto width = static_cast<std::size_t>(bgr.cols);
    if (folded)
      folded->LogOddsRow(bgr.ptr(y), width, row);
    else
      global_.LogOddsRow(bgr.ptr(y), width, row);
    for (std::size_t x = 0; x < width; ++x) row[x] = std::clamp(row[x] - own, -most, most);
  });
  return z;
}

std::optional<Adaptation> Adapter::Adapt(const cv::Mat& bgr) const {
  RequireType(bgr, CV_8UC3, "image");
  const std::vector<Seed> found = FindSeeds(bgr);
  if (found.empty() && !options_.image.enabled) return std::nullopt;
  const cv::Mat small = SmallImage(bgr, options_.fit.pixels);
  std::optional<Adaptation> adaptation = AdaptToSeeds(small, found, bgr.size());
  if (!adaptation && options_.image.enabled) adaptation = AdaptToImage(small);
  return adaptation;
}

std::optional<Adaptation> Adapter::AdaptToSeeds(const cv::Mat& small,
                                                const std::vector<Seed>& found,
                                                const cv::Size& image) const {
  if (found.empty()) return std::nullopt;
  const cv::Mat global = GlobalLogOdds(small, options_);
  std::vector<Seed> seeds;
  std::vector<ColorGaussian> color_priors;
  for (const Seed& seed : found) {
    const Seed scaled = Scaled(seed, image, small.size());
    if (scaled.box.empty()) continue;
    seeds.push_back(seed);
    const auto color_prior = ColorPriorOf(small, scaled, global, options_.skin);
    if (color_prior && color_priors.size() < kMaxSeeds) color_priors.push_back(*color_prior);
  }
  if (color_priors.empty()) return std::nullopt;
  color_priors =
      Merged(std::move(color_priors), static_cast<std::size_t>(options_.skin.max_components));
  const cv::Mat prior = SpatialPrior(small.size(), image, seeds, options_.prior);
  const Evidence evidence{global, prior, MiddleFaceSize(seeds, image, small.size())};
  const std::optional<ImageModel> model = FitToImage(small, color_priors, evidence, options_);
  if (!model) return std::nullopt;
  return AdaptedToSeeds(*model, prior, seeds);
}

Adaptation Adapter::AdaptedToSeeds(const ImageModel& model, const cv::Mat& spatial_prior,
                                   const std::vector<Seed>& seeds) {
  Adaptation adaptation;
  adaptation.local.emplace(Components(model), 0);
  adaptation.distances = Distances(model);
  const bool refined = !model.message.slope.empty();
  adaptation.slope = refined ? model.message.slope : cv::Mat::zeros(spatial_prior.size(), CV_32FC1);
  adaptation.offset = refined ? cv::Mat(model.message.offset + spatial_prior) : spatial_prior;
  const auto faces = std::ranges::count_if(seeds, [](const Seed& s) { return s.face.has_value(); });
  adaptation.summary = {AdaptationSummary::By::kSeeds, static_cast<std::size_t>(faces), 0};
  return adaptation;
}

std::optional<Adaptation> Adapter::AdaptToImage(const cv::Mat& small) const {
  const Division division =
      DivisionOf(ImageHistogram(GlobalLogOdds(small, image_options_)), options_.image);
  const std::optional<ImageModel> model =
      FitToSides(small, GlobalLogOdds(small, image_options_, division.log_odds), image_options_);
  if (!model && !division.is_valley) return std::nullopt;
  return AdaptedToImage(model, division.log_odds, small.size());
}

Adaptation Adapter::AdaptedToImage(const std::optional<ImageModel>& model, double shift,
                                   const cv::Size& small) {
  Adaptation adaptation;
  if (model) {
    adaptation.local.emplace(Components(*model), 0);
    adaptation.distances = Distances(*model);
  }
  adaptation.shift = shift;
  adaptation.slope = adaptation.offset = cv::Mat::zeros(small, CV_32FC1);
  adaptation.summary = {AdaptationSummary::By::kImage, 0, shift};
  return adaptation;
}

cv::Mat Adapter::LogOdds(const cv::Mat& bgr) const {
  const std::optional<Adaptation> adaptation = Adapt(bgr);
  return adaptation ? LogOdds(bgr, *adaptation) : cv::Mat();
}

const AdaptOptions& Adapter::OptionsOf(const Adaptation& adaptation) const {
  return adaptation.summary.by == AdaptationSummary::By::kImage ? image_options_ : options_;
}

const CalibrationScales& Adapter::ScalesOf(const Adaptation& adaptation) const {
  return adaptation.summary.by == AdaptationSummary::By::kImage ? calibration_.image
                                                                : calibration_.faces;
}

AdaptedRows Adapter::RowsOf(const cv::Mat& bgr, const Adaptation& adaptation) const {
  const AdaptOptions& options = OptionsOf(adaptation);
  const ColorJudge judge{*adaptation.local,
                         global_,
                         folded_,
                         own_log_odds_ + adaptation.shift,
                         options.max_global_log_odds,
                         options.local_weight,
                         options.global_weight};
  if (SmallImageSize(bgr.size(), options_.fit.pixels) != adaptation.slope.size())
    throw Error("the adaptation", fmt::format("is not of an image of {}x{} pixels, as this one is",
                                              bgr.cols, bgr.rows));
  const int side = SmallImageSquare(bgr.size(), options_.fit.pixels);
  return AdaptedRows(judge, {adaptation.slope, adaptation.offset, side},
                     {ScalesOf(adaptation), own_log_odds_});
}

cv::Mat Adapter::LogOdds(const cv::Mat& bgr, const Adaptation& adaptation) const {
  RequireType(bgr, CV_8UC3, "image");
  if (!adaptation.local) {
    cv::Mat z = GlobalLogOdds(bgr, OptionsOf(adaptation), adaptation.shift);
    const OutputScale scale(ScalesOf(adaptation), own_log_odds_);
    ForRowsOf(z.cols, z.rows, [&](int y) {
      for (float& sum : std::span(z.ptr<float>(y), static_cast<std::size_t>(z.cols)))
        sum = scale(sum);
    });
    return z;
  }
  const AdaptedRows rows = RowsOf(bgr, adaptation);
  cv::Mat z(bgr.size(), CV_32FC1);
  ForJudgedRows(global_, bgr.size(),
                [&](int y) { rows.LogOddsRow(bgr.ptr(y), bgr.cols, y, z.ptr<float>(y)); });
  return z;
}

void Adapter::Judge(const cv::Mat& bgr, const Adaptation& adaptation, double threshold,
                    cv::Mat* mask, cv::Mat* probability) const {
  RequireType(bgr, CV_8UC3, "image");
  for (cv::Mat* const made : {mask, probability})
    if (made) made->create(bgr.size(), CV_8UC1);
  if (!adaptation.local) {
    const cv::Mat z = LogOdds(bgr, adaptation);
    if (mask) MaskOf(z, threshold).copyTo(*mask);
    if (probability) ProbabilityOf(z).copyTo(*probability);
    return;
  }
  const AdaptedRows rows = RowsOf(bgr, adaptation);
  const double log_odds = Logit(threshold);
  ForJudgedRows(global_, bgr.size(), [&](int y) {
    rows.JudgeRow(bgr.ptr(y), bgr.cols, y, log_odds, mask ? mask->ptr(y) : nullptr,
                  probability ? probability->ptr(y) : nullptr);
  });
}

}  // namespace skinmask
