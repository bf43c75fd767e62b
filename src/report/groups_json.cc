#include "report/report_json.h"

#include "pipeline/results_json.h"
#include "skinmask/report/groups.h"

namespace skinmask {
namespace {

Json PairOf(const std::optional<Interval>& interval) {
  return interval ? Json{interval->low, interval->high} : Json();
}

Json GroupJson(const GroupScore& group) {
  Json json{{"name", group.name}, {"images", group.images}, {"pixels", group.counts.Total()}};
  json.update(JsonOf(group.counts));
  Json intervals;
  for (std::size_t m = 0; m < kGroupMeasures.size(); ++m) {
    const auto& [name, shown, of] = kGroupMeasures[m];
    json[std::string(name)] = OrNull((group.counts.*of)());
    intervals[std::string(name)] = PairOf(group.intervals[m]);
  }
  json["intervals"] = intervals;
  return json;
}

Json GapJson(const GroupScores& scores, std::size_t measure) {
  Json json{{"words", scores.Words(measure)}};
  if (const std::optional<GroupGap>& gap = scores.gaps[measure])
    json.update({{"above", gap->above},
                 {"below", gap->below},
                 {"gap", gap->gap},
                 {"interval", PairOf(gap->interval)},
                 {"certain", gap->certain()}});
  return json;
}

}  // namespace

Json GroupsJson(const EvaluationReport& report) {
  Json groupings = Json::array();
  for (const Grouping& grouping : report.groupings) {
    const GroupScores scores = ScoreGroups(report, grouping);
    Json json{{"by", grouping.by}, {"source", grouping.source}, {"groups", Json::array()}};
    for (const GroupScore& group : scores.groups) json["groups"].push_back(GroupJson(group));
    for (std::size_t m = 0; m < kGroupMeasures.size(); ++m)
      json["gaps"][std::string(kGroupMeasures[m].name)] = GapJson(scores, m);
    json["least_images"] = kLeastGroup;
    json["images_in_none"] = scores.in_none;
    json["why_none"] = grouping.why_none;
    groupings.push_back(std::move(json));
  }
  return groupings;
}

}  // namespace skinmask
