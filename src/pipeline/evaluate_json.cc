#include "pipeline/evaluate_json.h"

#include <algorithm>

#include "pipeline/adaptation_json.h"
#include "pipeline/confusion_json.h"

namespace skinmask {
namespace {

Json MetricsJson(const Metrics& metrics) {
  Json json = JsonOf(metrics.counts);
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
  root["images_without_mask"] = report.images_without_mask;
  root["masks_look_inverted"] = report.masks_look_inverted;
  root["images"] = Json::array();
  for (std::size_t i = 0; i < report.images.size(); ++i) {
    const auto& [name, metrics] = report.images[i];
    Json image{{"name", name}};
    image.update(MetricsJson(metrics));
    if (!report.adaptations.empty()) image["adaptation"] = JsonOf(report.adaptations[i]);
    root["images"].push_back(std::move(image));
  }
  if (!report.adaptations.empty()) {
    root["finder"] = report.finder;
    root["images_with_faces"] =
        std::ranges::count_if(report.adaptations, [](const auto& a) { return a.faces > 0; });
  }
  return root;
}

}  // namespace skinmask
