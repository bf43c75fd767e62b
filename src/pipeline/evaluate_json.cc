#include "pipeline/evaluate_json.h"

#include "learn/class_counts_json.h"

namespace skinmask {
namespace {

Json MetricsJson(const Metrics& metrics) {
  const Confusion& c = metrics.counts;
  Json json{{"tp", c.tp}, {"fp", c.fp}, {"fn", c.fn}, {"tn", c.tn}};
  for (const auto& [name, value] : Ratios(metrics)) json[name] = OrNull(value);
  return json;
}

}  // namespace

Json ReportJson(const EvaluationReport& report) {
  Json root{{"pooled", MetricsJson(report.pooled)}};
  if (report.classes) root["classes"] = JsonOf(*report.classes);
  if (const std::optional<Decision>& d = report.decision) {
    root["decision"] = {{"threshold", d->threshold}, {"rule", d->rule}};
    if (!d->data.empty()) root["decision"]["data"] = d->data;
  }
  for (const auto& [name, value] : MeanPerImage(report))
    root["mean_per_image"][name] = OrNull(value);
  root["images"] = Json::array();
  for (const auto& [name, metrics] : report.images) {
    Json image{{"name", name}};
    image.update(MetricsJson(metrics));
    root["images"].push_back(std::move(image));
  }
  return root;
}

}  // namespace skinmask
