#include "programs/cli/group_flags.h"

#include <algorithm>

#include "programs/cli/print.h"
#include "programs/cli/verb.h"
#include "skinmask/report/groups.h"

namespace skinmask::cli {
namespace {

constexpr const char* kTone = "tone";

CLI::Validator ToneOrTable() {
  return CLI::Validator(
      [](const std::string& by) {
        const bool table = CLI::detail::to_lower(by).ends_with(".csv");
        return by == kTone || table ? std::string()
                                    : "'" + by + "' is neither tone nor a table (FILE.csv)";
      },
      "");
}

// "0.912 (0.871 - 0.945)".
std::string Cell(const std::optional<double>& value, const std::optional<Interval>& interval) {
  const std::string shown = Shown(value, 4);
  return interval ? fmt::format("{} ({:.3f} - {:.3f})", shown, interval->low, interval->high)
                  : shown;
}

void PrintGrouping(const Grouping& grouping, const GroupScores& scores) {
  std::size_t width = std::max<std::size_t>(18, grouping.by.size());
  for (const GroupScore& group : scores.groups) width = std::max(width, group.name.size());
  Print("\n{:<{}} {:>7} {:>12}", grouping.by, width, "images", "pixels");
  for (const GroupMeasure& measure : kGroupMeasures) Print("  {:<22}", measure.name);
  Print("\n");
  for (const GroupScore& group : scores.groups) {
    Print("{:<{}} {:>7} {:>12}", group.name, width, group.images, group.counts.Total());
    for (std::size_t m = 0; m < kGroupMeasures.size(); ++m)
      Print("  {:<22}", Cell((group.counts.*kGroupMeasures[m].of)(), group.intervals[m]));
    Print("\n");
  }
  if (scores.in_none > 0)
    Print("{} image{} in no group: {}\n", scores.in_none, scores.in_none > 1 ? "s" : "",
          grouping.why_none);
  Print("largest gaps (with what holds for all pairs at 95 %):\n");
  for (std::size_t m = 0; m < kGroupMeasures.size(); ++m) Print("  {}\n", scores.Words(m));
}

}  // namespace

void AddGroupOption(CLI::App& verb, GroupFlags& by) {
  OptionGroup(verb, "Output")
      .Add(
          "--by", by, "tone|FILE.csv",
          "Also scores of groups of images: by the tone of their true skin, or by each column of a "
          "table with a row for each image; repeatable")
      ->allow_extra_args(false)
      ->check(ToneOrTable());
}

bool ByTone(const GroupFlags& by) { return std::ranges::find(by, kTone) != by.end(); }

std::vector<GroupTable> ReadGroupTables(const GroupFlags& by) {
  std::vector<GroupTable> tables;
  for (const std::filesystem::path& file : TablesOf(by)) tables.push_back(ReadGroupTable(file));
  return tables;
}

void AddGroups(EvaluationReport& report, const GroupFlags& by,
               const std::vector<GroupTable>& tables, const Run& run) {
  auto table = tables.begin();
  for (const std::string& one : by)
    one == kTone ? AddToneGroupings(report) : AddGroupings(report, *table++, run);
  if (!ByTone(by)) report.tones.clear();  // parts may have kept them
}

void RequireNoTable(const GroupFlags& by, const std::string& output, const std::string& option) {
  for (const std::filesystem::path& table : TablesOf(by))
    RequireApart(output, option, table, "--by");
}

std::vector<std::filesystem::path> TablesOf(const GroupFlags& by) {
  std::vector<std::filesystem::path> files;
  for (const std::string& one : by)
    if (one != kTone) files.emplace_back(one);
  return files;
}

void PrintGroups(const EvaluationReport& report) {
  for (const Grouping& grouping : report.groupings)
    PrintGrouping(grouping, ScoreGroups(report, grouping));
  if (!report.tones.empty())
    Print(
        "(ITA and Monk tones are of the median colour of an image's true skin: light fools any "
        "angle from pixels)\n");
}

}  // namespace skinmask::cli
