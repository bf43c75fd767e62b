#include "pipeline/evaluate_json.h"

#include <algorithm>
#include <cmath>

#include "pipeline/adaptation_json.h"
#include "pipeline/confusion_json.h"

namespace skinmask {
namespace {

Json MetricsJson(const Metrics& metrics) {
  Json json = JsonOf(metrics.counts);
  for (const auto& [name, value] : Ratios(metrics)) json[name] = OrNull(value);
  return json;
}

// Hundredths: medians are no finer, and the last bits of an arctangent are those of the library.
double Rounded(double value) { return std::round(value * 100) / 100; }

Json ToneJson(const std::optional<Lab>& tone) {
  if (!tone) return {};
  return {{"lab", {Rounded(tone->l), Rounded(tone->a), Rounded(tone->b)}},
          {"ita", Rounded(ItaDegrees(*tone))},
          {"monk", NearestMonkTone(*tone)}};
}

// The names of the groups that the image is in, one for each grouping.
Json GroupsOf(const EvaluationReport& report, std::size_t image) {
  Json names = Json::array();
  for (const Grouping& grouping : report.groupings) {
    const std::optional<std::size_t>& group = grouping.group[image];
    names.push_back(group ? Json(grouping.names[*group]) : Json());
  }
  return names;
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
    if (!report.tones.empty()) image["tone"] = ToneJson(report.tones[i]);
    if (!report.groupings.empty()) image["groups"] = GroupsOf(report, i);
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
