#include "programs/cli/frame_table.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

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

}  // namespace

FrameTable::FrameTable(const std::filesystem::path& path, IfExists if_exists, int seconds_decimals,
                       const std::string& last_column)
    : path_(RequireWritable(path, if_exists)),
      unfinished_(path),
      file_(std::fopen(unfinished_.path().c_str(), "we"), std::fclose),
      seconds_decimals_(seconds_decimals) {
  if (!file_) Fail();
  header_ = fmt::format("frame,seconds,skin_fraction,x,y,semi_major,semi_minor,angle_degrees,{}\n",
                        last_column);
  Write(header_);
  Mark();
}

void FrameTable::Complete(bool or_replace) {
  std::error_code ignored;
  if (is_special() || !std::filesystem::exists(path_, ignored)) return;
  const std::string earlier = ReadFile(path_);
  if (earlier.empty()) return;
  if (!earlier.starts_with(header_) || earlier.back() != '\n') {
    if (or_replace) return;
    throw Error(path_.string(),
                "is no whole table of detect --csv (--resume completes one; --force replaces "
                "what is none)");
  }
  earlier_ = earlier.substr(header_.size());
  for (std::string_view rest = earlier_; !rest.empty(); rest.remove_prefix(RowSize(rest)))
    earlier_cells_.insert(Unquoted(LastCell(rest.substr(0, RowSize(rest)))));
}

void FrameTable::Fail() const {
  throw Error(path_.string(), std::string("cannot be written: ") + std::strerror(errno));
}

// What fails shows at the end.
void FrameTable::Write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file_.get());
}

void FrameTable::Add(const Row& row) {
  const std::string last = Quoted(row.last);
  Write(fmt::format("{},{:.{}f},{:.6f},{},{}\n", row.frame, row.seconds, seconds_decimals_,
                    row.skin_fraction, Cells(row.region), last));
  if (!earlier_.empty()) last_cells_.insert(row.last);
}

void FrameTable::Mark() { marked_ = std::ftell(file_.get()); }

void FrameTable::WriteEarlierFirst() {
  const std::string added = ReadFile(unfinished_.path()).substr(header_.size());
  if (std::fseek(file_.get(), 0, SEEK_SET) != 0) Fail();
  Write(header_);
  for (std::string_view rest = earlier_; !rest.empty();) {
    const std::string_view row = rest.substr(0, RowSize(rest));
    rest.remove_prefix(row.size());
    if (!last_cells_.contains(Unquoted(LastCell(row)))) Write(row);
  }
  Write(added);
}

void FrameTable::Finish(Rows rows) {
  if (std::fflush(file_.get()) != 0 || std::ferror(file_.get())) Fail();
  const bool cut = rows == Rows::kMarked && !is_special();
  if (cut && ftruncate(fileno(file_.get()), marked_) != 0) Fail();
  if (!earlier_.empty()) WriteEarlierFirst();
  const bool bad = std::ferror(file_.get()) != 0;
  if (std::fclose(file_.release()) != 0 || bad) Fail();
  unfinished_.Rename();
}

}  // namespace skinmask::cli
