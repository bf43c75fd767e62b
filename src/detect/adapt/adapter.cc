#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

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

namespace skinmask {
namespace {

std::vector<Face> FacesOf(const std::vector<Seed>& seeds) {
  std::vector<Face> faces;
  for (const Seed& seed : seeds)
    if (seed.face)
      faces.push_back({static_cast<std::int64_t>(faces.size()) + 1, seed.box, *seed.face});
  return faces;
}

}  // namespace

Adapter::Adapter(const Model& model, double own_threshold,
                 std::vector<std::unique_ptr<SeedFinder>> finders, const AdaptOptions& options)
    : global_(model, {.mask = false, .probability = false}),
      own_log_odds_(Logit(std::clamp(own_threshold, 1e-6, 1 - 1e-6))),
      calibration_(model.adapted_calibration),
      finders_(std::move(finders)),
      options_(options),
      image_options_(options) {
  RequireThreshold(own_threshold);
  for (const auto& finder : finders_)
    if (!finder) throw Error("finders", "have one that is null");
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

cv::Mat Adapter::GlobalLogOdds(const cv::Mat& bgr, double most, double shift) const {
  cv::Mat z(bgr.size(), CV_32FC1);
  const auto own = static_cast<float>(own_log_odds_ + shift);
  const auto bound = static_cast<float>(most);
  std::optional<CompiledQuadratic> folded;
  if (folded_) folded.emplace(*folded_, 0);
  ForJudgedRows(global_, bgr.size(), [&](int y) {
    float* const row = z.ptr<float>(y);
    const auto width = static_cast<std::size_t>(bgr.cols);
    if (folded)
      folded->LogOddsRow(bgr.ptr(y), width, row);
    else
      global_.LogOddsRow(bgr.ptr(y), width, row);
    for (std::size_t x = 0; x < width; ++x) row[x] = std::clamp(row[x] - own, -bound, bound);
  });
  return z;
}

std::optional<Adaptation> Adapter::Adapt(const cv::Mat& bgr) const {
  RequireType(bgr, CV_8UC3, "image");
  const std::vector<Seed> found = FindSeeds(bgr);
  if (found.empty() && !options_.image.enabled) return std::nullopt;
  cv::Mat small = SmallImage(bgr, options_.fit.pixels);
  const bool is_monochrome = IsMonochrome(small, options_.image);
  if (is_monochrome) small = InGrey(small);
  std::optional<Adaptation> adaptation = AdaptToSeeds(small, found, bgr.size());
  // The user's own seed is never passed over; that of another finder is, as a false face would be.
  const auto is_given = [](const Seed& seed) { return !seed.face; };
  const auto is_users = [](const auto& finder) { return finder->name() == "seed"; };
  if (!adaptation && std::ranges::any_of(found, is_given) &&
      (!options_.image.enabled || std::ranges::any_of(finders_, is_users)))
    throw Error("the seed",
                "has nearly all colours of the image, and none are left for what is not skin (a "
                "smaller seed, of skin alone)");
  if (!adaptation && options_.image.enabled) {
    ImagePast none;
    adaptation = AdaptToImage(small, is_monochrome, none, 1);
  }
  if (!adaptation) return std::nullopt;
  adaptation->summary.monochrome = is_monochrome;
  if (IsGlobal(*adaptation)) return std::nullopt;
  adaptation->far = FarCells(EvidenceOf(small, *adaptation));
  return adaptation;
}

std::optional<Adaptation> Adapter::AdaptToSeeds(const cv::Mat& small,
                                                const std::vector<Seed>& found,
                                                const cv::Size& image) const {
  if (found.empty()) return std::nullopt;
  const cv::Mat global = GlobalLogOdds(small, options_.max_global_log_odds);
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
      SkinPriors(std::move(color_priors), static_cast<std::size_t>(options_.skin.max_components));
  const cv::Mat prior = SpatialPrior(small.size(), image, seeds, options_.prior);
  const Evidence evidence{global, prior, MiddleFaceSize(seeds, image, small.size()),
                          HairOf(small, image, seeds, options_.fit.background_covariance_floor)};
  const std::optional<ImageModel> model = FitToImage(small, color_priors, evidence, options_);
  if (!model) return std::nullopt;
  return AdaptedToSeeds(*model, prior, FacesOf(seeds), seeds.size());
}

Adaptation Adapter::AdaptedToSeeds(const ImageModel& model, const cv::Mat& spatial_prior,
                                   std::vector<Face> faces, std::size_t seeds) {
  Adaptation adaptation;
  adaptation.local.emplace(Components(model), 0);
  adaptation.distances = Distances(model);
  adaptation.slope = model.message.slope;
  const bool refined = !model.message.offset.empty();
  adaptation.offset = refined ? cv::Mat(model.message.offset + spatial_prior) : spatial_prior;
  // The finder found a face in 464 of 489 photographs of people, and in none of 331 scenes.
  constexpr double kWithFaces = 0.995;
  adaptation.summary = {.by = AdaptationSummary::By::kSeeds,
                        .faces = faces.size(),
                        .remembered = seeds == 0,
                        .any_skin = seeds > faces.size() ? 1 : kWithFaces};
  adaptation.faces = std::move(faces);
  return adaptation;
}

bool Adapter::IsGlobal(const Adaptation& adaptation) const {
  AdaptationSummary summary = adaptation.summary;
  summary.any_skin.reset();
  return summary == AdaptationSummary() && adaptation.light.empty() &&
         calibration_.neither.identity() && cv::countNonZero(adaptation.offset) == 0;
}

const AdaptOptions& Adapter::OptionsOf(const Adaptation& adaptation) const {
  return adaptation.summary.by == AdaptationSummary::By::kImage ? image_options_ : options_;
}

const CalibrationCurve& Adapter::CurveOf(const Adaptation& adaptation) const {
  using By = AdaptationSummary::By;
  static const CalibrationCurve as_it_is;
  const By by = adaptation.summary.by;
  if (by == By::kSeeds) return calibration_.faces;
  if (by == By::kImage) return calibration_.image;
  return by == By::kNothing ? calibration_.neither : as_it_is;
}

AdaptedRows Adapter::RowsOf(const Adaptation& adaptation, int side,
                            const OutputScale& scale) const {
  const AdaptOptions& options = OptionsOf(adaptation);
  const bool is_global = adaptation.summary.by == AdaptationSummary::By::kNothing;
  constexpr double kUnbounded = 1e30;
  const ColorJudge judge{adaptation.local ? &*adaptation.local : nullptr,
                         global_,
                         folded_,
                         own_log_odds_ + adaptation.shift,
                         is_global ? kUnbounded : options.max_global_log_odds,
                         options.local_weight,
                         adaptation.local ? options.global_weight : 1};
  return AdaptedRows(judge, adaptation, side, scale);
}

cv::Mat Adapter::EvidenceOf(const cv::Mat& small_bgr, const Adaptation& adaptation) const {
  const AdaptedRows rows = RowsOf(adaptation, 1, {CalibrationCurve(), 0});
  cv::Mat z(small_bgr.size(), CV_32FC1);
  for (int y = 0; y < z.rows; ++y) rows.LogOddsRow(small_bgr.ptr(y), z.cols, y, z.ptr<float>(y));
  return z;
}

AdaptedRows Adapter::RowsOf(const cv::Mat& bgr, const Adaptation& adaptation) const {
  if (SmallImageSize(bgr.size(), options_.fit.pixels) != adaptation.offset.size())
    throw Error("the adaptation", fmt::format("is not of an image of {}x{} pixels, as this one is",
                                              bgr.cols, bgr.rows));
  return RowsOf(adaptation, SmallImageSquare(bgr.size(), options_.fit.pixels),
                {CurveOf(adaptation), own_log_odds_});
}

cv::Mat Adapter::LogOdds(const cv::Mat& bgr, const Adaptation& adaptation) const {
  RequireType(bgr, CV_8UC3, "image");
  const AdaptedRows rows = RowsOf(bgr, adaptation);
  cv::Mat z(bgr.size(), CV_32FC1);
  ForJudgedRows(global_, bgr.size(),
                [&](int y) { rows.LogOddsRow(bgr.ptr(y), bgr.cols, y, z.ptr<float>(y)); });
  return z;
}

void Adapter::Judge(const cv::Mat& bgr, const Adaptation& adaptation, double threshold,
                    cv::Mat* mask, cv::Mat* probability) const {
  RequireType(bgr, CV_8UC3, "image");
  RequireThreshold(threshold);
  for (cv::Mat* const made : {mask, probability})
    if (made) made->create(bgr.size(), CV_8UC1);
  const AdaptedRows rows = RowsOf(bgr, adaptation);
  const double log_odds = Logit(threshold);
  ForJudgedRows(global_, bgr.size(), [&](int y) {
    rows.JudgeRow(bgr.ptr(y), bgr.cols, y, log_odds, mask ? mask->ptr(y) : nullptr,
                  probability ? probability->ptr(y) : nullptr);
  });
}

}  // namespace skinmask
