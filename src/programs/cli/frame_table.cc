#include "programs/cli/frame_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "skinmask/base/error.h"

namespace skinmask::cli {
namespace {

// As RFC 4180 wants text that could hold commas and quotes.
std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string Unquoted(std::string_view cell) {
  if (!cell.starts_with('"') || cell.size() < 2) return std::string(cell);
  std::string text;
  for (std::size_t i = 1; i + 1 < cell.size(); ++i) {
    text += cell[i];
    i += cell[i] == '"';  // the second of two
  }
  return text;
}

std::string Cells(const std::optional<Region>& region) {
  if (!region) return ",,,,";
  return fmt::format("{:.3f},{:.3f},{:.3f},{:.3f},{:.3f}", region->centroid.x, region->centroid.y,
                     region->semi_major, region->semi_minor, region->angle_degrees);
}

// Of the first row, its end included. Line breaks within quotes end none.
std::size_t RowSize(std::string_view rows) {
  bool quoted = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    quoted ^= rows[i] == '"';
    if (rows[i] == '\n' && !quoted) return i + 1;
  }
  return rows.size();
}

// As it is written. The cells before it are numbers, or empty.
std::string_view LastCell(std::string_view row) {
  constexpr int kNumbers = 8;
  for (int i = 0; i < kNumbers; ++i) row.remove_prefix(std::min(row.find(',') + 1, row.size()));
  return row.substr(0, row.empty() ? 0 : row.size() - 1);
}

// Calls see(row, what is in its last cell).
template <class See>
void ForEachRow(std::string_view rows, const See& see) {
  while (!rows.empty()) {
    const std::string_view row = rows.substr(0, RowSize(rows));
    rows.remove_prefix(row.size());
    see(row, Unquoted(LastCell(row)));
  }
}

// Those of which drop(last cell) is false.
template <class Drop>
std::string RowsWithout(std::string_view rows, const Drop& drop) {
  std::string kept;
  ForEachRow(rows, [&](std::string_view row, const std::string& last) {
    if (!drop(last)) kept += row;
  });
  return kept;
}

}  // namespace

FrameTable::FrameTable(const std::filesystem::path& path, IfExists if_exists, int seconds_decimals,
                       const std::string& last_column, bool or_replace)
    : path_(RequireWritable(path, if_exists)),
      if_exists_(if_exists),
      seconds_decimals_(seconds_decimals),
      header_(fmt::format(
          "frame,seconds,skin_fraction,x,y,semi_major,semi_minor,angle_degrees,{}\n", last_column)),
      journal_(path, if_exists == IfExists::kKeep) {
  if (if_exists == IfExists::kKeep && !journal_.is_special()) ReadEarlier(or_replace);
  killed_ = journal_.earlier().starts_with(header_) ? journal_.earlier().substr(header_.size())
                                                    : std::string();
  KeepCells(killed_);
  if (journal_.is_special()) journal_.Write(header_);
}

void FrameTable::ReadEarlier(bool or_replace) {
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored)) return;
  const std::string earlier = ReadFile(path_);
  if (earlier.empty()) return;
  if (!earlier.starts_with(header_) || earlier.back() != '\n') {
    if (or_replace) return;
    throw Error(path_.string(),
                "is no whole table of detect --csv (--resume completes one; --force replaces "
                "what is none)");
  }
  earlier_ = earlier.substr(header_.size());
  KeepCells(earlier_);
}

void FrameTable::KeepCells(std::string_view rows) {
  ForEachRow(rows, [&](std::string_view, const std::string& last) { earlier_cells_.insert(last); });
}

void FrameTable::DropKilled(const std::function<bool(const std::string&)>& drop) {
  killed_ = RowsWithout(killed_, drop);
}

void FrameTable::Add(const Row& row) {
  if (!has_header()) journal_.Write(header_);
  const std::string last = Quoted(row.last);
  journal_.Write(fmt::format("{},{:.{}f},{:.6f},{},{}\n", row.frame, row.seconds, seconds_decimals_,
                             row.skin_fraction, Cells(row.region), last));
  if (!earlier_cells_.empty()) last_cells_.insert(row.last);
}

void FrameTable::Finish() {
  if (!has_header()) journal_.Write(header_);
  if (earlier_.empty() && journal_.earlier().empty()) return journal_.Become(if_exists_);
  std::string added = journal_.Text();
  if (added.starts_with(header_)) added.erase(0, header_.size());
  std::set<std::string> killed;
  ForEachRow(killed_, [&](std::string_view, const std::string& last) { killed.insert(last); });
  const auto is_new = [&](const std::string& last) { return last_cells_.contains(last); };
  const auto is_later = [&](const std::string& last) {
    return is_new(last) || killed.contains(last);
  };
  WriteFile(path_, header_ + RowsWithout(earlier_, is_later) + RowsWithout(killed_, is_new) + added,
            if_exists_);
  journal_.Remove();
}

}  // namespace skinmask::cli
