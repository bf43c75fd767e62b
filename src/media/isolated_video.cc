#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>

#include "base/folder.h"
#include "base/stream.h"
#include "media/decoder_messages.h"
#include "media/decoder_processes.h"
#include "media/picture_type.h"
#include "media/video_input.h"
#include "media/video_source.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"

namespace skinmask {
namespace {

using Kind = DecoderMessage::Kind;

struct Stopped {};

bool IsRotation(int degrees) {
  return degrees == 0 || degrees == 90 || degrees == 180 || degrees == 270;
}

// kMaxPixels is the limit in any case, because FFmpeg makes no larger frame.
bool IsSize(const cv::Size& size, std::int64_t max_pixels) {
  return size.width > 0 && size.height > 0 &&
         std::int64_t{size.width} * size.height <= std::min(max_pixels, kMaxPixels);
}

// Throws DecoderFailed for values that a correct decoder never sends.
VideoInfo InfoOf(const VideoWords& words, std::int64_t max_pixels) {
  const auto is_positive = [](const Rational& r) { return r.num > 0 && r.den > 0; };
  const bool is_info = IsSize(words.size, max_pixels) && words.rate.num >= 0 &&
                       words.rate.den > 0 && is_positive(words.time_base) &&
                       is_positive(words.pixel_aspect) && IsRotation(words.rotation) &&
                       std::isfinite(words.seconds);
  if (!is_info) throw DecoderFailed();
  VideoInfo info;
  info.size = words.size;
  info.rate = words.rate;
  info.time_base = words.time_base;
  info.pixel_aspect = words.pixel_aspect;
  info.rotation = words.rotation;
  info.mirrored = words.mirrored != 0;
  info.sound = words.sound != 0;
  if (words.frames >= 0) info.frames = words.frames;
  if (words.seconds >= 0) info.seconds = words.seconds;
  info.codec.assign(words.codec, strnlen(words.codec, sizeof words.codec));
  return info;
}

// Of a plane in the memory of a frame.
std::size_t StrideOf(const PlaneShape& plane) {
  constexpr int kAlignment = 64;
  return static_cast<std::size_t>(plane.row_bytes + kAlignment) / kAlignment * kAlignment;
}

class IsolatedVideo : public VideoSource {
 public:
  IsolatedVideo(const std::string& name, const VideoOpenOptions& options)
      : name_(name), options_(options) {}
  ~IsolatedVideo() override {
    if (process_.id > 0) DecoderProcesses::Get().End(process_);
  }

  // Must be called first.
  void Open() {
    if (options_.raw) CheckRaw(*options_.raw, options_.max_pixels, name_);
    waits_for_others_ = !IsRegularFile(name_);
    const std::filesystem::path real = RealPath(name_);
    // A descriptor without a path that the other process could open is sent along.
    const bool is_nameless = IsDescriptor(real);
    const Descriptor pipe = is_nameless ? Descriptor(name_, O_RDONLY | O_NONBLOCK) : Descriptor(-1);
    process_ = ForInput(name_, [&] {
      return DecoderProcesses::Get().Take(Kind::kStartVideo, is_nameless ? "" : real.string(),
                                          true);
    });
    DecoderMessage message{
        .kind = Kind::kOpenVideo, .max_pixels = options_.max_pixels, .number = options_.threads};
    if (options_.raw) {
      message.rows = options_.raw->size.height;
      message.cols = options_.raw->size.width;
      message.rate = options_.raw->rate;
      message.SetText(options_.raw->pixel_format);
    }
    const auto take_info = [&](const DecoderMessage& answer) {
      if (answer.kind != Kind::kVideo) throw DecoderFailed();
      info_ = InfoOf(answer.video, options_.max_pixels);
    };
    const bool opened = Ask(message, take_info, pipe.get());
    if (!opened) throw WaitStopped(name_, "was given up (interrupted)");
  }

  std::optional<VideoFrame> Read() override {
    std::optional<VideoFrame> frame;
    Ask({.kind = Kind::kReadFrame}, [&](const DecoderMessage& answer) {
      if (answer.kind == Kind::kFrame)
        frame = FrameOf(answer.frame);
      else if (answer.kind != Kind::kEndOfVideo)
        throw DecoderFailed();
    });
    return frame;
  }

  void SkipTowards(const VideoTime& moment) override {
    Ask({.kind = Kind::kSkip,
         .type = moment.unit == VideoTime::Unit::kFrames,
         .number = moment.value},
        [](const DecoderMessage&) {});
  }

 private:
  // Sends `message`, and calls `use` with the answer. Returns false after a stop. Throws Error if
  // the process has ended or takes too long.
  template <class Use>
  bool Ask(DecoderMessage message, const Use& use, int descriptor = -1) {
    const std::string where = index_ < 0 ? "" : fmt::format("stops at frame {}: ", index_ + 1);
    try {
      DecoderWork work(process_, IsolationOf(options_.isolation).max_seconds);
      if (waits_for_others_) work.Leave(std::numeric_limits<double>::infinity());
      work.Send(message, descriptor);
      work.Receive(message, [&] {
        if (options_.stop && options_.stop->load()) throw Stopped();
      });
      if (message.kind == Kind::kProblem) throw Error(name_, message.Text());
      use(message);
      return true;
    } catch (const Stopped&) {
      return false;
    } catch (const DecoderFailed& failure) {
      throw Error(name_, where + EndFailed(process_, failure));
    }
  }

  VideoFrame FrameOf(const FrameWords& words) {
    const auto layout = static_cast<VideoFrame::Layout>(words.layout);
    // Sums and differences of such times do not overflow.
    const bool has_times = words.pts >= -kMaxTime && words.pts <= kMaxTime && words.duration >= 0 &&
                           words.duration <= kMaxTime && words.index < kMaxTime;
    const bool is_one = layout >= VideoFrame::Layout::kBgr && layout < VideoFrame::Layout::kOther &&
                        IsRotation(words.rotation) && has_times &&
                        IsSize(words.size, options_.max_pixels) && std::isfinite(words.seconds) &&
                        words.index > index_ && (index_ < 0 || words.pts > pts_);
    if (!is_one) throw DecoderFailed();
    VideoFrame frame;
    frame.layout = layout;
    frame.size = words.size;
    if (words.matrix) frame.encoding.matrix = YuvEncoding::Matrix::kBt709;
    if (words.range) frame.encoding.range = YuvEncoding::Range::kFull;
    frame.rotation = words.rotation;
    frame.mirrored = words.mirrored != 0;
    frame.pts = pts_ = words.pts;
    frame.duration = words.duration;
    frame.seconds = words.seconds;
    frame.index = index_ = words.index;
    const std::size_t bytes = FrameBytes(layout, frame.size);
    // The padding of narrow frames can make them large; the size of a matrix is an int.
    if (bytes > std::min<std::size_t>(process_.pixels.size(), INT32_MAX)) throw DecoderFailed();
    const auto kept = std::make_shared<cv::Mat>(1, static_cast<int>(bytes), CV_8UC1);
    std::memcpy(kept->data, process_.pixels.data(), bytes);
    const std::array<cv::Mat, 3> planes = FramePlanes(layout, frame.size, kept->data);
    for (std::size_t i = 0; i < planes.size(); ++i) {
      frame.planes[i] = planes[i].data;
      frame.strides[i] = static_cast<std::ptrdiff_t>(planes[i].step);
    }
    frame.owner = kept;
    return frame;
  }

  const std::string name_;
  const VideoOpenOptions options_;
  DecoderProcess process_;
  bool waits_for_others_ = false;  // the time of a pipe's writer does not count as the decoder's
  std::int64_t index_ = -1, pts_ = 0;  // of the last frame
};

}  // namespace

std::size_t FrameBytes(VideoFrame::Layout layout, const cv::Size& size) {
  std::size_t bytes = 0;
  for (const PlaneShape& plane : PlaneShapes(layout, size)) bytes += StrideOf(plane) * plane.rows;
  return bytes;
}

std::array<cv::Mat, 3> FramePlanes(VideoFrame::Layout layout, const cv::Size& size,
                                   std::uint8_t* memory) {
  const std::array<PlaneShape, 3> shapes = PlaneShapes(layout, size);
  std::array<cv::Mat, 3> planes;
  for (std::size_t i = 0; i < planes.size() && shapes[i].rows > 0; ++i) {
    planes[i] = cv::Mat(static_cast<int>(shapes[i].rows), static_cast<int>(shapes[i].row_bytes),
                        CV_8UC1, memory, StrideOf(shapes[i]));
    memory += StrideOf(shapes[i]) * shapes[i].rows;
  }
  return planes;
}

std::unique_ptr<VideoSource> OpenIsolatedVideo(const std::string& path,
                                               const VideoOpenOptions& options) {
  auto video = std::make_unique<IsolatedVideo>(path, options);
  video->Open();
  return video;
}

}  // namespace skinmask
