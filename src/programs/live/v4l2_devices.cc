#include "programs/live/v4l2_devices.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <vector>

#include "skinmask/base/error.h"

namespace skinmask::live {
namespace {

namespace fs = std::filesystem;

// The kernel's name for /dev/videoN, which needs no permission.
std::string NameFromSystem(const std::string& path) {
  std::ifstream file("/sys/class/video4linux/" + fs::path(path).filename().string() + "/name");
  std::string name;
  std::getline(file, name);
  return name;
}

Device Probe(const std::string& path) {
  Device device{.name = NameFromSystem(path)};
  const int fd = open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    device.error = errno;
    return device;
  }
  v4l2_capability capability{};
  if (ioctl(fd, VIDIOC_QUERYCAP, &capability) == 0) {
    const bool own = capability.capabilities & V4L2_CAP_DEVICE_CAPS;
    device.camera =
        (own ? capability.device_caps : capability.capabilities) & V4L2_CAP_VIDEO_CAPTURE;
    if (device.name.empty()) device.name = reinterpret_cast<const char*>(capability.card);
  }
  close(fd);
  return device;
}

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

// Drivers that live in a library loaded before us (PipeWire's) answer for files that are not there,
// so the first numbers are tried even so, until one fails.
std::map<std::string, Device> Devices() {
  std::map<std::string, Device> devices;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/dev", error))
    if (const std::string path = entry.path(); path.starts_with("/dev/video"))
      devices[path] = Probe(path);
  constexpr int kMaxTried = 8;  // such a library may answer for every number
  for (int i = 0; i < kMaxTried; ++i) {
    const std::string path = fmt::format("/dev/video{}", i);
    if (devices.contains(path)) continue;
    const Device device = Probe(path);
    if (device.error != 0) break;
    devices[path] = device;
  }
  return devices;
}

std::vector<CameraInfo> Cameras() {
  std::vector<CameraInfo> cameras;
  for (const auto& [path, device] : Devices())
    if (device.error == 0 && device.camera) cameras.push_back({path, device.name, FormatsOf(path)});
  return cameras;
}

std::string CamerasHere() {
  std::vector<std::string> lines;
  for (const auto& [path, device] : Devices()) {
    if (device.error == 0 && !device.camera) continue;
    std::string line = path;
    if (!device.name.empty()) line += " '" + device.name + "'";
    if (device.error != 0) line += fmt::format(" ({})", std::strerror(device.error));
    lines.push_back(line);
  }
  return lines.empty() ? "no camera is connected"
                       : fmt::format("cameras here: {}", fmt::join(lines, ", "));
}

void CheckCamera(const std::string& path) {
  const Device device = Probe(path);
  switch (device.error) {
    case 0:
      break;
    case ENOENT:
    case ENODEV:
    case ENXIO:
      throw Error(path, "there is no such camera (" + CamerasHere() + ")");
    case EACCES:
    case EPERM:
      throw Error(path, "may not be opened by this user, who must be in the group 'video' (" +
                            CamerasHere() + ")");
    case EBUSY:
      throw Error(path, WhyBusy(path));
    default:
      throw Error(path, fmt::format("cannot be opened: {} ({})", std::strerror(device.error),
                                    CamerasHere()));
  }
  if (!device.camera) throw Error(path, "is no camera (" + CamerasHere() + ")");
}

std::string WhyBusy(const std::string& path) {
  std::set<std::string> holders;
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  for (const auto& process : fs::directory_iterator("/proc", error)) {
    std::error_code ignored;
    if (process.path().filename() == std::to_string(getpid())) continue;
    for (const auto& fd : fs::directory_iterator(process.path() / "fd", ignored)) {
      if (fs::read_symlink(fd.path(), ignored) != real) continue;
      std::ifstream file(process.path() / "comm");
      std::string name;
      std::getline(file, name);
      holders.insert(fmt::format("{} (process {})", name, process.path().filename().string()));
    }
  }
  return fmt::format(
      "is there, but gives no picture: another program has it{}, or it cannot do what was asked "
      "({})",
      holders.empty() ? "" : fmt::format(", {}", fmt::join(holders, ", ")), CamerasHere());
}

}  // namespace skinmask::live
