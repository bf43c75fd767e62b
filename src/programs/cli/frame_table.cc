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

}  // namespace

FrameTable::FrameTable(const std::filesystem::path& path, Overwrite overwrite)
    : path_(Checked(path, overwrite)),
      part_(path),
      file_(std::fopen(part_.path().c_str(), "we"), std::fclose) {
  if (!file_) Fail();
  fmt::print(file_.get(),
             "frame,seconds,skin_fraction,x,y,semi_major,semi_minor,angle_degrees,input\n");
}

void FrameTable::Fail() const {
  throw Error(path_.string(), std::string("cannot be written: ") + std::strerror(errno));
}

void FrameTable::Add(const DetectedFrame& frame) {
  std::string region = ",,,,";
  if (frame.region) {
    const Region& r = *frame.region;
    region = fmt::format("{:.3f},{:.3f},{:.3f},{:.3f},{:.3f}", r.centroid.x, r.centroid.y,
                         r.semi_major, r.semi_minor, r.angle_degrees);
  }
  fmt::print(file_.get(), "{},{:.6f},{:.6f},{},{}\n", frame.index, frame.seconds,
             static_cast<double>(frame.skin_pixels) / static_cast<double>(frame.pixels), region,
             Quoted(frame.input.string()));
}

void FrameTable::Finish() {
  const bool bad = std::ferror(file_.get()) != 0;
  if (std::fclose(file_.release()) != 0 || bad) Fail();
  part_.Rename();
}

}  // namespace skinmask::cli
