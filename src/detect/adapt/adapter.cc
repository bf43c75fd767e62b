#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>

#include "detect/adapt/adapted_rows.h"
#include "detect/adapt/image_decision.h"
#include "detect/adapt/image_fit.h"
#include "detect/adapt/monochrome.h"
#include "detect/adapt/seed_priors.h"
#include "detect/adapt/small_image.h"
#include "detect/judged_rows.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/adapt.h"

namespace skinmask {
namespace {

constexpr double kCertainLogOdds = 1000;  // more than colours and calibration can give

// Returns an offset (Adaptation::offset) that puts connected components of the skin with fewer than
// `least` cells just below the threshold. A pixel of the large image may be more like skin than the
// mean of its cell, so every cell of a component gets the offset that its likeliest cell needs. The
// cells around it get the same, because a cell that is half skin may be below the threshold in the
// mean, and the maps are interpolated between the centres of cells. `rows` must not calibrate, and
// must add `own`.
cv::Mat AgainstSmallParts(const cv::Mat& small, const AdaptedRows& rows, double own, double least) {
  constexpr double kBelow = 0.5;
  constexpr int kAround = 2;
  cv::Mat offset = cv::Mat::zeros(small.size(), CV_32FC1);
  if (least < 1) return offset;
  cv::Mat z(small.size(), CV_32FC1), labels, stats, centroids;
  for (int y = 0; y < small.rows; ++y)
    rows.LogOddsRow(small.ptr(y), small.cols, y, z.ptr<float>(y));
  const int parts = cv::connectedComponentsWithStats(z > own, labels, stats, centroids);
  for (int part = 1; part < parts; ++part) {
    const int* const stat = stats.ptr<int>(part);
    if (stat[cv::CC_STAT_AREA] >= least) continue;
    const cv::Rect box(stat[cv::CC_STAT_LEFT] - kAround, stat[cv::CC_STAT_TOP] - kAround,
                       stat[cv::CC_STAT_WIDTH] + 2 * kAround,
                       stat[cv::CC_STAT_HEIGHT] + 2 * kAround);
    const cv::Rect around = box & cv::Rect({}, small.size());
    cv::Mat cells = labels(around) == part;
    double most = 0;
    cv::minMaxLoc(z(around), nullptr, &most, nullptr, nullptr, cells);
    cv::dilate(cells, cells, cv::Mat(), {-1, -1}, kAround);
    cells &= (labels(around) == part) | (labels(around) == 0);
    offset(around).setTo(own - most - kBelow, cells);
  }
  return offset;
}

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
  if (!adaptation && options_.image.enabled) adaptation = AdaptToImage(small);
  if (!adaptation) return std::nullopt;
  adaptation->summary.monochrome = is_monochrome;
  return IsGlobal(*adaptation) ? std::nullopt : std::move(adaptation);
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
  return AdaptedToSeeds(*model, prior, FacesOf(seeds));
}

Adaptation Adapter::AdaptedToSeeds(const ImageModel& model, const cv::Mat& spatial_prior,
                                   std::vector<Face> faces) {
  Adaptation adaptation;
  adaptation.local.emplace(Components(model), 0);
  adaptation.distances = Distances(model);
  adaptation.slope = model.message.slope;
  const bool refined = !model.message.offset.empty();
  adaptation.offset = refined ? cv::Mat(model.message.offset + spatial_prior) : spatial_prior;
  adaptation.summary = {.by = AdaptationSummary::By::kSeeds, .faces = faces.size()};
  adaptation.faces = std::move(faces);
  return adaptation;
}

Adaptation Adapter::AdaptToImage(const cv::Mat& small) const {
  const double stops = StopsOf(small, options_.image), most = options_.image.max_global_log_odds;
  const cv::Mat lit = InLight(small, LightTable(stops));
  const Division division = DivisionOf(ImageHistogram(GlobalLogOdds(lit, most)), options_.image);
  const std::optional<ImageModel> model =
      FitToSides(lit, GlobalLogOdds(lit, most, division.log_odds), image_options_);
  return AdaptedToImage(lit, model, division, stops);
}

Adaptation Adapter::AdaptedToImage(const cv::Mat& small, const std::optional<ImageModel>& model,
                                   const Division& division, double stops) const {
  Adaptation adaptation;
  if (options_.image.require_face) {
    adaptation.offset = cv::Mat(small.size(), CV_32FC1, cv::Scalar(-kCertainLogOdds));
    adaptation.summary.by = AdaptationSummary::By::kNobody;
    return adaptation;
  }
  adaptation.light = LightTable(stops);
  if (model) {
    adaptation.local.emplace(Components(*model), 0);
    adaptation.distances = Distances(*model);
  }
  adaptation.offset = cv::Mat::zeros(small.size(), CV_32FC1);
  adaptation.summary.stops = stops;
  if (model || division.is_valley) {
    adaptation.shift = adaptation.summary.shift = division.log_odds;
    adaptation.summary.by = AdaptationSummary::By::kImage;
  }
  adaptation.offset =
      AgainstSmallParts(small, RowsOf(adaptation, 1, {CalibrationCurve(), own_log_odds_}),
                        static_cast<float>(own_log_odds_),
                        options_.image.min_component * static_cast<double>(small.total()));
  return adaptation;
}

bool Adapter::IsGlobal(const Adaptation& adaptation) const {
  return adaptation.summary == AdaptationSummary() && calibration_.neither.identity() &&
         cv::countNonZero(adaptation.offset) == 0;
}

cv::Mat Adapter::LogOdds(const cv::Mat& bgr) const {
  const std::optional<Adaptation> adaptation = Adapt(bgr);
  return adaptation ? LogOdds(bgr, *adaptation) : cv::Mat();
}

const AdaptOptions& Adapter::OptionsOf(const Adaptation& adaptation) const {
  return adaptation.summary.by == AdaptationSummary::By::kImage ? image_options_ : options_;
}

const CalibrationCurve& Adapter::CurveOf(const Adaptation& adaptation) const {
  static const CalibrationCurve as_it_is;
  switch (adaptation.summary.by) {
    case AdaptationSummary::By::kSeeds:
      return calibration_.faces;
    case AdaptationSummary::By::kImage:
      return calibration_.image;
    case AdaptationSummary::By::kNothing:
      return calibration_.neither;
    case AdaptationSummary::By::kNobody:
      break;
  }
  return as_it_is;
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
  return AdaptedRows(
      judge, {adaptation.slope, adaptation.offset, side, adaptation.expected, adaptation.slack},
      scale);
}

cv::Mat Adapter::EvidenceOf(const cv::Mat& small_bgr, const Adaptation& adaptation) const {
  const AdaptedRows rows = RowsOf(adaptation, 1, {CalibrationCurve(), 0});
  cv::Mat z(small_bgr.size(), CV_32FC1);
  for (int y = 0; y < z.rows; ++y)
    rows.LogOddsRow(adaptation.InLight(small_bgr.ptr(y), z.cols), z.cols, y, z.ptr<float>(y));
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
  ForJudgedRows(global_, bgr.size(), [&](int y) {
    rows.LogOddsRow(adaptation.InLight(bgr.ptr(y), bgr.cols), bgr.cols, y, z.ptr<float>(y));
  });
  return z;
}

void Adapter::Judge(const cv::Mat& bgr, const Adaptation& adaptation, double threshold,
                    cv::Mat* mask, cv::Mat* probability) const {
  RequireType(bgr, CV_8UC3, "image");
  for (cv::Mat* const made : {mask, probability})
    if (made) made->create(bgr.size(), CV_8UC1);
  const AdaptedRows rows = RowsOf(bgr, adaptation);
  const double log_odds = Logit(threshold);
  ForJudgedRows(global_, bgr.size(), [&](int y) {
    rows.JudgeRow(adaptation.InLight(bgr.ptr(y), bgr.cols), bgr.cols, y, log_odds,
                  mask ? mask->ptr(y) : nullptr, probability ? probability->ptr(y) : nullptr);
  });
}

}  // namespace skinmask
