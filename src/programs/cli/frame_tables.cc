#include "programs/cli/frame_tables.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string_view>

namespace skinmask::cli {
namespace {

constexpr std::string_view kChannels[] = {"blue", "green", "red"};  // as ColorSums has them

// ",forehead_pixels,forehead_mean_red,...", or without the part's name.
std::string ColorColumns(const std::string& pixels, const std::string& prefix) {
  std::string columns = "," + pixels;
  for (const char* const what : {"mean", "sd"})
    for (std::size_t c = std::size(kChannels); c-- > 0;)
      columns += fmt::format(",{}{}_{}", prefix, what, kChannels[c]);
  return columns;
}

// Empty where there is no pixel.
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
         ColorColumns("measured_pixels", "") + ",faces";
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
  return of == FrameTables::Of::kDetect ? fmt::format("{},{:.6f}", row.frame, row.seconds)
                                        : fmt::format("{},{:.4f}", row.frame, row.seconds);
}

std::string CapturedCell(const FrameRow& row) {
  return row.captured ? fmt::format("{:.6f}", *row.captured) : "";
}

std::string PictureRow(const FrameRow& row, FrameTables::Of of) {
  const std::string last = of == FrameTables::Of::kDetect
                               ? CellOf(row.input)
                               : fmt::format("{:.2f},{}", row.latency_ms, CapturedCell(row));
  return fmt::format("{},{:.6f},{},{}{},{}\n", Moment(row, of), row.skin_fraction,
                     RegionCells(row.region), last, ColorCells(row.measured->skin),
                     row.measured->faces.size());
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

FrameTables::FrameTables(const TableFlags& files, Of of, IfExists if_exists, bool or_replace)
    : of_(of) {
  // Where the input stands, or of live, which knows one alone, a number.
  constexpr std::size_t kKeyOfPictures = 8, kKeyOfFaces = 2;
  if (!files.csv.empty())
    pictures_.emplace(files.csv, if_exists, PictureColumns(of), kKeyOfPictures, or_replace);
  if (!files.faces_csv.empty())
    faces_.emplace(files.faces_csv, if_exists, FaceColumns(of), kKeyOfFaces, or_replace);
}

void FrameTables::Add(const FrameRow& row) {
  if (pictures_) pictures_->Add(PictureRow(row, of_), row.input);
  if (faces_) faces_->Add(FaceRows(row, of_), row.input);
}

}  // namespace skinmask::cli
