#include "skinmask/pipeline/adapted_calibration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "pipeline/bytes_as_text.h"
#include "pipeline/evaluation_part.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/calibration_curve.h"
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

// Reads the files and adds a set for each to `sets`.
std::vector<ScoredImage> ReadImages(const std::vector<std::filesystem::path>& files,
                                    const std::string& model, const Stop& stop,
                                    std::vector<CalibrationSet>& sets) {
  std::vector<ScoredImage> images;
  std::map<std::string, PartSet> wholes;  // by their data and options
  for (const std::filesystem::path& file : files) {
    if (stop()) return {};
    EvaluationPart part = ReadEvaluationPart(file);
    if (part.header.model != model)
      throw Error(file.string(), "was made with another model than this");
    if (!part.finder) throw Error(file.string(), "was made without adaptation");
    if (!part.keeps_scores)
      throw Error(file.string(),
                  "keeps no scores of each image (a part that was made with a rule)");
    // The options are part of the key because other folders may have files of the same names.
    wholes[part.header.data + JsonText(part.header.options)].Add(file.string(), part.header);
    const std::size_t before = images.size();
    for (JudgedImage& image : part.images)
      if (!image.problem)
        images.push_back({sets.size(), image.adaptation.by, std::move(image.scores)});
    sets.push_back({file.stem().string(), images.size() - before, {}, {}, {}, {}});
  }
  for (const auto& [data, parts] : wholes) parts.RequireWhole();
  return images;
}

// Between the names of the data of new curves and those of kept ones.
constexpr std::string_view kOthers = "; others ";

// Rounds to four significant digits.
double Rounded(double number) {
  if (number == 0) return 0;
  const double digits = std::pow(10, 3 - std::floor(std::log10(number)));
  return std::round(number * digits) / digits;
}

CalibrationSide Rounded(CalibrationSide side) {
  side.jump = Rounded(side.jump);
  for (CalibrationSide::Line& line : side.lines)
    line.slope = std::clamp(Rounded(line.slope), 1 / CalibrationSide::kMax, CalibrationSide::kMax);
  return side;
}

// Fits the curve of the images of one kind, and the curves with one fold left out each. `earlier`
// is the curve of the model that computed the log-odds.
class PathFit {
 public:
  PathFit(const std::vector<ScoredImage>& all, By by, double own, const CalibrationCurve& earlier)
      : own_(own), earlier_(earlier) {
    for (const ScoredImage& image : all)
      if (image.by == by) images_.push_back(&image);
    if (images_.size() < 2) return;
    for (const ScoredImage* image : images_) sum_ += WeighedOf(*image);
    curve_ = FitTo(sum_);
  }

  std::size_t size() const { return images_.size(); }
  bool fitted() const { return curve_.has_value(); }
  // A curve that is not fitted stays that of the model, with its own data.
  bool keeps_data() const { return !curve_ && !earlier_.identity(); }
  // Adds the sets on whose images the curve is fitted.
  void AddSets(std::set<std::size_t>& sets) const {
    if (!curve_) return;
    for (const ScoredImage* image : images_) sets.insert(image->set);
  }
  // The new curve of the model.
  CalibrationCurve Curve() const {
    return curve_ ? CalibrationCurve{Rounded(curve_->below), Rounded(curve_->above)} : earlier_;
  }

  // Adds the pixels of each image, with a curve that was fitted without its fold.
  void AddTo(std::vector<Reliability>& after, const Stop& stop) const {
    const std::size_t folds = std::min(kMaxFolds, images_.size());
    for (std::size_t fold = 0; fold < folds && !stop(); ++fold) {
      ScoreHistogram others = sum_;
      for (std::size_t i = fold; curve_ && i < images_.size(); i += folds)
        others -= WeighedOf(*images_[i]);
      const CalibrationCurve curve = curve_ ? FitTo(others).value_or(earlier_) : earlier_;
      for (std::size_t i = fold; i < images_.size(); i += folds)
        for (const ScoreStep& step : HistogramOf(*images_[i]).Steps().steps)
          after[images_[i]->set].Add(own_ + curve(Evidence(step.score)), step.positive,
                                     step.negative);
    }
  }

 private:
  double Evidence(double told) const { return earlier_.Inverse(told - own_); }

  // Scales the histogram so that all images have the same weight.
  static ScoreHistogram WeighedOf(const ScoredImage& image) {
    constexpr std::uint64_t kWeight = std::uint64_t{1} << 40;
    ScoreHistogram histogram = HistogramOf(image);
    const Scores scores = histogram.Steps();
    const std::uint64_t pixels = scores.Total(true) + scores.Total(false);
    return histogram *= std::max<std::uint64_t>(1, kWeight / std::max<std::uint64_t>(1, pixels));
  }

  std::optional<CalibrationCurve> FitTo(const ScoreHistogram& histogram) const {
    Scores scores = histogram.Steps();
    for (ScoreStep& step : scores.steps) step.score = own_ + Evidence(step.score);
    return FitCalibrationCurve(scores, own_, curve_.value_or(CalibrationCurve()));
  }

  double own_;
  CalibrationCurve earlier_;
  std::vector<const ScoredImage*> images_;
  ScoreHistogram sum_;
  std::optional<CalibrationCurve> curve_;
};

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
  const AdaptedCalibration& earlier = model.adapted_calibration;
  const PathFit paths[] = {{images, By::kSeeds, own, earlier.faces},
                           {images, By::kImage, own, earlier.image},
                           {images, By::kNothing, own, earlier.neither}};
  const auto& [faces, image, neither] = paths;
  if (std::ranges::none_of(paths, &PathFit::fitted))
    throw Error("the parts",
                fmt::format("have {} images with faces, {} that were divided by their colours and "
                            "{} with neither (two of one kind, with pixels of both classes on both "
                            "sides of the threshold)",
                            faces.size(), image.size(), neither.size()));
  fit.faces = faces.size();
  fit.image = image.size();
  fit.neither = neither.size();
  fit.faces_fitted = faces.fitted();
  fit.image_fitted = image.fitted();
  fit.neither_fitted = neither.fitted();
  std::set<std::size_t> used;
  for (const PathFit& path : paths) path.AddSets(used);
  std::vector<std::string> names;
  for (const std::size_t set : used) names.push_back(fit.sets[set].name);
  std::string data = fmt::format("{}", fmt::join(names, ", "));
  if (std::ranges::any_of(paths, &PathFit::keeps_data)) {
    // Which of these data the kept curves are of is not known.
    std::string kept = earlier.data.empty() ? "unknown" : earlier.data;
    if (const std::size_t at = kept.find(kOthers); at != kept.npos)
      kept.replace(at, kOthers.size(), ", ");
    std::set<std::string> seen(names.begin(), names.end());
    std::vector<std::string> others;
    for (std::string name : Parts(kept, ',')) {
      name.erase(0, name.find_first_not_of(' '));
      if (seen.insert(name).second) others.push_back(name);
    }
    if (!others.empty()) data += fmt::format("{}{}", kOthers, fmt::join(others, ", "));
  }
  fit.calibration = {faces.Curve(), image.Curve(), neither.Curve(), std::move(data)};
  std::vector<Reliability> before(fit.sets.size()), after(fit.sets.size());
  for (const ScoredImage& scored : images)
    for (const ScoreStep& step : HistogramOf(scored).Steps().steps) {
      before[scored.set].Add(step.score, step.positive, step.negative);
      if (scored.by == By::kNobody) after[scored.set].Add(step.score, step.positive, step.negative);
    }
  for (const PathFit& path : paths) path.AddTo(after, stop);
  for (std::size_t i = 0; i < fit.sets.size(); ++i) {
    fit.sets[i].before = before[i].Ece();
    fit.sets[i].after = after[i].Ece();
    fit.sets[i].middle_before = before[i].EceMiddle();
    fit.sets[i].middle_after = after[i].EceMiddle();
  }
  return fit;
}

}  // namespace skinmask
