#include "programs/cli/frame_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "base/folder.h"
#include "skinmask/base/error.h"
#include "skinmask/media/inputs.h"

namespace skinmask::cli {
namespace {

// The size of the first row including its line break; npos if it is incomplete. Line breaks within
// quotes do not end a row.
std::size_t RowSize(std::string_view rows) {
  bool quoted = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    quoted ^= rows[i] == '"';
    if (rows[i] == '\n' && !quoted) return i + 1;
  }
  return rows.npos;
}

// An empty row of the journal, before and after the rows of each video.
constexpr std::string_view kBracket = "\n";

// The size of all complete rows, without those of a video that a kill cut off. A kill can also
// truncate the last row, even within a name that has a line break.
std::size_t RowsOutsideOfVideos(std::string_view rows) {
  std::size_t whole = 0, outside = 0;
  bool is_outside = true;
  for (std::size_t row; (row = RowSize(rows.substr(whole))) != rows.npos;) {
    is_outside ^= rows.substr(whole, row) == kBracket;
    whole += row;
    if (is_outside) outside = whole;
  }
  return outside;
}

// The same, but 0 for a header alone.
std::size_t RowsBehindHeader(std::string_view rows) {
  const std::size_t outside = RowsOutsideOfVideos(rows);
  return outside > RowSize(rows) ? outside : 0;
}

// Removes the first cell and its comma from the row, and returns the cell's text.
std::string TakeCell(std::string_view& row) {
  std::string text;
  std::size_t end = 0;
  if (!row.starts_with('"')) {
    end = std::min(row.find_first_of(",\n"), row.size());
    text = row.substr(0, end);
  } else {
    for (end = 1; end < row.size(); ++end) {
      // Two quotes stand for one.
      if (row[end] == '"' && (end + 1 == row.size() || row[++end] != '"')) break;
      text += row[end];
    }
  }
  row.remove_prefix(std::min(end + 1, row.size()));
  return text;
}

// A text as a cell, quoted by RFC 4180 if necessary.
std::string CellOf(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

constexpr std::string_view kChannels[] = {"blue", "green", "red"};  // in the order of ColorSums

// ",forehead_pixels,forehead_mean_red,...", or without the part's name.
std::string ColorColumns(const std::string& pixels, const std::string& prefix) {
  std::string columns = "," + pixels;
  for (const char* const what : {"mean", "sd"})
    for (std::size_t c = std::size(kChannels); c-- > 0;)
      columns += fmt::format(",{}{}_{}", prefix, what, kChannels[c]);
  return columns;
}

// Means and deviations are empty without pixels.
std::string ColorCells(const ColorSums& sums) {
  std::string cells = fmt::format(",{}", sums.pixels);
  for (const auto value : {&ColorSums::Mean, &ColorSums::Deviation})
    for (std::size_t c = std::size(kChannels); c-- > 0;)
      cells += sums.pixels == 0 ? "," : fmt::format(",{:.6f}", (sums.*value)(c));
  return cells;
}

std::string PictureColumns(FrameTables::Of of) {
  return std::string("frame,seconds,skin_fraction,x,y,semi_major,semi_minor,angle_degrees,") +
         (of == FrameTables::Of::kDetect ? "input" : "latency_ms,captured") +
         ColorColumns("measured_pixels", "") + ",faces,any_skin";
}

std::string FaceColumns(FrameTables::Of of) {
  std::string columns = fmt::format("frame,seconds,{},face,x,y,width,height,tilt_degrees",
                                    of == FrameTables::Of::kDetect ? "input" : "captured");
  for (std::size_t i = 0; i < kFaceParts; ++i) {
    const auto part = static_cast<FacePart>(i);
    const std::string prefix = part == FacePart::kFace ? "" : std::string(FacePartName(part)) + '_';
    columns += ColorColumns(prefix + "pixels", prefix);
  }
  return columns;
}

std::string RegionCells(const std::optional<Region>& region) {
  if (!region) return ",,,,";
  return fmt::format("{:.3f},{:.3f},{:.3f},{:.3f},{:.3f}", region->centroid.x, region->centroid.y,
                     region->semi_major, region->semi_minor, region->angle_degrees);
}

std::string Moment(const FrameRow& row, FrameTables::Of of) {
  return fmt::format("{},{:.{}f}", row.frame, row.seconds, of == FrameTables::Of::kDetect ? 6 : 4);
}

std::string CapturedCell(const FrameRow& row) {
  return row.captured ? fmt::format("{:.6f}", *row.captured) : "";
}

std::string PictureRow(const FrameRow& row, FrameTables::Of of) {
  const std::string last = of == FrameTables::Of::kDetect
                               ? CellOf(row.input)
                               : fmt::format("{:.2f},{}", row.latency_ms, CapturedCell(row));
  return fmt::format("{},{:.6f},{},{}{},{},{}\n", Moment(row, of), row.skin_fraction,
                     RegionCells(row.region), last, ColorCells(row.measured->skin),
                     row.measured->faces.size(),
                     row.any_skin ? fmt::format("{:.4f}", *row.any_skin) : "");
}

std::string FaceRows(const FrameRow& row, FrameTables::Of of) {
  const std::string source = of == FrameTables::Of::kDetect ? CellOf(row.input) : CapturedCell(row);
  std::string rows;
  for (const MeasuredFace& measured : row.measured->faces) {
    const Face& face = measured.face;
    rows += fmt::format("{},{},{},{},{},{},{},{:.2f}", Moment(row, of), source, face.id, face.box.x,
                        face.box.y, face.box.width, face.box.height, face.frame.TiltDegrees());
    for (const ColorSums& part : measured.parts) rows += ColorCells(part);
    rows += '\n';
  }
  return rows;
}

}  // namespace

std::string FrameTable::InputOf(std::string_view row) const {
  for (std::size_t i = 0; i < key_; ++i) TakeCell(row);
  return TakeCell(row);
}

// Calls see(row, its input).
template <class See>
void FrameTable::ForEachRow(std::string_view rows, const See& see) const {
  while (!rows.empty()) {
    const std::string_view row = rows.substr(0, RowSize(rows));
    rows.remove_prefix(row.size());
    if (row != kBracket) see(row, InputOf(row));
  }
}

// The rows for which drop(row, input) is false.
template <class Drop>
std::string FrameTable::RowsWithout(std::string_view rows, const Drop& drop) const {
  std::string kept;
  ForEachRow(rows, [&](std::string_view row, const std::string& input) {
    if (!drop(row, input)) kept += row;
  });
  return kept;
}

// Only the last rows of each key: a run that resumed after a kill may have made the others again.
// Rows of one key are together in a run, and brackets are between runs.
std::string FrameTable::LastRows(std::string_view rows) const {
  // Keys, and their rows in `rows`; brackets have no key.
  std::vector<std::pair<std::string, std::string_view>> groups;
  std::map<std::string, std::size_t> last;  // the index of each key's last group
  while (!rows.empty()) {
    const std::string_view row = rows.substr(0, RowSize(rows));
    rows.remove_prefix(row.size());
    const std::string key = row == kBracket ? "" : KeyOf(row, InputOf(row));
    if (groups.empty() || groups.back().first != key) {
      last[key] = groups.size();
      groups.emplace_back(key, std::string_view(row.data(), 0));
    }
    std::string_view& group = groups.back().second;
    group = {group.data(), group.size() + row.size()};
  }
  std::string kept;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (const auto& [key, text] = groups[i]; !key.empty() && last[key] == i) kept += text;
  return kept;
}

FrameTable::FrameTable(const std::filesystem::path& path, IfExists if_exists,
                       const std::string& columns, std::size_t key, bool or_replace)
    : path_(RequireWritable(path, if_exists)),
      if_exists_(if_exists),
      header_(columns + "\n"),
      key_(key),
      journal_(path, if_exists,
               if_exists == IfExists::kFail ? &RowsBehindHeader : &RowsOutsideOfVideos) {
  RequireNoMedia(path_);
  if (if_exists == IfExists::kKeep && !journal_.is_special()) ReadEarlier(or_replace);
  if (journal_.earlier().starts_with(header_)) {
    killed_ = journal_.earlier().substr(header_.size());
    is_new_ = false;
    for (int side = 0; side < 2; ++side) Bracket();  // between the killed run's rows and this one's
  } else if (!or_replace && !journal_.earlier().empty()) {
    throw Error(path_.string(),
                "was begun by a run that was killed, as another kind of file or with other columns "
                "(--force drops what it noted)");
  }
  KeepInputs(killed_);
  if (journal_.is_special()) journal_.Write(header_);
}

void FrameTable::ReadEarlier(bool or_replace) {
  if (!Exists(path_)) return;
  const std::string earlier = ReadFile(path_);
  if (earlier.empty()) return;
  if (!earlier.starts_with(header_) || earlier.back() != '\n') {
    if (or_replace) return;
    throw Error(path_.string(),
                "is no whole table of detect --csv, or has other columns (--resume completes one; "
                "--force replaces what is none)");
  }
  earlier_ = earlier.substr(header_.size());
  is_new_ = false;
  KeepInputs(earlier_);
}

void FrameTable::KeepInputs(std::string_view rows) {
  ForEachRow(rows,
             [&](std::string_view, const std::string& input) { earlier_inputs_.insert(input); });
}

void FrameTable::DropKilled(const std::function<bool(const std::string&)>& drop) {
  killed_ = LastRows(killed_);
  if (by_frame_) return;  // frames that are made again replace their rows
  killed_ =
      RowsWithout(killed_, [&](std::string_view, const std::string& input) { return drop(input); });
}

void FrameTable::Add(std::string_view rows, const std::string& input, std::int64_t frame) {
  if (!has_header()) journal_.Write(header_);
  journal_.Write(rows);
  if (!earlier_inputs_.empty()) replaced_.insert(KeyOf(std::to_string(frame), input));
}

void FrameTable::Bracket() {
  if (by_frame_ || journal_.is_special()) return;
  if (!has_header()) journal_.Write(header_);
  journal_.Write(kBracket);
  has_brackets_ = true;
}

std::string FrameTable::KeyOf(std::string_view row, const std::string& input) const {
  return by_frame_ ? fmt::format("{}\n{}", row.substr(0, row.find(',')), input) : input;
}

void FrameTable::Finish() {
  if (!has_header()) journal_.Write(header_);
  if (earlier_.empty() && journal_.earlier().empty() && !has_brackets_)
    return journal_.RenameToFile(if_exists_);
  std::string added = journal_.Text();
  if (added.starts_with(header_)) added.erase(0, header_.size());
  if (has_brackets_)
    added = RowsWithout(added, [](std::string_view, const std::string&) { return false; });
  const auto is_replaced = [&](std::string_view row, const std::string& input) {
    return replaced_.contains(KeyOf(row, input));
  };
  const std::string killed = RowsWithout(killed_, is_replaced);
  ForEachRow(killed, [&](std::string_view row, const std::string& input) {
    replaced_.insert(KeyOf(row, input));
  });
  WriteFile(path_, header_ + RowsWithout(earlier_, is_replaced) + killed + added, if_exists_);
  journal_.Remove();
}

FrameTables::FrameTables(const TableFlags& files, Of of, IfExists if_exists, bool or_replace)
    : of_(of) {
  // The column of the input; for live, which has a single input, a column of numbers.
  constexpr std::size_t kKeyOfPictures = 8, kKeyOfFaces = 2;
  if (!files.csv.empty())
    pictures_.emplace(files.csv, if_exists, PictureColumns(of), kKeyOfPictures, or_replace);
  if (!files.faces_csv.empty())
    faces_.emplace(files.faces_csv, if_exists, FaceColumns(of), kKeyOfFaces, or_replace);
}

void FrameTables::Add(const FrameRow& row) {
  if (pictures_) pictures_->Add(PictureRow(row, of_), row.input, row.frame);
  if (faces_) faces_->Add(FaceRows(row, of_), row.input, row.frame);
}

}  // namespace skinmask::cli
