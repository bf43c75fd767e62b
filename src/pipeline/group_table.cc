// Reading tables of groups. Nothing is guessed: what is not understood is an error.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/pipeline/grouping.h"

namespace skinmask {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;
constexpr std::size_t kMaxColumns = 32, kMaxGroups = 100, kMaxLetters = 100;

std::string Trimmed(std::string_view text) {
  const auto blank = " \t\r";
  const std::size_t start = std::min(text.find_first_not_of(blank), text.size());
  return std::string(text.substr(start, text.find_last_not_of(blank) + 1 - start));
}

// Rows of cells, as RFC 4180 has them.
class CsvRows {
 public:
  CsvRows(std::string_view text, const std::string& subject) : text_(text), subject_(subject) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  }

  bool AtEnd() const { return text_.find_first_not_of(" \t\r\n") == text_.npos; }

  std::vector<std::string> Next() {
    row_line_ = line_;
    std::vector<std::string> cells;
    do {
      cells.push_back(text_.starts_with('"') ? QuotedCell() : PlainCell());
      if (cells.size() > kMaxColumns + 1)
        Fail(fmt::format("has more than {} columns beside the image", kMaxColumns));
    } while (TookComma());
    return cells;
  }

  // Names the line where the row began that came last.
  [[noreturn]] void Fail(const std::string& problem) const {
    throw Error(fmt::format("{}:{}", subject_, row_line_), problem);
  }

 private:
  std::string PlainCell() {
    const std::string_view cell = text_.substr(0, text_.find_first_of(",\n"));
    text_.remove_prefix(cell.size());
    return Trimmed(cell);
  }

  std::string QuotedCell() {
    std::string cell;
    while (true) {
      const std::size_t end = text_.find('"', 1);
      if (end == text_.npos) Fail("has a quote that nothing closes");
      cell += text_.substr(1, end - 1);
      text_.remove_prefix(end + 1);
      if (!text_.starts_with('"')) break;
      cell += '"';  // two quotes are one of the text
    }
    line_ += static_cast<std::size_t>(std::ranges::count(cell, '\n'));
    if (!PlainCell().empty()) Fail("has text behind a quote that closes (\"\" is a quote within)");
    return cell;
  }

  // Or else the row is at its end.
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
