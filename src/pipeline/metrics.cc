#include "skinmask/pipeline/evaluate.h"

#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

constexpr std::pair<const char*, std::optional<double> Metrics::*> kRatios[] = {
    {"accuracy", &Metrics::accuracy},
    {"precision", &Metrics::precision},
    {"recall", &Metrics::recall},
    {"specificity", &Metrics::specificity},
    {"f1", &Metrics::f1},
    {"iou", &Metrics::iou},
    {"auc", &Metrics::auc},
    {"average_precision", &Metrics::average_precision},
    {"brier", &Metrics::brier},
};
constexpr std::pair<const char*, std::uint64_t Confusion::*> kCountsOf[] = {
    {"tp", &Confusion::tp}, {"fp", &Confusion::fp}, {"fn", &Confusion::fn}, {"tn", &Confusion::tn}};

// Youden's J, the recall less the false positive rate: -1 for the inverse of what is true.
std::optional<double> Youden(const Metrics& metrics) {
  if (!metrics.recall || !metrics.specificity) return std::nullopt;
  return *metrics.recall + *metrics.specificity - 1;
}

}  // namespace

bool MasksLookInverted(const EvaluationReport& report) {
  // Right sets gave -0.02 and more even with models that are as good as none, inverted ones -0.34
  // and less with models that find skin at all.
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

std::vector<std::pair<std::string, std::optional<double>>> Ratios(const Metrics& metrics) {
  std::vector<std::pair<std::string, std::optional<double>>> ratios;
  for (const auto& [name, member] : kRatios) ratios.emplace_back(name, metrics.*member);
  return ratios;
}

std::vector<std::pair<std::string, std::optional<double>>> MeanPerImage(
    const EvaluationReport& report) {
  std::vector<std::pair<std::string, std::optional<double>>> means;
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
  for (const auto& [name, member] : kCountsOf)
    add(name, [m = member](const Metrics& metrics) {
      return std::optional(static_cast<double>(metrics.counts.*m));
    });
  for (const auto& [name, member] : kRatios)
    add(name, [m = member](const Metrics& metrics) { return metrics.*m; });
  return means;
}

}  // namespace skinmask
