#include "skinmask/pipeline/evaluate.h"

#include <algorithm>

#include "pipeline/bytes_as_text.h"
#include "pipeline/evaluation_part.h"
#include "pipeline/labelled_pairs.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/detect/detect_image.h"

namespace skinmask {
namespace {

// What is added up over an image.
struct Sums {
  Confusion counts;
  ScoreHistogram scores;
  ClassCounts classes;  // of models of more than two
  std::vector<RankedPixel> drawn;
  AdaptationSummary adaptation;
};

// The image's row, which tells all but what is added up over images.
JudgedImage RowOf(const std::string& name, Sums& sums, bool has_scores,
                  const JudgeOptions& options) {
  JudgedImage row{name, {}, sums.adaptation, {}, {}};
  if (options.keep_scores) row.scores = sums.scores.Packed();
  if (options.above) sums.counts = CountsAbove(sums.scores.Packed(), *options.above);
  row.metrics =
      MetricsOf({sums.counts, has_scores ? std::optional(sums.scores.Steps()) : std::nullopt});
  return row;
}

// The median colour of the true positive pixels.
std::optional<Lab> ToneOf(const LabelledImage& image, std::uint8_t positive) {
  MedianLab median;
  for (int y = 0; y < image.bgr.rows; ++y) {
    const std::uint8_t* const classes = image.classes.ptr<std::uint8_t>(y);
    const std::uint8_t* bgr = image.bgr.ptr<std::uint8_t>(y);
    for (int x = 0; x < image.bgr.cols; ++x, bgr += 3)
      if (classes[x] == positive) median.Add(LabOfSrgb(bgr[0], bgr[1], bgr[2]));
  }
  return median.Median();
}

// Judges the pairs of the shard with `judge(image, sums)` and adds up.
template <class Judge>
void JudgePairs(const LabelledPairs& pairs, std::uint8_t positive, const JudgeOptions& options,
                const Run& run, const Judge& judge, EvaluationPart& part) {
  struct One {
    JudgedImage row;
    Sums sums;
  };
  Run recorded = run;
  recorded.problem = [&](const Problem& problem) {
    part.images.push_back({{}, {}, {}, {}, problem});
    run.problem(problem);
  };
  pairs.ForEach(
      recorded,
      [&](std::size_t, const LabelledImage& image) {
        One one;
        judge(image, one.sums);
        one.row = RowOf(image.name, one.sums, part.has_scores, options);
        if (options.tones) one.row.tone = ToneOf(image, positive);
        return one;
      },
      [&](std::size_t, One&& one) {
        part.images.push_back(std::move(one.row));
        part.scores += one.sums.scores;
        part.classes += one.sums.classes;
        part.drawn.Add(one.sums.drawn);
      });
}

// The pairs, and in `part` what there is to say of them.
LabelledPairs ListPairs(const PairOptions& options, bool predicted, const Run& run,
                        EvaluationPart& part) {
  Run recorded = run;
  recorded.problem = [&](const Problem& problem) {
    part.problems.push_back(problem);
    run.problem(problem);
  };
  recorded.passed_over = [&](const std::filesystem::path& file, const std::string& reason) {
    part.skipped.emplace_back(file.string(), reason);
    run.passed_over(file, reason);
  };
  LabelledPairs pairs(options, predicted, recorded);
  std::string names;
  for (std::size_t place = 0; place < pairs.size(); ++place)
    names.append(pairs.relative(place)).push_back('\0');
  part.header.data = Sha256(names);
  part.header.size = pairs.size();
  part.header.shard = options.shard;
  part.images_without_mask = pairs.without_mask();
  return pairs;
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

// Masks that were made before.
void JudgeMask(const LabelledImage& image, std::uint8_t positive, Sums& sum) {
  for (int y = 0; y < image.bgr.rows; ++y) {
    const std::uint8_t* classes = image.classes.ptr<std::uint8_t>(y);
    const std::uint8_t* mask = image.bgr.ptr<std::uint8_t>(y);
    for (int x = 0; x < image.bgr.cols; ++x)
      if (classes[x] != MaskRule::kIgnored) sum.counts.Add(classes[x] == positive, mask[x] == 0);
  }
}

}  // namespace

EvaluationPart EvaluateShard(const PairOptions& options, const Model* model, const Adapter* adapter,
                             const JudgeOptions& judge_options, const Run& run) {
  EvaluationPart part;
  part.has_scores = model != nullptr;
  part.keeps_scores = judge_options.keep_scores;
  part.keeps_tones = judge_options.tones;
  if (model) part.positive = model->positive().name;
  if (adapter) part.finder = adapter->finder_names();
  const LabelledPairs pairs = ListPairs(options, model == nullptr, run, part);
  const std::uint8_t positive = PositiveIndex(pairs, options, part.positive);
  if (model)
    JudgePairs(pairs, positive, judge_options, run, ModelJudge(pairs, positive, *model, adapter),
               part);
  else
    JudgePairs(
        pairs, positive, judge_options, run,
        [&](const LabelledImage& image, Sums& sum) { JudgeMask(image, positive, sum); }, part);
  return part;
}

EvaluationReport EvaluateImages(const PairOptions& options, const Model& model, const Run& run,
                                const Adapter* adapter, std::optional<double> above, bool tones) {
  return ReportOf(EvaluateShard(options, &model, adapter, {false, above, tones}, run));
}

EvaluationReport EvaluatePredicted(const PairOptions& options, const Run& run) {
  return ReportOf(EvaluateShard(options, nullptr, nullptr, {}, run));
}

EvaluationReport EvaluateTable(const Samples& samples, const Model& model) {
  constexpr std::size_t kDrawn = 1000;
  const std::string& positive = model.positive().name;
  Evaluation evaluation = EvaluateSamples(samples, model);
  EvaluationReport report;
  report.positive = positive;
  report.pooled = MetricsOf(evaluation);
  report.scores = std::move(evaluation.scores);
  report.drawn = DrawPixels(samples, positive, kDrawn);
  if (model.classes.size() > 2) report.classes = CountClasses(samples, model);
  return report;
}

}  // namespace skinmask
