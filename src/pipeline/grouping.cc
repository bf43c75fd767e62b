#include "skinmask/pipeline/grouping.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/parse.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/data/tone.h"
#include "skinmask/pipeline/evaluate.h"

namespace skinmask {
namespace {

// For each image the cells of its row in the table, or null.
using Cells = std::vector<const std::vector<std::string>*>;

// Reports images without a row and rows without an image.
void WarnOfMissing(const EvaluationReport& report, const GroupTable& table, const Cells& cells,
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

constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;
constexpr std::size_t kMaxColumns = 32, kMaxGroups = 100, kMaxLetters = 100;

// Reads rows of cells by RFC 4180.
class CsvRows {
 public:
  CsvRows(std::string_view text, const std::string& subject)
      : text_(WithoutByteOrderMark(text)), subject_(subject) {}

  bool AtEnd() const { return text_.find_first_not_of(" \t\r\n") == text_.npos; }

  std::vector<std::string> Next() {
    row_line_ = line_;
    std::vector<std::string> cells;
    do {
      const std::size_t start = text_.find_first_not_of(" \t");
      if (start != text_.npos && text_[start] == '"') text_.remove_prefix(start);
      cells.push_back(text_.starts_with('"') ? QuotedCell() : PlainCell());
      if (cells.size() > kMaxColumns + 1)
        Fail(fmt::format("has more than {} columns beside the image", kMaxColumns));
    } while (TookComma());
    return cells;
  }

  // Throws Error with the line in which the last row began.
  [[noreturn]] void Fail(const std::string& problem) const {
    throw Error(fmt::format("{}:{}", subject_, row_line_), problem);
  }

 private:
  // Reads a cell without quotes; surrounding blanks are removed.
  std::string PlainCell() {
    const std::string_view cell = text_.substr(0, text_.find_first_of(",\n"));
    text_.remove_prefix(cell.size());
    const auto blank = " \t\r";
    const std::size_t start = std::min(cell.find_first_not_of(blank), cell.size());
    return std::string(cell.substr(start, cell.find_last_not_of(blank) + 1 - start));
  }

  std::string QuotedCell() {
    std::string cell;
    while (true) {
      const std::size_t end = text_.find('"', 1);
      if (end == text_.npos) Fail("has a quote that nothing closes");
      cell += text_.substr(1, end - 1);
      text_.remove_prefix(end + 1);
      if (!text_.starts_with('"')) break;
      cell += '"';  // two quotes stand for one
    }
    line_ += static_cast<std::size_t>(std::ranges::count(cell, '\n'));
    if (!PlainCell().empty()) Fail("has text behind a quote that closes (\"\" is a quote within)");
    return cell;
  }

  // Consumes a comma or the end of the row. Returns true for a comma.
  bool TookComma() {
    const bool comma = text_.starts_with(',');
    line_ += text_.starts_with('\n');
    text_.remove_prefix(std::min<std::size_t>(1, text_.size()));
    return comma;
  }

  std::string_view text_;
  const std::string& subject_;
  std::size_t line_ = 1, row_line_ = 1;
};

void ReadHeader(CsvRows& rows, GroupTable& table) {
  constexpr const char* kExpected = "(a header image,COLUMN,... is expected)";
  if (rows.AtEnd()) throw Error(table.file, fmt::format("is empty {}", kExpected));
  std::vector<std::string> header = rows.Next();
  if (header.front() != "image")
    rows.Fail(fmt::format("begins with '{}', not with 'image' {}", header.front(), kExpected));
  header.erase(header.begin());
  if (header.empty()) rows.Fail(fmt::format("names no column beside image {}", kExpected));
  for (const std::string& name : header) {
    if (name.empty() || name.size() > kMaxLetters)
      rows.Fail(fmt::format("has a column without a name, or with one of more than {} letters",
                            kMaxLetters));
    if (std::ranges::count(header, name) > 1)
      rows.Fail(fmt::format("has the column '{}' twice (each column once)", name));
  }
  table.columns = std::move(header);
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
  WarnOfMissing(report, table, cells, run);
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    report.groupings.push_back(ColumnGrouping(table, column, cells));
}

GroupTable ParseGroupTable(std::string_view text, const std::string& subject) {
  GroupTable table{subject, {}, {}};
  CsvRows rows(text, subject);
  ReadHeader(rows, table);
  std::vector<std::set<std::string>> values(table.columns.size());
  while (!rows.AtEnd()) {
    std::vector<std::string> cells = rows.Next();
    if (cells.size() != table.columns.size() + 1)
      rows.Fail(fmt::format("has not as many cells as the header (it has {}; {} are expected)",
                            cells.size(), table.columns.size() + 1));
    std::string image = std::move(cells.front());
    cells.erase(cells.begin());
    if (image.empty()) rows.Fail("names no image");
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].size() > kMaxLetters)
        rows.Fail(fmt::format("has a value of more than {} letters in the column '{}'", kMaxLetters,
                              table.columns[i]));
      if (!cells[i].empty()) values[i].insert(cells[i]);
      if (values[i].size() > kMaxGroups)
        rows.Fail(
            fmt::format("is where the column '{}' has more than {} values (groups are "
                        "expected, not measurements)",
                        table.columns[i], kMaxGroups));
    }
    const auto [row, added] = table.rows.emplace(std::move(image), std::move(cells));
    if (!added)
      rows.Fail(fmt::format("names the image '{}', as a line before it does (each image once)",
                            row->first));
  }
  if (table.rows.empty()) throw Error(subject, "has a header, but no row (one for each image)");
  return table;
}

GroupTable ReadGroupTable(const std::filesystem::path& file) {
  return ParseGroupTable(ReadFile(file, {.most = kMaxBytes}), file.string());
}

}  // namespace skinmask
