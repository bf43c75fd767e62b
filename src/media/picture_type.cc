#include "media/picture_type.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <opencv2/imgproc.hpp>

#include "skinmask/base/error.h"

namespace skinmask {

void RequireType(const cv::Mat& picture, std::initializer_list<int> types, std::string_view name) {
  std::string wanted;
  for (const int type : types) wanted += (wanted.empty() ? "" : " or ") + cv::typeToString(type);
  if (picture.empty() || picture.dims != 2)
    throw Error(name, fmt::format("is empty, or no matrix of rows and columns ({})", wanted));
  if (std::ranges::count(types, picture.type()) == 0)
    throw Error(
        name, fmt::format("is of type {} ({}{})", cv::typeToString(picture.type()), wanted,
                          wanted == "CV_8UC3" ? ": blue, green, red; cv::cvtColor converts" : ""));
}

void RequireType(const cv::Mat& picture, int type, std::string_view name) {
  RequireType(picture, {type}, name);
}

void RequireQuality(int quality) {
  if (quality < 1 || quality > 100) throw Error("quality", "is out of range (1 to 100)");
}

void RequireThreshold(double threshold) {
  if (!(threshold >= 0 && threshold <= 1))
    throw Error(fmt::format("`threshold` {}", threshold), "is out of range (0 to 1)");
}

void RequirePicture(const cv::Mat& picture, int type, const cv::Size& size, std::string_view name) {
  RequireType(picture, type, name);
  if (picture.size() != size)
    throw Error(name, fmt::format("is of {} x {} pixels ({} x {})", picture.cols, picture.rows,
                                  size.width, size.height));
}

std::array<PlaneShape, 3> PlaneShapes(VideoFrame::Layout layout, const cv::Size& size) {
  using enum VideoFrame::Layout;
  const std::int64_t width = size.width, height = size.height, half = (width + 1) / 2;
  const PlaneShape whole{width, height}, quarter{half, (height + 1) / 2};
  switch (layout) {
    case kOther:
      return {};
    case kBgr:
      return {{{3 * width, height}}};
    case kYuyv:
      return {{{4 * half, height}}};
    case kI444:
      return {whole, whole, whole};
    case kI422:
      return {{whole, {half, height}, {half, height}}};
    case kNv12:
      return {{whole, {2 * half, quarter.rows}}};
    case kI420:
      return {whole, quarter, quarter};
  }
  throw Error("frame",
              fmt::format("is of layout {} (a VideoFrame::Layout)", static_cast<int>(layout)));
}

void RequirePlanes(const VideoFrame& frame) {
  const std::array<PlaneShape, 3> sizes = PlaneShapes(frame.layout, frame.size);
  const bool lacks_owner = frame.layout == VideoFrame::Layout::kOther && !frame.owner;
  bool lacks_plane = false;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    lacks_plane |= sizes[i].row_bytes > 0 && !frame.planes[i];
  if (frame.size.width < 1 || frame.size.height < 1 || lacks_owner || lacks_plane)
    throw Error("frame", "is empty, or lacks a plane of its layout (size, planes)");
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (std::abs(std::int64_t{frame.strides[i]}) < sizes[i].row_bytes &&
        (i == 0 || frame.strides[i] != 0))
      throw Error("frame", fmt::format("has the stride {} of plane {} (at least {} bytes)",
                                       frame.strides[i], i, sizes[i].row_bytes));
  if (frame.rotation != 0 && frame.rotation != 90 && frame.rotation != 180 && frame.rotation != 270)
    throw Error("frame", fmt::format("has the rotation {} (0, 90, 180 or 270)", frame.rotation));
}

cv::Mat Allocate(int rows, int cols, int type, Scratch* buffer) {
  if (!buffer) return cv::Mat(rows, cols, type);
  const std::size_t size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) *
                           static_cast<std::size_t>(CV_ELEM_SIZE(type));
  return cv::Mat(rows, cols, type, buffer->Get(size));
}

void RequireScale(int scale) {
  if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
    throw Error(fmt::format("`scale` {}", scale), "is not 1, 2, 4 or 8");
}

cv::Mat ScaledDown(const cv::Mat& picture, int scale) {
  if (scale == 1) return picture;
  cv::Mat scaled;
  cv::resize(picture, scaled, {Scaled(picture.cols, scale), Scaled(picture.rows, scale)}, 0, 0,
             cv::INTER_AREA);
  return scaled;
}

}  // namespace skinmask
