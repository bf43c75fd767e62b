#include "skinmask/pipeline/evaluate.h"

#include <algorithm>

#include "pipeline/drawn_pixels.h"
#include "pipeline/labelled_pairs.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/detect/detect_image.h"

namespace skinmask {
namespace {

// What is added up over an image, and over all of them.
struct Sums {
  Confusion counts;
  ScoreHistogram scores;
  ClassCounts classes;  // of models of more than two
  std::vector<DrawnPixel> drawn;
  AdaptationSummary adaptation;
};

// Judges every pair with `judge(image, sums)` and adds up.
template <class Judge>
EvaluationReport EvaluatePairs(const LabelledPairs& pairs, bool has_scores, const Run& run,
                               const Judge& judge) {
  Sums pooled;
  EvaluationReport report;
  PixelDraw draw(report.drawn);
  struct One {
    std::string name;
    Sums sums;
    Metrics metrics;
  };
  const auto evaluation_of = [&](const Sums& sums) {
    return Evaluation{sums.counts, has_scores ? std::optional(sums.scores.Steps()) : std::nullopt};
  };
  pairs.ForEach(
      run,
      [&](std::size_t, const LabelledImage& image) {
        One one{image.name, {}, {}};
        judge(image, one.sums);
        one.metrics = MetricsOf(evaluation_of(one.sums));
        return one;
      },
      [&](std::size_t, One&& one) {
        report.images.emplace_back(std::move(one.name), one.metrics);
        report.adaptations.push_back(one.sums.adaptation);
        pooled.counts += one.sums.counts;
        pooled.scores += one.sums.scores;
        pooled.classes += one.sums.classes;
        draw.Add(one.sums.drawn);
      });
  report.images_without_mask = pairs.without_mask();
  Evaluation all = evaluation_of(pooled);
  report.pooled = MetricsOf(all);
  report.scores = std::move(all.scores);
  report.masks_look_inverted = MasksLookInverted(report);
  if (!pooled.classes.classes.empty()) report.classes = std::move(pooled.classes);
  return report;
}

// Judges by a model, or by what an adapter makes of it.
class ModelJudge {
 public:
  ModelJudge(const LabelledPairs& pairs, std::uint8_t positive, const Model& model,
             const Adapter* adapter)
      : positive_(positive),
        model_(model),
        posterior_(model, {.probability = false}),
        adapter_(adapter) {
    for (const std::string& name : pairs.classes())
      in_model_.push_back(static_cast<std::size_t>(
          std::ranges::find(model.classes, name, &ClassModel::name) - model.classes.begin()));
  }

  void operator()(const LabelledImage& image, Sums& sum) const {
    const std::optional<Adaptation> adaptation =
        adapter_ ? adapter_->Adapt(image.bgr) : std::nullopt;
    if (adaptation) sum.adaptation = adaptation->summary;
    const cv::Mat adapted = adaptation ? adapter_->LogOdds(image.bgr, *adaptation) : cv::Mat();
    const cv::Mat adapted_mask =
        adapted.empty() ? cv::Mat() : MaskOf(adapted, model_.decision.threshold);
    const auto width = static_cast<std::size_t>(image.bgr.cols);
    std::vector<std::uint8_t> row_mask(width);
    std::vector<float> row_log_odds(width);
    for (int y = 0; y < image.bgr.rows; ++y) {
      const std::uint8_t* mask = row_mask.data();
      const float* log_odds = row_log_odds.data();
      if (adapted.empty()) {
        posterior_.MaskRow(image.bgr.ptr<std::uint8_t>(y), width, row_mask.data());
        posterior_.LogOddsRow(image.bgr.ptr<std::uint8_t>(y), width, row_log_odds.data());
      } else {
        mask = adapted_mask.ptr<std::uint8_t>(y);
        log_odds = adapted.ptr<float>(y);
      }
      const std::uint8_t* const classes = image.classes.ptr<std::uint8_t>(y);
      for (std::size_t x = 0; x < width; ++x) {
        if (classes[x] == MaskRule::kIgnored) continue;
        sum.counts.Add(classes[x] == positive_, mask[x] != 0);
        sum.scores.Add(log_odds[x], classes[x] == positive_);
      }
    }
    sum.drawn = DrawPixels(image, positive_);
    if (model_.classes.size() > 2) sum.classes = CountClasses(image);
  }

 private:
  // What a model of more than two classes calls the pixels.
  ClassCounts CountClasses(const LabelledImage& image) const {
    ClassCounts counts(model_);
    std::vector<std::uint8_t> called(static_cast<std::size_t>(image.bgr.cols));
    for (int y = 0; y < image.bgr.rows; ++y) {
      const std::uint8_t* const classes = image.classes.ptr<std::uint8_t>(y);
      posterior_.ClassRow(image.bgr.ptr<std::uint8_t>(y), called.size(), called.data());
      for (std::size_t x = 0; x < called.size(); ++x)
        if (classes[x] != MaskRule::kIgnored && in_model_[classes[x]] < model_.classes.size())
          counts.Add(in_model_[classes[x]], called[x]);
    }
    return counts;
  }

  std::uint8_t positive_;  // the index of the positive class among those of the masks
  const Model& model_;
  Posterior posterior_;
  const Adapter* adapter_;  // null: none
  // For each class of the masks its index among the model's, or their number where there is none.
  std::vector<std::size_t> in_model_;
};

// The index of the positive class among the classes of the masks.
std::uint8_t PositiveIndex(const LabelledPairs& pairs, const PairOptions& options,
                           const std::string& positive) {
  for (std::size_t k = 0; k < pairs.classes().size(); ++k)
    if (pairs.classes()[k] == positive) return static_cast<std::uint8_t>(k);
  if (options.whole_class.empty())
    throw Error("labels", fmt::format("name no class '{}', the positive one (classes are: {})",
                                      positive, fmt::join(pairs.classes(), " ")));
  return MaskRule::kIgnored - 1;  // a class that no pixel has: all are negative
}

}  // namespace

EvaluationReport EvaluateImages(const PairOptions& options, const Model& model, const Run& run,
                                const Adapter* adapter) {
  const LabelledPairs pairs(options, false, run);
  const ModelJudge judge(pairs, PositiveIndex(pairs, options, model.positive().name), model,
                         adapter);
  EvaluationReport report = EvaluatePairs(pairs, true, run, judge);
  report.positive = model.positive().name;
  if (adapter)
    report.finder = adapter->finder_names();
  else
    report.adaptations.clear();
  return report;
}

EvaluationReport EvaluatePredicted(const PairOptions& options, const Run& run) {
  const LabelledPairs pairs(options, true, run);
  const std::uint8_t positive = PositiveIndex(pairs, options, "skin");
  const auto judge = [&](const LabelledImage& image, Sums& sum) {
    for (int y = 0; y < image.bgr.rows; ++y) {
      const std::uint8_t* classes = image.classes.ptr<std::uint8_t>(y);
      const std::uint8_t* mask = image.bgr.ptr<std::uint8_t>(y);
      for (int x = 0; x < image.bgr.cols; ++x)
        if (classes[x] != MaskRule::kIgnored) sum.counts.Add(classes[x] == positive, mask[x] == 0);
    }
  };
  EvaluationReport report = EvaluatePairs(pairs, false, run, judge);
  report.adaptations.clear();
  return report;
}

}  // namespace skinmask
