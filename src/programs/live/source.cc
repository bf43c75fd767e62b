#include "programs/live/source.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/media/image.h"

namespace skinmask::live {
namespace {

bool IsNumber(const std::string& text) {
  return !text.empty() && text.size() < 4 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool IsDevice(const std::string& path) {
  struct stat status;
  return path.starts_with("/dev/") || (stat(path.c_str(), &status) == 0 && S_ISCHR(status.st_mode));
}

class Reader : public FrameSource {
 public:
  Reader(const std::string& name, const SourceOptions& options)
      : reader_(
            name,
            {.timeout_seconds = options.timeout_seconds, .stop = options.stop, .raw = options.raw}),
        name_(name),
        endless_(SourceKindOf(name) == SourceKind::kStream && !reader_.info().frames),
        stop_(options.stop) {}

  std::optional<LiveFrame> Read() override {
    std::optional<VideoFrame> frame = reader_.Read();
    if (frame) return LiveFrame{std::move(*frame), Clock::now()};
    // A camera on the network does not end; its sender went away.
    if (endless_ && !(stop_ && *stop_)) throw Error(name_, "ended");
    return std::nullopt;
  }
  Rational rate() const override { return reader_.info().rate; }

 private:
  VideoReader reader_;
  std::string name_;
  bool endless_;
  const std::atomic<bool>* stop_;
};

}  // namespace

SourceKind SourceKindOf(const std::string& source) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(source, ignored)) return SourceKind::kFile;
  if (IsDescriptor(source)) return SourceKind::kPipe;
  if (source.find('!') != source.npos) return SourceKind::kPipeline;
  if (source.find("://") != source.npos) return SourceKind::kStream;
  if (IsNumber(source) || IsDevice(source)) return SourceKind::kCamera;
  return SourceKind::kFile;
}

std::unique_ptr<FrameSource> OpenSource(const std::string& source, const SourceOptions& options) {
  switch (SourceKindOf(source)) {
    case SourceKind::kCamera:
      return OpenCamera(IsNumber(source) ? "/dev/video" + source : source, options);
    case SourceKind::kPipeline:
      return OpenPipeline(source, options);
    case SourceKind::kStream:
    case SourceKind::kFile:
    case SourceKind::kPipe:
      break;
  }
  return std::make_unique<Reader>(source, options);
}

VideoFrame WrapBgr(const cv::Mat& bgr) {
  VideoFrame frame;
  const auto kept = std::make_shared<const cv::Mat>(bgr);
  frame.layout = VideoFrame::Layout::kBgr;
  frame.size = bgr.size();
  frame.planes[0] = kept->ptr<std::uint8_t>();
  frame.strides[0] = static_cast<std::ptrdiff_t>(kept->step);
  frame.owner = kept;
  return frame;
}

VideoFrame DecodeJpegFrame(std::string_view jpeg, std::string_view subject) {
  return WrapBgr(DecodeImage(jpeg, subject, {.lenient = true}));
}

}  // namespace skinmask::live
