#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <opencv2/videoio.hpp>
#include <thread>

#include "programs/live/source.h"
#include "programs/live/v4l2_devices.h"
#include "skinmask/base/error.h"

namespace skinmask::live {
namespace {

using Layout = VideoFrame::Layout;

int FourCc(const char (&code)[5]) {
  return cv::VideoWriter::fourcc(code[0], code[1], code[2], code[3]);
}

std::string FourCcText(int code) {
  std::string text;
  for (int i = 0; i < 4; ++i) text += static_cast<char>(code >> 8 * i);
  return text;
}

// A camera through OpenCV's V4L2 backend, which hands over the driver's bytes as they are.
class Camera : public FrameSource {
 public:
  Camera(const std::string& device, const SourceOptions& options)
      : device_(device), options_(options) {
    CheckCamera(device);
    // Its own wait for a frame, in whole seconds, is ten; ours goes on where that ends.
    setenv("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "1", 1);
    Configure();
    format_ = static_cast<int>(capture_.get(cv::CAP_PROP_FOURCC));
    size_ = {static_cast<int>(capture_.get(cv::CAP_PROP_FRAME_WIDTH)),
             static_cast<int>(capture_.get(cv::CAP_PROP_FRAME_HEIGHT))};
    rate_ = capture_.get(cv::CAP_PROP_FPS);
    if (!IsKnown(format_)) capture_.set(cv::CAP_PROP_CONVERT_RGB, 1);
    CompareWithWishes();
  }

  std::optional<LiveFrame> Read() override {
    const auto begin = Clock::now();
    int quick_failures = 0;
    while (!(options_.stop && *options_.stop)) {
      const auto before = Clock::now();
      cv::Mat pixels;
      if (capture_.grab()) {
        const auto captured = CaptureTime();
        if (capture_.retrieve(pixels) && !pixels.empty()) {
          delivered_ = true;
          return LiveFrame{Wrap(pixels), captured};
        }
      }
      // A device that is gone fails at once, a camera that has nothing yet after a while.
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
    return rate_ > 0 ? Rational{static_cast<int>(std::lround(rate_ * 1000)), 1000} : Rational{0, 1};
  }

 private:
  static bool IsKnown(int format) {
    return format == FourCc("YUYV") || format == FourCc("MJPG") || format == FourCc("JPEG") ||
           format == FourCc("NV12") || format == FourCc("YU12");
  }

  void Configure() {
    if (!capture_.open(device_, cv::CAP_V4L2, {cv::CAP_PROP_CONVERT_RGB, 0}))
      throw Error(device_, WhyBusy(device_));
    if (!options_.format.empty())
      capture_.set(cv::CAP_PROP_FOURCC,
                   cv::VideoWriter::fourcc(options_.format[0], options_.format[1],
                                           options_.format[2], options_.format[3]));
    if (!options_.size.empty()) {
      capture_.set(cv::CAP_PROP_FRAME_WIDTH, options_.size.width);
      capture_.set(cv::CAP_PROP_FRAME_HEIGHT, options_.size.height);
    }
    if (options_.rate > 0) capture_.set(cv::CAP_PROP_FPS, options_.rate);
    if (!capture_.isOpened()) throw Error(device_, WhyBusy(device_));
  }

  void CompareWithWishes() const {
    const bool format = options_.format.empty() || options_.format == FourCcText(format_);
    const bool size = options_.size.empty() || options_.size == size_;
    const bool rate = options_.rate <= 0 || std::abs(options_.rate - rate_) < 0.01;
    if (!format || !size || !rate)
      options_.notice(fmt::format(
          "{}: gives {} x {} pixels, {:g} frames/s, {}, which is not all that was asked for",
          device_, size_.width, size_.height, rate_, FourCcText(format_)));
  }

  // When the driver stamped the frame, on the clock that V4L2 uses; now, where it does not.
  Clock::time_point CaptureTime() {
    const auto now = Clock::now();
    const auto stamped = Clock::time_point(std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double, std::milli>(capture_.get(cv::CAP_PROP_POS_MSEC))));
    return stamped <= now && now - stamped < std::chrono::seconds(1) ? stamped : now;
  }

  VideoFrame Wrap(const cv::Mat& pixels) const {
    if (format_ == FourCc("MJPG") || format_ == FourCc("JPEG"))
      return DecodeJpegFrame({pixels.ptr<char>(), pixels.total() * pixels.elemSize()}, device_);
    VideoFrame frame = WrapBgr(pixels);
    if (!IsKnown(format_)) return frame;
    frame.size = size_;
    const std::ptrdiff_t width = size_.width;
    const std::uint8_t* const y = pixels.ptr<std::uint8_t>();
    const std::uint8_t* const chroma = y + width * size_.height;
    if (format_ == FourCc("YUYV")) {
      frame.layout = Layout::kYuyv;
    } else if (format_ == FourCc("NV12")) {
      frame.layout = Layout::kNv12;
      frame.planes = {y, chroma, nullptr};
      frame.strides = {width, width, 0};
    } else {
      frame.layout = Layout::kI420;
      frame.planes = {y, chroma, chroma + width / 2 * (size_.height / 2)};
      frame.strides = {width, width / 2, width / 2};
    }
    return frame;
  }

  std::string device_;
  SourceOptions options_;
  cv::VideoCapture capture_;
  int format_ = 0;
  cv::Size size_;
  double rate_ = 0;
  bool delivered_ = false;
};

}  // namespace

std::unique_ptr<FrameSource> OpenCamera(const std::string& device, const SourceOptions& options) {
  return std::make_unique<Camera>(device, options);
}

}  // namespace skinmask::live
