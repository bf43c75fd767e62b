#include "programs/cli/frame_table.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "skinmask/base/error.h"

namespace skinmask::cli {
namespace {

const std::filesystem::path& Checked(const std::filesystem::path& path, Overwrite overwrite) {
  RequireWritable(path, overwrite);
  return path;
}

// As RFC 4180 wants text that could hold commas and quotes.
std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string Cells(const std::optional<Region>& region) {
  if (!region) return ",,,,";
  return fmt::format("{:.3f},{:.3f},{:.3f},{:.3f},{:.3f}", region->centroid.x, region->centroid.y,
                     region->semi_major, region->semi_minor, region->angle_degrees);
}

}  // namespace

FrameTable::FrameTable(const std::filesystem::path& path, Overwrite overwrite, int seconds_decimals,
                       const std::string& last_column)
    : path_(Checked(path, overwrite)),
      part_(path),
      file_(std::fopen(part_.path().c_str(), "we"), std::fclose),
      seconds_decimals_(seconds_decimals) {
  if (!file_) Fail();
  Write(fmt::format("frame,seconds,skin_fraction,x,y,semi_major,semi_minor,angle_degrees,{}\n",
                    last_column));
}

void FrameTable::Fail() const {
  throw Error(path_.string(), std::string("cannot be written: ") + std::strerror(errno));
}

// What fails shows at the end.
void FrameTable::Write(const std::string& line) {
  std::fwrite(line.data(), 1, line.size(), file_.get());
}

void FrameTable::Add(const Row& row) {
  Write(fmt::format("{},{:.{}f},{:.6f},{},{}\n", row.frame, row.seconds, seconds_decimals_,
                    row.skin_fraction, Cells(row.region), Quoted(row.last)));
}

void FrameTable::Finish() {
  const bool bad = std::ferror(file_.get()) != 0;
  if (std::fclose(file_.release()) != 0 || bad) Fail();
  part_.Rename();
}

}  // namespace skinmask::cli
