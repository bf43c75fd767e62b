#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "programs/live/v4l2_devices.h"

namespace skinmask::live {
namespace {

// Drivers are not to be trusted with an end to their lists.
constexpr std::uint32_t kMaxEntries = 64;

double HighestRate(int fd, std::uint32_t format, std::uint32_t width, std::uint32_t height) {
  double highest = 0;
  for (std::uint32_t i = 0; i < kMaxEntries; ++i) {
    v4l2_frmivalenum interval{};
    interval.index = i;
    interval.pixel_format = format;
    interval.width = width;
    interval.height = height;
    if (ioctl(fd, VIDIOC_ENUM_FRAMEINTERVALS, &interval) != 0) break;
    const bool one = interval.type == V4L2_FRMIVAL_TYPE_DISCRETE;
    const v4l2_fract& shortest = one ? interval.discrete : interval.stepwise.min;
    if (shortest.numerator > 0)
      highest = std::max(highest, static_cast<double>(shortest.denominator) / shortest.numerator);
    if (!one) break;
  }
  return highest;
}

void AddSizes(int fd, std::uint32_t format, std::vector<CameraFormat>& formats) {
  const std::string code(reinterpret_cast<const char*>(&format), sizeof(format));
  for (std::uint32_t i = 0; i < kMaxEntries; ++i) {
    v4l2_frmsizeenum size{};
    size.index = i;
    size.pixel_format = format;
    if (ioctl(fd, VIDIOC_ENUM_FRAMESIZES, &size) != 0) break;
    const bool one = size.type == V4L2_FRMSIZE_TYPE_DISCRETE;
    const std::uint32_t width = one ? size.discrete.width : size.stepwise.max_width;
    const std::uint32_t height = one ? size.discrete.height : size.stepwise.max_height;
    formats.push_back({code, static_cast<int>(width), static_cast<int>(height),
                       HighestRate(fd, format, width, height)});
    if (!one) break;
  }
}

std::vector<CameraFormat> FormatsOf(const std::string& path) {
  std::vector<CameraFormat> formats;
  const int fd = open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return formats;
  for (std::uint32_t i = 0; i < kMaxEntries; ++i) {
    v4l2_fmtdesc description{};
    description.index = i;
    description.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    if (ioctl(fd, VIDIOC_ENUM_FMT, &description) != 0) break;
    AddSizes(fd, description.pixelformat, formats);
  }
  close(fd);
  return formats;
}

}  // namespace

std::vector<CameraInfo> Cameras() {
  std::vector<CameraInfo> cameras;
  for (const auto& [path, device] : Devices())
    if (device.error == 0 && device.camera) cameras.push_back({path, device.name, FormatsOf(path)});
  return cameras;
}

}  // namespace skinmask::live
