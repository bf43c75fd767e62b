#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>

#include "base/elapsed.h"
#include "media/demuxer_options.h"
#include "media/early_end.h"
#include "media/image_format.h"
#include "media/video_frame.h"
#include "media/video_seek.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

Rational RationalOf(AVRational r) { return {r.num, r.den}; }

// FFmpeg's own protocols are named before the first colon; every other name is that of a file.
bool IsUrl(const std::string& name) { return name.find("://") != name.npos; }

}  // namespace

struct VideoReader::State {
  State(const std::string& name, const VideoOpenOptions& options);
  ~State() { av.avformat_close_input(&format); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::optional<VideoFrame> Read();
  void SkipTowards(const VideoTime& moment);

  const Ffmpeg& av;
  const std::string name;
  const bool stream;
  const VideoOpenOptions options;
  Clock::time_point deadline;
  std::optional<VideoFile> file;  // of no stream
  AVFormatContext* format = nullptr;
  CodecPtr codec;
  PacketPtr packet;
  int index = -1;  // of the stream of pictures
  VideoInfo info;
  Orientation orientation;

 private:
  void Open();
  void CheckRaw(const RawVideo& raw) const;
  void OpenDecoder(const AVCodec* decoder);
  void Describe();
  bool IsLanding(const AVFrame* frame);
  void Restart();
  void Feed();
  void Send(AVPacket* data);
  void EndInput(int error);
  VideoFrame Deliver(FramePtr frame);
  bool Stopped() const { return options.stop && options.stop->load(); }
  void RestartClock() {
    deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(options.timeout_seconds));
  }
  bool TimedOut() const { return stream && Clock::now() >= deadline; }
  static int Interrupted(void* state);
  [[noreturn]] void FailDamaged() const;

  std::string damage_;  // why the input ended before its time
  std::int64_t delivered_ = 0;
  std::int64_t first_pts_ = 0, last_pts_ = 0, frame_duration_ = 1;
  std::optional<KeyFrame> landing_;  // that decoding goes on to from where it was sought
};

int VideoReader::State::Interrupted(void* state) {
  return static_cast<State*>(state)->Stopped() || static_cast<State*>(state)->TimedOut();
}

VideoReader::State::State(const std::string& path_or_url, const VideoOpenOptions& open_options)
    : av(Ffmpeg::Get()),
      name(path_or_url),
      stream(open_options.addresses && IsUrl(path_or_url)),
      options(open_options) {
  packet.reset(av.av_packet_alloc());
  RestartClock();
  try {
    Open();
  } catch (...) {
    av.avformat_close_input(&format);
    throw;
  }
}

void VideoReader::State::Open() {
  if (stream)
    av.avformat_network_init();
  else
    file.emplace(name, options.stop);
  format = av.avformat_alloc_context();
  format->interrupt_callback = {Interrupted, this};
  if (options.raw) CheckRaw(*options.raw);
  auto demuxer_options = options.raw ? DemuxerOptions(*options.raw) : DemuxerOptions(stream);
  int result = av.avformat_open_input(&format, (stream ? name : file->address()).c_str(),
                                      options.raw ? av.av_find_input_format("rawvideo") : nullptr,
                                      demuxer_options.get());
  if (!stream) CheckOpened(result, name);
  if (result >= 0) result = FindStreamInfo(format, options.max_pixels);
  if (result >= 0 && TimedOut()) result = AVERROR_EXIT;
  if (result == AVERROR_EXIT && !Stopped())
    throw Error(name,
                fmt::format("nothing came within {} s (is the sender running, and the address "
                            "right?)",
                            options.timeout_seconds));
  if (result < 0)
    throw Error(name, fmt::format("cannot be opened as {}: {}", stream ? "stream" : "video",
                                  av.Message(result)));
  const AVCodec* decoder = nullptr;
  index = av.av_find_best_stream(format, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
  if (index == AVERROR_DECODER_NOT_FOUND)
    throw Error(name, "FFmpeg has no decoder for its pictures");
  if (index < 0) throw Error(name, "holds no moving picture");
  for (unsigned i = 0; i < format->nb_streams; ++i)
    if (static_cast<int>(i) != index) format->streams[i]->discard = AVDISCARD_ALL;
  const AVCodecParameters& picture = *format->streams[index]->codecpar;
  CheckSize({picture.width, picture.height}, options.max_pixels, name);
  OpenDecoder(decoder);
  Describe();
}

void VideoReader::State::CheckRaw(const RawVideo& raw) const {
  CheckSize({raw.size.width, raw.size.height}, options.max_pixels, name);
  RequirePixelFormat(raw.pixel_format);
  if (raw.rate.num <= 0 || raw.rate.den <= 0)
    throw Error(fmt::format("rate {}/{}", raw.rate.num, raw.rate.den), "is not above 0");
}

void VideoReader::State::OpenDecoder(const AVCodec* decoder) {
  codec.reset(av.avcodec_alloc_context3(decoder));
  av.avcodec_parameters_to_context(codec.get(), format->streams[index]->codecpar);
  codec->pkt_timebase = format->streams[index]->time_base;
  codec->max_pixels = options.max_pixels;
  codec->thread_count = options.threads;
  // A thread to each frame would delay every frame by as many as there are threads, and a frame
  // could be handed out before another thread finds it damaged.
  codec->thread_type = FF_THREAD_SLICE;
  const int result = av.avcodec_open2(codec.get(), decoder, nullptr);
  if (result < 0)
    throw Error(
        name, fmt::format("the decoder {} does not start: {}", decoder->name, av.Message(result)));
}

void VideoReader::State::Describe() {
  AVStream* const video = format->streams[index];
  info.size = {video->codecpar->width, video->codecpar->height};
  info.time_base = RationalOf(video->time_base);
  const AVRational rate = av.av_guess_frame_rate(format, video, nullptr);
  if (rate.num > 0 && rate.den > 0) info.rate = RationalOf(rate);
  if (info.rate.num > 0)
    frame_duration_ = std::max<std::int64_t>(
        1, av.av_rescale_q(1, AVRational{rate.den, rate.num}, video->time_base));
  if (format->duration > 0 && !stream)
    info.seconds = static_cast<double>(format->duration) / AV_TIME_BASE;
  if (video->nb_frames > 0)
    info.frames = video->nb_frames;
  else if (info.seconds && info.rate.num > 0)
    info.frames = std::llround(*info.seconds * info.rate.Value());
  const AVRational aspect = av.av_guess_sample_aspect_ratio(format, video, nullptr);
  if (aspect.num > 0 && aspect.den > 0) info.pixel_aspect = RationalOf(aspect);
  if (const auto* matrix = reinterpret_cast<const std::int32_t*>(
          av.av_stream_get_side_data(video, AV_PKT_DATA_DISPLAYMATRIX, nullptr)))
    orientation = OrientationOf(matrix);
  info.rotation = orientation.rotation;
  info.mirrored = orientation.mirrored;
  info.codec = av.avcodec_get_name(video->codecpar->codec_id);
  for (unsigned i = 0; i < format->nb_streams; ++i)
    info.sound |= format->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
}

std::optional<VideoFrame> VideoReader::State::Read() {
  RestartClock();
  while (!Stopped()) {
    FramePtr frame(av.av_frame_alloc());
    const int result = av.avcodec_receive_frame(codec.get(), frame.get());
    if (landing_ && result != AVERROR(EAGAIN) && !IsLanding(result == 0 ? frame.get() : nullptr))
      continue;
    if (result == 0) {
      const bool damaged = (frame->flags & AV_FRAME_FLAG_CORRUPT) || frame->decode_error_flags;
      if (stream || !damaged) return Deliver(std::move(frame));
      damage_ = "its data are damaged";
      FailDamaged();
    }
    if (result == AVERROR(EAGAIN)) {
      Feed();
    } else if (result == AVERROR_EOF) {
      if (!damage_.empty()) FailDamaged();
      return std::nullopt;
    } else if (!stream) {
      damage_ = "its data are damaged: " + av.Message(result);
      FailDamaged();
    }
  }
  return std::nullopt;
}

void VideoReader::State::SkipTowards(const VideoTime& moment) {
  if (!file || !file->address().starts_with("file:")) return;
  const auto key =
      KeyFrameBefore({file->address(), index, info.time_base, first_pts_, options.stop}, moment);
  if (!key || key->index <= delivered_) return;
  landing_ = key;
  if (av.av_seek_frame(format, index, key->seek_to, AVSEEK_FLAG_BACKWARD) < 0) return Restart();
  av.avcodec_flush_buffers(codec.get());
}

// Whether a frame (null: there is none) is the one that was sought, or comes after a restart. What
// is decoded before may refer to what was left out, and is not looked at. Where the frame does not
// come, seeking in this file leads elsewhere, and all is decoded from the start.
bool VideoReader::State::IsLanding(const AVFrame* frame) {
  if (frame && frame->best_effort_timestamp < landing_->pts) return false;
  if (!frame || frame->best_effort_timestamp != landing_->pts) {
    Restart();
    return false;
  }
  delivered_ = landing_->index;
  last_pts_ = landing_->pts - 1;
  landing_.reset();
  return true;
}

void VideoReader::State::Restart() {
  landing_.reset();
  damage_.clear();
  delivered_ = 0;
  av.avformat_close_input(&format);
  Open();
}

void VideoReader::State::FailDamaged() const {
  throw Error(name, fmt::format("stops at frame {}: {}", delivered_, damage_));
}

// Gives the decoder its next packet, or the end.
void VideoReader::State::Feed() {
  while (true) {
    const int result = av.av_read_frame(format, packet.get());
    if (result < 0) return EndInput(result);
    const bool ours = packet->stream_index == index;
    if (ours && (packet->flags & AV_PKT_FLAG_CORRUPT) && !stream) {
      damage_ = "its data are cut off or damaged";
      return Send(nullptr);
    }
    if (ours) Send(packet.get());
    av.av_packet_unref(packet.get());
    if (ours || Stopped()) return;
  }
}

void VideoReader::State::Send(AVPacket* data) {
  const int result = av.avcodec_send_packet(codec.get(), data);
  if (result >= 0 || result == AVERROR_EOF || stream) return;
  damage_ = "its data are damaged: " + av.Message(result);
  av.avcodec_send_packet(codec.get(), nullptr);
}

void VideoReader::State::EndInput(int error) {
  if (Stopped()) return;
  if (TimedOut())
    throw Error(name, fmt::format("no frame came within {} s", options.timeout_seconds));
  if (error != AVERROR_EOF)
    damage_ = av.Message(error);
  else if (!stream && EndsEarly(*format, index, name))
    damage_ = "the file ends there";
  Send(nullptr);
}

VideoFrame VideoReader::State::Deliver(FramePtr frame) {
  std::int64_t pts = frame->best_effort_timestamp;
  if (pts == AV_NOPTS_VALUE) pts = delivered_ == 0 ? 0 : last_pts_ + frame_duration_;
  if (delivered_ == 0) first_pts_ = pts;
  if (delivered_ > 0) pts = std::max(pts, last_pts_ + 1);
  last_pts_ = pts;
  VideoFrame result = WrapFrame(std::move(frame), orientation);
  result.pts = pts;
  result.seconds = static_cast<double>(pts - first_pts_) * info.time_base.Value();
  result.index = delivered_++;
  return result;
}

VideoReader::VideoReader(const std::string& path_or_url, const VideoOpenOptions& options)
    : state_(std::make_unique<State>(path_or_url, options)) {}
VideoReader::~VideoReader() = default;
VideoReader::VideoReader(VideoReader&&) noexcept = default;
VideoReader& VideoReader::operator=(VideoReader&&) noexcept = default;

const VideoInfo& VideoReader::info() const { return state_->info; }
std::optional<VideoFrame> VideoReader::Read() { return state_->Read(); }
void VideoReader::SkipTowards(const VideoTime& moment) { state_->SkipTowards(moment); }

}  // namespace skinmask
