#include "skinmask/pipeline/grouping.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "skinmask/data/tone.h"
#include "skinmask/pipeline/evaluate.h"

namespace skinmask {
namespace {

// What the table says of each image: the cells of its row, or null.
using Cells = std::vector<const std::vector<std::string>*>;

// Tells of what does not fit together.
void TellOf(const EvaluationReport& report, const GroupTable& table, const Cells& cells,
            const Run& run) {
  std::set<std::string> judged;
  for (const auto& [name, metrics] : report.images) judged.insert(name);
  const auto is_judged = [&](const auto& row) { return judged.contains(row.first); };
  const auto without_row = static_cast<std::size_t>(std::ranges::count(cells, nullptr));
  if (without_row == cells.size() && !cells.empty()) {
    Problem problem(table.file, fmt::format("names none of the {} images (in the column image, as "
                                            "'{}')",
                                            cells.size(), report.images.front().first));
    problem.tolerable = false;
    return run.problem(problem);
  }
  if (without_row > 0) {
    const auto first = static_cast<std::size_t>(std::ranges::find(cells, nullptr) - cells.begin());
    run.warning(
        fmt::format("{}: has no row for {} of {} images, which are in no group (the first "
                    "is '{}')",
                    table.file, without_row, cells.size(), report.images[first].first));
  }
  if (const auto extra = std::ranges::count_if(table.rows, std::not_fn(is_judged)); extra > 0)
    run.warning(fmt::format("{}: has {} row{} of images that were not judged (the first is '{}')",
                            table.file, extra, extra > 1 ? "s" : "",
                            std::ranges::find_if_not(table.rows, is_judged)->first));
}

Grouping ColumnGrouping(const GroupTable& table, std::size_t column, const Cells& cells) {
  Grouping grouping{table.columns[column], table.file, {}, {}, {}};
  grouping.why_none = fmt::format("no value of {} in {}", grouping.by, table.file);
  const auto value = [&](const auto* row) { return row ? (*row)[column] : std::string(); };
  std::set<std::string> values;
  for (const auto* row : cells) values.insert(value(row));
  values.erase("");
  grouping.names.assign(values.begin(), values.end());
  for (const auto* row : cells) {
    grouping.group.emplace_back();
    if (value(row).empty()) continue;
    grouping.group.back() = static_cast<std::size_t>(
        std::ranges::lower_bound(grouping.names, value(row)) - grouping.names.begin());
  }
  return grouping;
}

}  // namespace

void AddToneGroupings(EvaluationReport& report) {
  Grouping ita{"tone by ITA", "true skin", {}, {}, "no true skin"}, monk = ita;
  monk.by = "tone by Monk";
  for (const std::string_view name : ItaClasses()) ita.names.emplace_back(name);
  for (int tone = 1; tone <= kMonkTones; ++tone) monk.names.push_back(std::to_string(tone));
  for (const std::optional<Lab>& tone : report.tones) {
    ita.group.emplace_back();
    monk.group.emplace_back();
    if (!tone) continue;
    ita.group.back() = ItaClass(ItaDegrees(*tone));
    monk.group.back() = static_cast<std::size_t>(NearestMonkTone(*tone) - 1);
  }
  report.groupings.push_back(std::move(ita));
  report.groupings.push_back(std::move(monk));
}

void AddGroupings(EvaluationReport& report, const GroupTable& table, const Run& run) {
  Cells cells;
  for (const auto& [name, metrics] : report.images) {
    const auto row = table.rows.find(name);
    cells.push_back(row == table.rows.end() ? nullptr : &row->second);
  }
  TellOf(report, table, cells, run);
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    report.groupings.push_back(ColumnGrouping(table, column, cells));
}

}  // namespace skinmask
