#include <fmt/format.h>

#include <algorithm>

#include "base/blocking_call.h"
#include "base/elapsed.h"
#include "media/decoder_processes.h"
#include "media/file_bytes.h"
#include "media/gif.h"
#include "media/video_frame.h"
#include "media/video_input.h"
#include "media/video_packets.h"
#include "media/video_source.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"

namespace skinmask {
namespace {

class FfmpegVideo : public VideoSource {
 public:
  FfmpegVideo(const std::string& path_or_url, bool is_stream, const VideoOpenOptions& open_options)
      : name(path_or_url), stream(is_stream), options(open_options) {
    RestartClock();
    Open();
  }

  std::optional<VideoFrame> Read() override {
    RestartClock();
    while (!Stopped()) {
      FramePtr frame(av.av_frame_alloc());
      const int result = Decode([&] { return av.avcodec_receive_frame(codec.get(), frame.get()); });
      if (landing_ && result != AVERROR(EAGAIN) && !IsLanding(result == 0 ? frame.get() : nullptr))
        continue;
      if (result == 0) {
        const bool damaged =
            (frame->flags & AV_FRAME_FLAG_CORRUPT) || frame->decode_error_flags || lacking_;
        if (stream || !damaged) return Deliver(std::move(frame));
        FailDamaged("its data are damaged");
      }
      if (result == AVERROR(EAGAIN)) {
        Feed();
      } else if (result == AVERROR_EOF) {
        if (lacking_ && damage_.empty() && !stream) damage_ = "its data are damaged";
        if (!damage_.empty()) FailDamaged(damage_);
        return std::nullopt;
      } else if (!stream) {
        FailDamaged("its data are damaged: " + av.Message(result));
      }
    }
    return std::nullopt;
  }

  void SkipTowards(const VideoTime& moment) override {
    if (!IsRegular()) return;
    const auto key =
        KeyFrameBefore({file->address, index, info_.time_base, first_pts_, options.stop}, moment);
    if (!key || key->index <= delivered_) return;
    landing_ = key;
    packets_.emplace(!stream, IsRegular());
    if (av.av_seek_frame(format.get(), index, key->seek_to, AVSEEK_FLAG_BACKWARD) < 0)
      return Restart();
    av.avcodec_flush_buffers(codec.get());
  }

 private:
  const Ffmpeg& av = Ffmpeg::Get();
  const std::string name;
  const bool stream;
  const VideoOpenOptions options;
  Clock::time_point deadline;
  std::optional<VideoFile> file;  // absent for a stream
  InputPtr format;
  CodecPtr codec;
  int index = -1;  // index of the video stream

  void Open() {
    if (!stream) file.emplace(name, options.stop);
    if (file && !IsRegular() && !options.raw)
      piped_ = PeekDescriptor(file->pipe.get(), options.stop);
    packets_.emplace(!stream, IsRegular());
    if (options.raw) CheckRaw(*options.raw, options.max_pixels, name);
    DamageLog log;
    int result = OpenInput();
    if (!stream) CheckOpened(result, name);
    if (result >= 0) result = FindStreamInfo(format.get(), options.max_pixels);
    if (result >= 0 && TimedOut()) result = AVERROR_EXIT;
    if (result == AVERROR_EXIT && !Stopped())
      throw Error(name,
                  fmt::format("nothing came within {} s (is the sender running, and the address "
                              "right?)",
                              options.timeout_seconds));
    if (result < 0 && IsGif(piped_))
      throw Error(name, "is an animated GIF in a pipe (longer ones are read from files alone)");
    if (result < 0 && file && !IsRegular() && !options.raw && piped_.empty())
      throw Error(name, "is empty (a video is expected)");
    if (result < 0)
      throw Error(name, fmt::format("cannot be opened as {}: {}", stream ? "stream" : "video",
                                    av.Message(result)));
    const AVCodec* decoder = nullptr;
    index = av.av_find_best_stream(format.get(), AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
    if (index == AVERROR_DECODER_NOT_FOUND)
      throw Error(name, "FFmpeg has no decoder for its pictures");
    // The cover of a sound file is a picture, but does not move.
    if (index < 0 || (format->streams[index]->disposition & AV_DISPOSITION_ATTACHED_PIC))
      throw Error(name, "holds no moving picture");
    DiscardOthers(format.get(), index);
    const AVCodecParameters& picture = *format->streams[index]->codecpar;
    if (!IsDecoded(picture.codec_id))
      throw Error(name,
                  fmt::format("holds pictures of the codec {}, which is not decoded (H.264 and "
                              "others that docs/formats.md lists)",
                              av.avcodec_get_name(picture.codec_id)));
    CheckPictures(picture, options.max_pixels, name);
    codec = OpenDecoder(*decoder, *format->streams[index], options, name, stream);
    info_ = InfoOf(format.get(), index, stream);
    if (log.damage && !stream) OpenAgain();
  }

  int OpenInput() {
    const AVIOInterruptCB interrupt{Interrupted, this};
    if (stream) return OpenStream(format, name, interrupt);
    return OpenFile(format, file->address, interrupt, options.raw, options.current && !IsRegular());
  }

  // While FFmpeg analysed the streams, it read past damage. Reading again from the start without
  // analysis shows where the damage is.
  void OpenAgain() {
    passed_over_ = true;
    if (!IsRegular()) return;
    if (const int result = OpenInput(); result < 0)
      throw Error(name, "cannot be opened as video: " + av.Message(result));
    DiscardOthers(format.get(), index);
  }

  // Handles a frame (null at the end) after a seek. Returns true if it is the sought key frame.
  // Earlier frames are dropped, because they may depend on frames that were skipped. If the sought
  // frame does not come, seeking in this file is unreliable, and everything is decoded from the
  // start.
  bool IsLanding(const AVFrame* frame) {
    if (frame && frame->best_effort_timestamp < landing_->pts) return lacking_ = false;
    if (!frame || frame->best_effort_timestamp != landing_->pts) {
      Restart();
      return false;
    }
    delivered_ = landing_->index;
    last_pts_ = landing_->pts - 1;
    landing_.reset();
    return true;
  }

  void Restart() {
    landing_.reset();
    damage_.clear();
    passed_over_ = lacking_ = false;
    delivered_ = 0;
    format.reset();
    Open();
  }

  // Sends the next packet, or the end, to the decoder.
  void Feed() {
    if (AVPacket* const packet = packets_->Next(format.get(), index, options.stop))
      Send(packet);
    else if (packets_->end())
      EndInput(*packets_->end());
  }

  // FFmpeg's decoder would inflate the texts and the profile of a PNG to any size.
  void RemoveTexts(AVPacket& packet) const {
    const std::string_view png(reinterpret_cast<const char*>(packet.data),
                               static_cast<std::size_t>(packet.size));
    const std::string kept = PngWithoutTexts(png);
    if (kept.size() == png.size() || av.av_packet_make_writable(&packet) < 0) return;
    std::ranges::copy(kept, packet.data);
    av.av_shrink_packet(&packet, static_cast<int>(kept.size()));
  }

  void Send(AVPacket* data) {
    if (data && codec->codec_id == AV_CODEC_ID_PNG) RemoveTexts(*data);
    // FFmpeg 7 does not report missing codes of a GIF.
    const bool lacking = data && !stream && codec->codec_id == AV_CODEC_ID_GIF &&
                         !IsWholeGifPacket({reinterpret_cast<const char*>(data->data),
                                            static_cast<std::size_t>(data->size)});
    const int result = lacking ? AVERROR_INVALIDDATA
                               : Decode([&] { return av.avcodec_send_packet(codec.get(), data); });
    if (result >= 0 || result == AVERROR_EOF || stream) return;
    if (landing_) return Restart();
    // Frames that the decoder still holds may depend on the damaged picture.
    FailDamaged("its data are damaged: " + av.Message(result));
  }

  void EndInput(int error) {
    if (Stopped()) return;
    if (TimedOut() || error == AVERROR_EXIT)
      throw Error(name, fmt::format("no frame came within {} s", options.timeout_seconds));
    if (error == AVERROR_INVALIDDATA && packets_->count() == 0 && format->pb &&
        format->pb->seekable == 0 && std::string_view(format->iformat->name).starts_with("mov"))
      damage_ =
          "an MP4 in a pipe has to begin with its index (name the file, or make it with ffmpeg "
          "-movflags +faststart), or it is damaged";
    else if (error == AVERROR_INVALIDDATA)
      damage_ = "its data are cut off or damaged";
    else if (error != AVERROR_EOF)
      damage_ = av.Message(error);
    else if (!stream)
      damage_ = WrongEnd(*format, index, name, piped_, *packets_);
    if (damage_.empty() && passed_over_) damage_ = "its data are damaged";
    Send(nullptr);
  }

  // Calls FFmpeg and detects damage to pictures.
  template <class Call>
  int Decode(const Call& call) {
    const BlockingCall decoding;
    const DamageLog log;
    const int result = call();
    lacking_ |= log.damage;
    return result;
  }

  VideoFrame Deliver(FramePtr frame) {
    if (std::int64_t{frame->width} * frame->height > options.max_pixels)
      FailDamaged(
          fmt::format("it has {} x {} pixels, and the limit is {} pixels (`max_pixels` "
                      "takes a higher one)",
                      frame->width, frame->height, options.max_pixels));
    std::int64_t pts = frame->best_effort_timestamp;
    if (pts == AV_NOPTS_VALUE) pts = delivered_ == 0 ? 0 : last_pts_ + FrameDuration();
    pts = std::clamp(pts, -kMaxTime, kMaxTime);
    if (delivered_ == 0) first_pts_ = pts;
    if (delivered_ > 0) pts = std::max(pts, last_pts_ + 1);
    last_pts_ = pts;
    std::int64_t duration = Ffmpeg::DurationOf(*frame);
    // FFmpeg does not tell the durations of an MP4 whose pictures are decoded in another order than
    // they are shown. The last one ends with the video.
    if (duration == 0 && delivered_ + 1 == format->streams[index]->nb_frames)
      duration = EndOf(*format, index) - pts;
    VideoFrame result = WrapFrame(std::move(frame), {info_.rotation, info_.mirrored});
    result.pts = pts;
    result.duration = std::clamp<std::int64_t>(duration, 0, kMaxTime);
    result.seconds = static_cast<double>(pts - first_pts_) * info_.time_base.Value();
    result.index = delivered_++;
    return result;
  }

  // At the container's rate, in the time base of the stream; 1 if the rate is not known.
  std::int64_t FrameDuration() const {
    if (info_.rate.num <= 0) return 1;
    return std::max<std::int64_t>(
        1, av.av_rescale_q(1, {info_.rate.den, info_.rate.num}, format->streams[index]->time_base));
  }
  bool Stopped() const { return options.stop && options.stop->load(); }
  void RestartClock() { deadline = Clock::now() + ClockDuration(options.timeout_seconds); }
  bool IsRegular() const { return file && file->pipe.get() < 0; }
  bool TimedOut() const { return stream && Clock::now() >= deadline; }
  static int Interrupted(void* state) {
    return static_cast<FfmpegVideo*>(state)->Stopped() ||
           static_cast<FfmpegVideo*>(state)->TimedOut();
  }

  [[noreturn]] void FailDamaged(const std::string& damage) {
    damage_ = damage;
    throw Error(name, fmt::format("stops at frame {}: {}", delivered_, damage_));
  }

  std::optional<VideoPackets> packets_;
  std::string piped_;         // the first bytes of a pipe
  std::string damage_;        // why the input ended early
  bool passed_over_ = false;  // there was damage at an unknown place
  bool lacking_ = false;      // the current picture of the decoder is damaged
  std::int64_t delivered_ = 0;
  std::int64_t first_pts_ = 0, last_pts_ = 0;
  std::optional<KeyFrame> landing_;  // the sought key frame, until it is decoded
};

}  // namespace

VideoReader::VideoReader(const std::string& path_or_url, const VideoOpenOptions& options) {
  // A name with a single colon, which FFmpeg would take for a protocol, is a file.
  const bool is_stream = options.addresses && path_or_url.find("://") != path_or_url.npos;
  if (!is_stream && IsolationOf(options.isolation).isolate == Isolate::kAll)
    source_ = OpenIsolatedVideo(path_or_url, options);
  else
    source_ = std::make_unique<FfmpegVideo>(path_or_url, is_stream, options);
}
VideoReader::~VideoReader() = default;
VideoReader::VideoReader(VideoReader&&) noexcept = default;
VideoReader& VideoReader::operator=(VideoReader&&) noexcept = default;

const VideoInfo& VideoReader::info() const { return source_->info(); }
std::optional<VideoFrame> VideoReader::Read() { return source_->Read(); }
void VideoReader::SkipTowards(const VideoTime& moment) { source_->SkipTowards(moment); }

void LoadFfmpeg() { Ffmpeg::Get(); }

}  // namespace skinmask
