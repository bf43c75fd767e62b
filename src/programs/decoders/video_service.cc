#include "programs/decoders/video_service.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <utility>

#include "media/video_source.h"
#include "skinmask/base/problem.h"

namespace skinmask {
namespace {

using Kind = DecoderMessage::Kind;

}  // namespace

void VideoService::Serve() {
  DecoderMessage request;
  Descriptor pipe(-1);
  while (ReceiveMessage(socket_, request, pipe)) {
    if (pipe.get() >= 0 && pipe_.get() < 0) {
      pipe_ = std::move(pipe);
      file_ = "/dev/fd/" + std::to_string(pipe_.get());
    }
    DecoderMessage answer;
    try {
      answer = Answer(request);
    } catch (const std::exception& error) {
      answer = {};
      answer.kind = Kind::kProblem;
      answer.SetText(Problem(file_, error).Reason());
    }
    const bool has_pixels = answer.kind == Kind::kFrame;
    if (!SendMessage(socket_, answer, has_pixels ? pixels_.descriptor() : -1)) return;
    if (has_pixels) pixels_.Sent();
  }
}

DecoderMessage VideoService::Answer(const DecoderMessage& request) {
  if (request.kind == Kind::kOpenVideo) return Open(request.WordsOf<OpenVideoWords>());
  if (request.kind == Kind::kReadFrame) return Read();
  const auto unit = request.type ? VideoTime::Unit::kFrames : VideoTime::Unit::kMicroseconds;
  reader_.value().SkipTowards({unit, request.number});
  DecoderMessage answer;
  answer.kind = Kind::kGo;
  return answer;
}

DecoderMessage VideoService::Open(const OpenVideoWords& words) {
  VideoOpenOptions options;
  options.threads = words.threads;
  options.addresses = false;
  options.max_pixels = words.max_pixels;
  options.isolation = Isolation{};
  if (words.is_raw)
    options.raw =
        RawVideo{{words.width, words.height}, words.pixel_format, {words.rate_num, words.rate_den}};
  // How large its frames are is not known before.
  constexpr std::int64_t kUsualPixels = std::int64_t{1} << 25;  // 8K
  limit_.SetFor(std::min(words.max_pixels, kUsualPixels), 0);
  const VideoInfo& info = reader_.emplace(file_, options).info();
  limit_.SetFor(info.size.area(), 0);

  VideoWords told{};
  told.width = info.size.width;
  told.height = info.size.height;
  told.rate_num = info.rate.num;
  told.rate_den = info.rate.den;
  told.unit_num = info.time_base.num;
  told.unit_den = info.time_base.den;
  told.aspect_num = info.pixel_aspect.num;
  told.aspect_den = info.pixel_aspect.den;
  told.rotation = info.rotation;
  told.mirrored = info.mirrored;
  told.sound = info.sound;
  told.has_frames = info.frames.has_value();
  told.frames = info.frames.value_or(0);
  told.has_seconds = info.seconds.has_value();
  told.seconds = info.seconds.value_or(0);
  info.codec.copy(told.codec, sizeof told.codec - 1);
  DecoderMessage answer;
  answer.kind = Kind::kVideo;
  answer.SetWords(told);
  return answer;
}

DecoderMessage VideoService::Read() {
  DecoderMessage answer;
  answer.kind = Kind::kEndOfVideo;
  std::optional<VideoFrame> frame = reader_.value().Read();
  if (!frame) return answer;
  cv::Mat bgr;
  if (!IsSent(frame->layout)) {
    bgr = frame->StoredBgr();
    frame->layout = VideoFrame::Layout::kBgr;
    frame->planes = {bgr.data};
    frame->strides = {static_cast<std::ptrdiff_t>(bgr.step)};
  }
  const FrameMemory memory(frame->layout, frame->size);
  const std::array<cv::Mat, 3> planes = memory.At(pixels_.Get(memory.bytes));
  for (std::size_t i = 0; i < planes.size() && !planes[i].empty(); ++i)
    for (int y = 0; y < planes[i].rows; ++y)
      std::memcpy(planes[i].data + static_cast<std::size_t>(y) * planes[i].step,
                  frame->planes[i] + y * frame->strides[i],
                  static_cast<std::size_t>(planes[i].cols));
  FrameWords words{};
  words.layout = static_cast<std::int32_t>(frame->layout);
  words.matrix = frame->encoding.matrix == YuvEncoding::Matrix::kBt709;
  words.range = frame->encoding.range == YuvEncoding::Range::kFull;
  words.width = frame->size.width;
  words.height = frame->size.height;
  words.rotation = frame->rotation;
  words.mirrored = frame->mirrored;
  words.pts = frame->pts;
  words.index = frame->index;
  words.seconds = frame->seconds;
  answer.kind = Kind::kFrame;
  answer.SetWords(words);
  return answer;
}

}  // namespace skinmask
