#include "pipeline/evaluation_part.h"

#include <algorithm>
#include <tuple>

#include "pipeline/results_json.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

// Youden's J: recall minus false positive rate. -1 for the inverse of the truth.
std::optional<double> Youden(const Metrics& metrics) {
  if (!metrics.recall || !metrics.specificity) return std::nullopt;
  return *metrics.recall + *metrics.specificity - 1;
}

// The metrics with other counts and unchanged scores.
Metrics WithCounts(const Metrics& metrics, const Confusion& counts) {
  Metrics changed = MetricsOf({counts, std::nullopt});
  for (const auto& [name, member] : kRatiosOfScores) changed.*member = metrics.*member;
  return changed;
}

// Keeps the lowest pixels, sorted.
void KeepLowest(std::vector<RankedPixel>& pixels) {
  const std::size_t kept = std::min(PixelDraw::kEach, pixels.size());
  const auto place = [](const RankedPixel& ranked) {
    return std::pair(ranked.rank, ranked.pixel.bgr);
  };
  std::ranges::partial_sort(pixels, pixels.begin() + static_cast<std::ptrdiff_t>(kept), {}, place);
  pixels.resize(kept);
}

}  // namespace

bool MasksLookInverted(const EvaluationReport& report) {
  // Measured: J was -0.02 or more for correct masks, even with models that are no better than
  // chance, and -0.34 or less for inverted masks with models that find skin at all.
  constexpr double kWorse = -0.2;
  std::size_t judged = 0, worse = 0;
  for (const auto& [name, metrics] : report.images) {
    const std::optional<double> j = Youden(metrics);
    judged += j.has_value();
    worse += j && *j < 0;
  }
  return judged > 0 && 3 * worse >= 2 * judged && Youden(report.pooled) <= kWorse;
}

Metrics MetricsOf(const Evaluation& evaluation) {
  const Confusion& c = evaluation.counts;
  Metrics m{c, c.Accuracy(), c.Precision(), c.Recall(), c.Specificity(), c.F1(), c.Iou(), {}, {},
            {}};
  if (evaluation.scores) {
    m.auc = evaluation.scores->Auc();
    m.average_precision = evaluation.scores->AveragePrecision();
    m.brier = evaluation.scores->Brier();
  }
  return m;
}

std::optional<SelectivePoint> AnsweredOf(const EvaluationReport& report) {
  if (!report.abstain || !report.scores) return std::nullopt;
  const auto& [low, high] = *report.abstain;
  return Abstaining(*report.scores, Logit(low), Logit(high));
}

NamedRatios Ratios(const Metrics& metrics) {
  NamedRatios ratios;
  for (const auto& [name, member] : kRatios) ratios.emplace_back(name, metrics.*member);
  return ratios;
}

NamedRatios MeanPerImage(const EvaluationReport& report) {
  NamedRatios means;
  const auto add = [&](const char* name, const auto& value_of) {
    double sum = 0, n = 0;
    for (const auto& [image, metrics] : report.images) {
      if (const std::optional<double> value = value_of(metrics)) {
        sum += *value;
        ++n;
      }
    }
    means.emplace_back(name, n > 0 ? std::optional(sum / n) : std::nullopt);
  };
  for (const auto& [name, member] : kConfusionCounts)
    add(name, [m = member](const Metrics& metrics) {
      return std::optional(static_cast<double>(metrics.counts.*m));
    });
  for (const auto& [name, member] : kRatios)
    add(name, [m = member](const Metrics& metrics) { return metrics.*m; });
  return means;
}

void PixelDraw::Add(const std::vector<RankedPixel>& pixels) {
  for (const RankedPixel& ranked : pixels) {
    std::vector<RankedPixel>& kept = kept_[ranked.pixel.positive];
    kept.push_back(ranked);
    if (kept.size() >= 4 * kEach) KeepLowest(kept);
  }
}

std::vector<RankedPixel> PixelDraw::Ranked() const {
  std::vector<RankedPixel> all;
  for (const bool positive : {true, false}) {
    std::vector<RankedPixel> kept = kept_[positive];
    KeepLowest(kept);
    all.insert(all.end(), kept.begin(), kept.end());
  }
  return all;
}

void AddToBlock(std::vector<CoarseScores>& blocks, std::size_t block, const CoarseScores& scores) {
  if (blocks.size() <= block) blocks.resize(block + 1);
  blocks[block] += scores;
}

EvaluationReport ReportOf(const EvaluationPart& whole) {
  EvaluationReport report;
  report.positive = whole.positive;
  Evaluation pooled{{}, whole.has_scores ? std::optional(whole.scores.Steps()) : std::nullopt};
  for (const JudgedImage& image : whole.images) {
    if (image.problem) continue;
    pooled.counts += image.metrics.counts;
    report.images.emplace_back(image.name, image.metrics);
    if (whole.finder) report.adaptations.push_back(image.adaptation);
    if (whole.keeps_tones) report.tones.push_back(image.tone);
  }
  report.finder = whole.finder.value_or("");
  report.pooled = MetricsOf(pooled);
  report.scores = std::move(pooled.scores);
  report.blocks = whole.blocks;
  report.images_without_mask = whole.images_without_mask;
  report.masks_look_inverted = MasksLookInverted(report);
  if (!whole.classes.classes.empty()) report.classes = whole.classes;
  for (const RankedPixel& ranked : whole.drawn.Ranked()) report.drawn.push_back(ranked.pixel);
  return report;
}

void ReportMessages(const EvaluationPart& whole, const Run& run) {
  for (const auto& [file, reason] : whole.skipped) run.passed_over(file, reason);
  for (const Problem& problem : whole.problems) run.problem(problem);
  for (const JudgedImage& image : whole.images) {
    run.planned(image.problem ? image.problem->input : image.name, false);
    if (image.problem)
      run.problem(*image.problem);
    else
      run.finished();
  }
}

void EvaluationMerge::Add(const std::string& file, EvaluationPart&& part) {
  set_.Add(file, part.header);
  // The scores of all images would not fit into memory. To choose a threshold later, the files are
  // read again.
  for (JudgedImage& image : part.images) image.scores = std::string();
  images_.emplace_back(part.header.shard, std::move(part.images));
  if (images_.size() == 1) {
    sum_ = std::move(part);
    return;
  }
  // These values follow from data, options and model, except for the finder, which the file of
  // SKINMASK_FACES determines.
  const auto common = [](const EvaluationPart& one) {
    return std::tie(one.positive, one.finder, one.has_scores, one.keeps_scores, one.keeps_tones,
                    one.images_without_mask);
  };
  if (common(part) != common(sum_))
    throw Error(file, "was judged otherwise than the others (the same finder of faces for all)");
  if (!part.classes.classes.empty() && !sum_.classes.classes.empty() &&
      part.classes.classes != sum_.classes.classes)
    throw Error(file, "has other classes than the others");
  if (part.header.shard.index == 1) {
    sum_.skipped = std::move(part.skipped);
    sum_.problems = std::move(part.problems);
  }
  sum_.scores += part.scores;
  for (std::size_t b = 0; b < part.blocks.size(); ++b) AddToBlock(sum_.blocks, b, part.blocks[b]);
  sum_.classes += part.classes;
  sum_.drawn.Add(part.drawn.Ranked());
}

EvaluationPart EvaluationMerge::Whole() && {
  set_.RequireWhole();
  sum_.images.resize(sum_.header.size);
  for (auto& [shard, images] : images_)
    for (std::size_t i = 0; i < images.size(); ++i)
      sum_.images[PlaceOf(shard, i)] = std::move(images[i]);
  sum_.header.shard = {};
  return std::move(sum_);
}

void CountAbove(EvaluationPart& whole, const EvaluationPart& part, const std::string& file,
                double above) {
  for (std::size_t i = 0; i < part.images.size(); ++i) {
    const JudgedImage& image = part.images[i];
    const std::size_t place = PlaceOf(part.header.shard, i);
    if (place >= whole.images.size() || whole.images[place].name != image.name)
      throw Error(file, "has changed since it was read first");
    if (image.problem) continue;
    whole.images[place].metrics = WithCounts(image.metrics, CountsAbove(image.scores, above));
  }
}

}  // namespace skinmask
