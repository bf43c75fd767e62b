#include "pipeline/results_json.h"

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "pipeline/bytes_as_text.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

// Rounds to hundredths: medians are no more precise, and the last bits of an arctangent depend on
// the C library.
double Hundredths(double value) { return std::round(value * 100) / 100; }

Json ToneJson(const std::optional<Lab>& tone) {
  if (!tone) return {};
  return {{"lab", {Hundredths(tone->l), Hundredths(tone->a), Hundredths(tone->b)}},
          {"ita", Hundredths(ItaDegrees(*tone))},
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

Json EntryOfInput(const std::string& input) {
  Json entry{{"input", input}};
  if (!IsUtf8(input)) entry["input_bytes"] = Base64(input);
  return entry;
}

Json EntryOfInput(const std::string& input, const std::string& reason) {
  Json entry = EntryOfInput(input);
  entry["reason"] = reason;
  return entry;
}

std::optional<std::string> BytesOfInput(const Json& entry) {
  const auto bytes = entry.find("input_bytes");
  if (bytes == entry.end() || !bytes->is_string()) return std::nullopt;
  try {
    return FromBase64(bytes->get<std::string>());
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool AreFailures(const Json& list) {
  return list.is_array() && std::ranges::all_of(list, [](const Json& failure) {
           return failure.is_object() && failure.value("input", Json()).is_string() &&
                  failure.value("reason", Json()).is_string();
         });
}

Problem FailedBefore(const std::string& input, const std::string& reason) {
  const std::string before = "failed in the run before: ";
  return {input, reason.starts_with(before) ? reason : before + reason};
}

Json JsonOf(const Confusion& counts) {
  Json json;
  for (const auto& [name, member] : kConfusionCounts) json[name] = counts.*member;
  return json;
}

Json JsonOf(const ClassCounts& counts) {
  Json json{{"classes", counts.classes}, {"counts", Json::array()}};
  json["accuracy"] = OrNull(counts.Accuracy());
  for (std::size_t k = 0; k < counts.classes.size(); ++k) {
    json["counts"].push_back(Json::array());
    for (std::size_t called = 0; called < counts.classes.size(); ++called)
      json["counts"].back().push_back(counts.Count(k, called));
    json["recall"].push_back(OrNull(counts.Recall(k)));
    json["precision"].push_back(OrNull(counts.Precision(k)));
  }
  const std::size_t size = counts.classes.size();
  for (auto row = counts.costs.begin(); row != counts.costs.end(); row += size)
    json["costs"].push_back(std::vector<double>(row, row + size));
  if (!counts.costs.empty()) json["mean_cost"] = OrNull(counts.MeanCost());
  return json;
}

Confusion ReadConfusion(const JsonNode& node, std::uint64_t most) {
  Confusion counts;
  for (const auto& [name, member] : kConfusionCounts)
    if ((counts.*member = node[name].Count()) > most) node[name].Fail(" is too large");
  return counts;
}

ClassCounts ReadClassCounts(const JsonNode& node, std::uint64_t pixels) {
  ClassCounts classes;
  for (const JsonNode& name : node["classes"].Items()) classes.classes.push_back(name.Text());
  const std::size_t size = classes.classes.size();
  for (const JsonNode& row : node["counts"].Items())
    for (const JsonNode& count : row.Items()) {
      classes.counts.push_back(count.Count());
      if (classes.counts.back() > pixels) count.Fail(" is more than all pixels");
      pixels -= classes.counts.back();
    }
  if (size == 0 || size > kMaxClasses || classes.counts.size() != size * size)
    node.Fail(" has not a count for each two classes");
  if (node.Has("costs"))
    for (const JsonNode& row : node["costs"].Items())
      for (const JsonNode& cost : row.Items()) classes.costs.push_back(cost.Real());
  if (!classes.costs.empty() && classes.costs.size() != size * size)
    node["costs"].Fail(" has not a cost for each two classes");
  return classes;
}

Json JsonOf(const AdaptationSummary& summary) {
  using JudgedBy = AdaptationSummary::By;
  if (summary.by == JudgedBy::kNobody) return {{"by", "nobody"}};
  Json json;
  if (summary.by == JudgedBy::kSeeds) {
    json = {{"by", "seeds"}, {"faces", summary.faces}};
  } else {
    json["by"] = summary.by == JudgedBy::kImage ? "image" : "nothing";
    if (summary.by == JudgedBy::kImage) json["shift"] = summary.shift;
    json["stops"] = summary.stops;
  }
  const std::pair<const char*, bool> notes[] = {
      {"monochrome", summary.monochrome}, {"cool", summary.cool}, {"unclear", summary.unclear}};
  for (const auto& [name, holds] : notes)
    if (holds) json[name] = true;
  if (summary.any_skin) json["any_skin"] = *summary.any_skin;
  return json;
}

std::string AdaptationToJson(const AdaptationSummary& summary) { return JsonText(JsonOf(summary)); }

Json JsonOf(const ColorSums& colors) {
  constexpr std::pair<const char*, std::size_t> kChannels[] = {
      {"red", 2}, {"green", 1}, {"blue", 0}};
  Json json{{"pixels", colors.pixels}};
  for (const auto& [name, channel] : kChannels) {
    const bool known = colors.pixels > 0;
    json["mean"][name] = known ? Json(colors.Mean(channel)) : Json();
    json["sd"][name] = known ? Json(colors.Deviation(channel)) : Json();
  }
  return json;
}

Json JsonOf(const MeasuredFace& measured) {
  const Face& face = measured.face;
  Json json{{"face", face.id},           {"x", face.box.x},
            {"y", face.box.y},           {"width", face.box.width},
            {"height", face.box.height}, {"tilt_degrees", face.frame.TiltDegrees()}};
  for (std::size_t i = 0; i < kFaceParts; ++i) {
    const auto part = static_cast<FacePart>(i);
    const std::string name(part == FacePart::kFace ? "means" : FacePartName(part));
    json[name] = JsonOf(measured.of(part));
  }
  return json;
}

Json RatiosJson(const NamedRatios& ratios) {
  Json json;
  for (const auto& [name, value] : ratios) json[name] = OrNull(value);
  return json;
}

Json MetricsJson(const Metrics& metrics) {
  Json json = JsonOf(metrics.counts);
  json.update(RatiosJson(Ratios(metrics)));
  return json;
}

Json ReportJson(const EvaluationReport& report) {
  Json root{{"pooled", MetricsJson(report.pooled)}};
  if (report.classes) root["classes"] = JsonOf(*report.classes);
  if (const std::optional<Decision>& d = report.decision) {
    root["decision"] = {{"threshold", d->threshold}, {"rule", d->rule}};
    if (!d->data.empty()) root["decision"]["data"] = d->data;
  }
  root["mean_per_image"] = RatiosJson(MeanPerImage(report));
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
