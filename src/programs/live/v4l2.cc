// OpenCamera and Cameras (programs/live/source.h), by Video4Linux.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/folder.h"
#include "base/stream.h"
#include "media/late_module.h"
#include "programs/live/source.h"
#include "programs/live/v4l2_device.h"
#include "skinmask/base/error.h"

namespace skinmask::live {
namespace {

namespace fs = std::filesystem;

struct Device {
  int error = 0;        // errno of opening it
  bool camera = false;  // it can capture pictures
  std::string name;
};

std::string FirstLine(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

Device Probe(const std::string& path) {
  // The kernel's name for /dev/videoN needs no permission.
  Device device{.name = FirstLine("/sys/class/video4linux" / fs::path(path).filename() / "name")};
  const Descriptor file(path, O_RDWR | O_NONBLOCK);
  if (file.get() < 0) {
    device.error = errno;
    return device;
  }
  v4l2_capability capability{};
  if (ioctl(file.get(), VIDIOC_QUERYCAP, &capability) == 0) {
    const bool own = capability.capabilities & V4L2_CAP_DEVICE_CAPS;
    device.camera =
        (own ? capability.device_caps : capability.capabilities) & V4L2_CAP_VIDEO_CAPTURE;
    if (device.name.empty()) device.name = reinterpret_cast<const char*>(capability.card);
  }
  return device;
}

// Calls `use` with each entry of one of the driver's lists, until it returns false. `entry` names
// the list.
template <class Entry, class Use>
void ForEachListed(int fd, unsigned long request, Entry entry, const Use& use) {
  constexpr std::uint32_t kMax = 64;  // because drivers may return endless lists
  for (; entry.index < kMax && ioctl(fd, request, &entry) == 0; ++entry.index)
    if (!use(entry)) return;
}

double HighestRate(int fd, std::uint32_t format, std::uint32_t width, std::uint32_t height) {
  double highest = 0;
  v4l2_frmivalenum list{};
  list.pixel_format = format;
  list.width = width;
  list.height = height;
  ForEachListed(fd, VIDIOC_ENUM_FRAMEINTERVALS, list, [&](const v4l2_frmivalenum& interval) {
    const bool one = interval.type == V4L2_FRMIVAL_TYPE_DISCRETE;
    const v4l2_fract& shortest = one ? interval.discrete : interval.stepwise.min;
    if (shortest.numerator > 0)
      highest = std::max(highest, static_cast<double>(shortest.denominator) / shortest.numerator);
    return one;
  });
  return highest;
}

std::string FourCcText(std::uint32_t code) {
  return {reinterpret_cast<const char*>(&code), sizeof code};
}

void AddSizes(int fd, std::uint32_t format, std::vector<CameraFormat>& formats) {
  v4l2_frmsizeenum list{};
  list.pixel_format = format;
  ForEachListed(fd, VIDIOC_ENUM_FRAMESIZES, list, [&](const v4l2_frmsizeenum& size) {
    const bool one = size.type == V4L2_FRMSIZE_TYPE_DISCRETE;
    const std::uint32_t width = one ? size.discrete.width : size.stepwise.max_width;
    const std::uint32_t height = one ? size.discrete.height : size.stepwise.max_height;
    formats.push_back({FourCcText(format),
                       cv::Size(static_cast<int>(width), static_cast<int>(height)),
                       HighestRate(fd, format, width, height)});
    return one;
  });
}

std::vector<CameraFormat> FormatsOf(const std::string& path) {
  std::vector<CameraFormat> formats;
  const Descriptor file(path, O_RDWR | O_NONBLOCK);
  v4l2_fmtdesc list{};
  list.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  ForEachListed(file.get(), VIDIOC_ENUM_FMT, list, [&](const v4l2_fmtdesc& format) {
    AddSizes(file.get(), format.pixelformat, formats);
    return true;
  });
  return formats;
}

// The names of a folder's entries, as far as they can be listed.
std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  ForEachEntry(folder, [&](const char* name, EntryType) { names.emplace_back(name); });
  return names;
}

// The present devices by their paths. Preloaded libraries that emulate devices (PipeWire's) respond
// to paths without a file, so the first numbers are tried as well, until one fails.
std::map<std::string, Device> Devices() {
  std::map<std::string, Device> devices;
  for (const std::string& name : NamesIn("/dev"))
    if (const std::string path = "/dev/" + name; name.starts_with("video"))
      devices[path] = Probe(path);
  constexpr int kMaxTried = 8;  // such a library may respond to every number
  for (int i = 0; i < kMaxTried; ++i) {
    const std::string path = fmt::format("/dev/video{}", i);
    if (devices.contains(path)) continue;
    const Device device = Probe(path);
    if (device.error != 0) break;
    devices[path] = device;
  }
  return devices;
}

// "cameras here: /dev/video0 'Integrated Webcam', ...", or that there are none.
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

// The message for a camera that exists but does not start, with the processes that have it open, as
// far as these are visible.
std::string WhyBusy(const std::string& path) {
  std::set<std::string> holders;
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  for (const std::string& id : NamesIn("/proc")) {
    const fs::path process = "/proc/" + id;
    if (id == std::to_string(getpid())) continue;
    for (const std::string& fd : NamesIn(process / "fd"))
      if (fs::read_symlink(process / "fd" / fd, error) == real)
        holders.insert(fmt::format("{} (process {})", FirstLine(process / "comm"), id));
  }
  return fmt::format(
      "is there, but gives no picture: another program has it{}, or it cannot do what was asked "
      "({})",
      holders.empty() ? "" : fmt::format(", {}", fmt::join(holders, ", ")), CamerasHere());
}

// Throws Error if the device is missing, forbidden, or not a camera.
void CheckCamera(const std::string& path) {
  const Device device = Probe(path);
  const int error = device.error;
  if (error == 0 && device.camera) return;
  if (error == EBUSY) throw Error(path, WhyBusy(path));
  std::string why = fmt::format("cannot be opened: {}", std::strerror(error));
  if (error == 0) why = "is no camera";
  if (error == ENOENT || error == ENODEV || error == ENXIO) why = "there is no such camera";
  if (error == EACCES || error == EPERM)
    why = "may not be opened by this user, who must be in the group 'video'";
  throw Error(path, fmt::format("{} ({})", why, CamerasHere()));
}

using Layout = VideoFrame::Layout;

// A camera by OpenCV's V4L2 backend, which returns the driver's bytes unchanged.
class Camera : public FrameSource {
 public:
  Camera(const std::string& device, const SourceOptions& options)
      : device_(device), options_(options) {
    CheckCamera(device);
    Configure();
    given_ = {FourCcText(static_cast<std::uint32_t>(capture_->get(cv::CAP_PROP_FOURCC))),
              cv::Size(static_cast<int>(capture_->get(cv::CAP_PROP_FRAME_WIDTH)),
                       static_cast<int>(capture_->get(cv::CAP_PROP_FRAME_HEIGHT))),
              capture_->get(cv::CAP_PROP_FPS)};
    if (!IsKnown()) capture_->set(cv::CAP_PROP_CONVERT_RGB, 1);
    CompareWithWishes();
  }

  std::optional<LiveFrame> Read() override {
    const auto begin = Clock::now();
    int quick_failures = 0;
    while (!(options_.stop && *options_.stop)) {
      const auto before = Clock::now();
      cv::Mat pixels;
      if (capture_->grab()) {
        const auto captured = CaptureTime();
        if (capture_->retrieve(pixels) && !pixels.empty()) {
          delivered_ = true;
          return LiveFrame{Wrap(pixels), captured};
        }
      }
      // A disconnected device fails at once; a camera without a frame yet fails after a while.
      if (SecondsSince(before) < 0.2 && ++quick_failures >= 3) break;
      if (SecondsSince(begin) > options_.timeout_seconds) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (options_.stop && *options_.stop) return std::nullopt;
    if (delivered_) throw Error(device_, "gives no frames any more");
    CheckCamera(device_);
    throw Error(device_, WhyBusy(device_));
  }

  Rational rate() const override {
    const double rate = given_.rate;
    return rate > 0 ? Rational{static_cast<int>(std::lround(rate * 1000)), 1000} : Rational{0, 1};
  }

 private:
  bool IsKnown() const {
    constexpr std::string_view kKnown[] = {"YUYV", "MJPG", "JPEG", "NV12", "YU12"};
    return std::ranges::find(kKnown, given_.code) != std::end(kKnown);
  }

  void Configure() {
    capture_ = OpenV4l2Device(device_);
    if (!capture_) throw Error(device_, WhyBusy(device_));
    const auto& [code, size, rate] = options_.wanted;
    if (!code.empty())
      capture_->set(cv::CAP_PROP_FOURCC, v4l2_fourcc(code[0], code[1], code[2], code[3]));
    if (!size.empty()) {
      capture_->set(cv::CAP_PROP_FRAME_WIDTH, size.width);
      capture_->set(cv::CAP_PROP_FRAME_HEIGHT, size.height);
    }
    if (rate > 0) capture_->set(cv::CAP_PROP_FPS, rate);
    if (!capture_->isOpened()) throw Error(device_, WhyBusy(device_));
  }

  void CompareWithWishes() const {
    const CameraFormat& wanted = options_.wanted;
    const bool code = wanted.code.empty() || wanted.code == given_.code;
    const bool size = wanted.size.empty() || wanted.size == given_.size;
    const bool rate = wanted.rate <= 0 || std::abs(wanted.rate - given_.rate) < 0.01;
    if (!code || !size || !rate)
      options_.notice(fmt::format(
          "{}: gives {} x {} pixels, {:g} frames/s, {}, which is not all that was asked for",
          device_, given_.size.width, given_.size.height, given_.rate, given_.code));
  }

  // The driver's timestamp of the frame, on the clock of V4L2; the current time if that is
  // implausible.
  Clock::time_point CaptureTime() {
    const auto now = Clock::now();
    const auto stamped = Clock::time_point(std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double, std::milli>(capture_->get(cv::CAP_PROP_POS_MSEC))));
    return stamped <= now && now - stamped < std::chrono::seconds(1) ? stamped : now;
  }

  VideoFrame Wrap(const cv::Mat& pixels) const {
    if (given_.code == "MJPG" || given_.code == "JPEG")
      return DecodeJpegFrame({pixels.ptr<char>(), pixels.total() * pixels.elemSize()}, device_);
    VideoFrame frame = WrapBgr(pixels);
    if (!IsKnown()) return frame;
    frame.size = given_.size;
    const std::ptrdiff_t width = frame.size.width;
    const std::uint8_t* const y = pixels.ptr<std::uint8_t>();
    const std::uint8_t* const chroma = y + width * frame.size.height;
    if (given_.code == "YUYV") {
      frame.layout = Layout::kYuyv;
    } else if (given_.code == "NV12") {
      frame.layout = Layout::kNv12;
      frame.planes = {y, chroma, nullptr};
      frame.strides = {width, width, 0};
    } else {
      frame.layout = Layout::kI420;
      frame.planes = {y, chroma, chroma + width / 2 * (frame.size.height / 2)};
      frame.strides = {width, width / 2, width / 2};
    }
    return frame;
  }

  std::string device_;
  SourceOptions options_;
  std::shared_ptr<cv::VideoCapture> capture_;
  CameraFormat given_;
  bool delivered_ = false;
};

}  // namespace

std::vector<CameraInfo> Cameras() {
  std::vector<CameraInfo> cameras;
  for (const auto& [path, device] : Devices())
    if (device.error == 0 && device.camera) cameras.push_back({path, device.name, FormatsOf(path)});
  return cameras;
}

std::shared_ptr<cv::VideoCapture> OpenV4l2Device(const std::string& device) {
  static auto* const open_device =
      FindInModule<decltype(skinmask_open_v4l2)>("live-videoio.so", "skinmask_open_v4l2");
  std::shared_ptr<cv::VideoCapture> opened;
  open_device(device, opened);
  return opened;
}

std::unique_ptr<FrameSource> OpenCamera(const std::string& device, const SourceOptions& options) {
  return std::make_unique<Camera>(device, options);
}

}  // namespace skinmask::live
