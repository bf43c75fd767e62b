#include "skinmask/pipeline/adapted_calibration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <functional>
#include <map>

#include "pipeline/bytes_as_text.h"
#include "pipeline/evaluation_part.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/calibration_scales.h"
#include "skinmask/learn/reliability.h"

namespace skinmask {
namespace {

using By = AdaptationSummary::By;

constexpr std::size_t kMaxFolds = 200;

struct ScoredImage {
  std::size_t set;
  By by;
  std::string scores;  // packed
};

using Stop = std::function<bool()>;

ScoreHistogram HistogramOf(const ScoredImage& image) {
  return ScoreHistogram::Unpacked(image.scores, 0);
}

// Reads the files; `sets` gets one for each.
std::vector<ScoredImage> ReadImages(const std::vector<std::filesystem::path>& files,
                                    const std::string& model, const Stop& stop,
                                    std::vector<CalibrationSet>& sets) {
  std::vector<ScoredImage> images;
  std::map<std::string, PartSet> wholes;  // by their data
  for (const std::filesystem::path& file : files) {
    if (stop()) return {};
    EvaluationPart part = ReadEvaluationPart(file);
    if (part.header.model != model)
      throw Error(file.string(), "was made with another model than this");
    if (!part.finder) throw Error(file.string(), "was made without adaptation");
    if (!part.keeps_scores)
      throw Error(file.string(),
                  "keeps no scores of each image (a part that was made with a rule)");
    // Other folders may have files of the same names.
    wholes[part.header.data + JsonText(part.header.options, -1)].Add(file.string(), part.header);
    const std::size_t before = images.size();
    for (JudgedImage& image : part.images)
      if (!image.problem)
        images.push_back({sets.size(), image.adaptation.by, std::move(image.scores)});
    sets.push_back({file.stem().string(), images.size() - before, {}, {}});
  }
  for (const auto& [data, parts] : wholes) parts.RequireWhole();
  return images;
}

// The scales of images of one kind, and those with each of the folds left out.
class PathFit {
 public:
  PathFit(const std::vector<ScoredImage>& all, By by, double own) : own_(own) {
    for (const ScoredImage& image : all)
      if (image.by == by) images_.push_back(&image);
    if (images_.size() < 2) return;
    for (const ScoredImage* image : images_) sum_ += HistogramOf(*image);
    scales_ = FitCalibrationScales(sum_.Steps(), own_);
  }

  std::size_t size() const { return images_.size(); }
  const std::optional<CalibrationScales>& scales() const { return scales_; }

  // Adds each image's pixels by scales that were fitted without its fold.
  void AddTo(std::vector<Reliability>& after, const Stop& stop) const {
    const std::size_t folds = std::min(kMaxFolds, images_.size());
    for (std::size_t fold = 0; fold < folds && !stop(); ++fold) {
      ScoreHistogram others = sum_;
      for (std::size_t i = fold; scales_ && i < images_.size(); i += folds)
        others -= HistogramOf(*images_[i]);
      const CalibrationScales scales =
          scales_ ? FitCalibrationScales(others.Steps(), own_).value_or(CalibrationScales())
                  : CalibrationScales();
      for (std::size_t i = fold; i < images_.size(); i += folds)
        for (const ScoreStep& step : HistogramOf(*images_[i]).Steps().steps)
          after[images_[i]->set].Add(own_ + scales(step.score - own_), step.positive,
                                     step.negative);
    }
  }

 private:
  double own_;
  std::vector<const ScoredImage*> images_;
  ScoreHistogram sum_;
  std::optional<CalibrationScales> scales_;
};

// The log-odds that were scored went through the earlier ones.
CalibrationScales After(const CalibrationScales& earlier,
                        const std::optional<CalibrationScales>& later) {
  if (!later) return earlier;
  const auto rounded = [](double scale) {
    const double digits = std::pow(10, 3 - std::floor(std::log10(scale)));
    return std::round(scale * digits) / digits;
  };
  return {rounded(earlier.below * later->below), rounded(earlier.above * later->above)};
}

}  // namespace

AdaptedCalibrationFit FitAdaptedCalibration(const std::vector<std::filesystem::path>& parts,
                                            const Model& model,
                                            const std::atomic<bool>* stop_flag) {
  const Stop stop = [stop_flag] { return stop_flag && stop_flag->load(); };
  AdaptedCalibrationFit fit;
  const std::vector<ScoredImage> images =
      ReadImages(parts, Sha256(ModelToJson(model)), stop, fit.sets);
  if (stop()) return fit;
  const double own = Logit(model.decision.threshold);
  const PathFit faces(images, By::kSeeds, own), image(images, By::kImage, own);
  if (!faces.scales() && !image.scales())
    throw Error("the parts",
                fmt::format("have {} images with faces and {} that were divided by their colours "
                            "(two of one kind, with pixels of both classes on both sides of the "
                            "threshold)",
                            faces.size(), image.size()));
  fit.faces = faces.size();
  fit.image = image.size();
  const AdaptedCalibration& earlier = model.adapted_calibration;
  std::vector<std::string> names;
  for (const CalibrationSet& set : fit.sets) names.push_back(set.name);
  fit.calibration = {After(earlier.faces, faces.scales()), After(earlier.image, image.scales()),
                     fmt::format("{}", fmt::join(names, ", "))};
  std::vector<Reliability> before(fit.sets.size()), after(fit.sets.size());
  for (const ScoredImage& scored : images)
    for (const ScoreStep& step : HistogramOf(scored).Steps().steps) {
      before[scored.set].Add(step.score, step.positive, step.negative);
      if (scored.by == By::kNothing)
        after[scored.set].Add(step.score, step.positive, step.negative);
    }
  faces.AddTo(after, stop);
  image.AddTo(after, stop);
  for (std::size_t i = 0; i < fit.sets.size(); ++i) {
    fit.sets[i].before = before[i].Ece();
    fit.sets[i].after = after[i].Ece();
  }
  return fit;
}

}  // namespace skinmask
