#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/blocking_call.h"
#include "base/parse.h"
#include "base/stream.h"
#include "media/picture_type.h"
#include "media/video_frame.h"
#include "media/video_input.h"
#include "media/video_output.h"
#include "media/video_packets.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"

namespace skinmask {
namespace {

// FFmpeg's pixel format for a cv::Mat's type.
AVPixelFormat FormatOf(int type) {
  return type == CV_8UC1    ? AV_PIX_FMT_GRAY8
         : type == CV_16UC1 ? AV_PIX_FMT_GRAY16
         : type == CV_8UC3  ? AV_PIX_FMT_BGR24
         : type == CV_8UC4  ? AV_PIX_FMT_BGRA
                            : AV_PIX_FMT_NONE;
}

}  // namespace

struct VideoWriter::State {
  State(const std::filesystem::path& destination, cv::Size frame_size, int frame_type,
        const VideoWriteOptions& options)
      : path(destination),
        unfinished(destination),
        size(frame_size),
        type(frame_type),
        source(FormatOf(frame_type)),
        if_exists(options.if_exists) {
    if (source == AV_PIX_FMT_NONE)
      throw Error(destination.string(), "takes frames of CV_8UC1, 16UC1, 8UC3 or 8UC4");
    // FFmpeg writes MOV, but not by this name.
    std::string container = options.container;
    if (container.empty() && LowerCase(destination.extension().string()) == ".qt")
      container = "mov";
    AVFormatContext* made = nullptr;
    av.avformat_alloc_output_context2(
        &made, nullptr, container.empty() ? nullptr : container.c_str(), destination.c_str());
    format.reset(made);
    // Formats with AVFMT_NOFILE write single pictures, or nothing.
    if (!format || format->oformat->flags & AVFMT_NOFILE)
      throw Error(destination.string(), "has no extension of a kind of video (.mkv or .mp4, say)");
    packet.reset(av.av_packet_alloc());
    try {
      Open(options);
    } catch (...) {
      Drain();  // an object whose constructor throws has no destructor
      throw;
    }
  }

  ~State() { Drain(); }

  void Write(const cv::Mat& frame, std::int64_t pts, std::int64_t duration) {
    RequireUnfinished();
    RequirePicture(frame, type, size, "frame");
    if (frames > 0 && pts <= last_given)
      throw Error(path.string(),
                  fmt::format("a frame at time {} cannot follow one at {} (times increase)", pts,
                              last_given));
    // MP4 does not show what is before 0, so that such a video begins at 0 in every container.
    if (frames == 0) first_given = pts;
    const bool is_time = pts >= -kMaxTime && pts <= kMaxTime;
    const std::int64_t time =
        is_time
            ? av.av_rescale_q(pts - std::min<std::int64_t>(first_given, 0), unit, codec->time_base)
            : -1;
    if (time < 0 || time > kMaxTime)
      throw Error(path.string(), fmt::format("a frame at time {} is out of range", pts));
    last_given = pts;
    loses_times |= StoresNoTimes(*format->oformat) &&
                   av.av_rescale_q(pts - first_given, unit, av_inv_q(codec->framerate)) != frames;
    FillPicture(frame);
    picture->pts = frames == 0 ? time : std::max(time, last_pts + 1);
    last_pts = picture->pts;
    last_duration = FrameDuration();
    // AVI counts durations as frames.
    if (duration > 0 && format->oformat->name != std::string_view("avi"))
      last_duration = std::clamp<std::int64_t>(av.av_rescale_q(duration, unit, codec->time_base), 1,
                                               kMaxDuration);
    Encode(picture.get());
    ++frames;
  }

  void Finish() {
    RequireUnfinished();
    if (frames == 0) throw Error(path.string(), "has no frame to write (Write gives it one)");
    finished = true;
    Encode(nullptr);
    const std::optional<BlockingCall> writing = ToPipe();
    int result =
        sound ? sound->WriteUntil(SecondsOf(last_pts + last_duration, codec->time_base)) : 0;
    if (result >= 0) result = av.av_write_trailer(format.get());
    const int closed = av.avio_closep(&format->pb);
    if (result >= 0) result = closed;
    if (result < 0) FailWriting(result);
    if (unfinished.path() != path) {  // a regular file, not a pipe
      if (const std::int64_t found = CountPictures(unfinished.path()); found != frames)
        throw WriteError(
            path.string(),
            fmt::format("{} frames were written and {} read back (some encoders, as Theora's, drop "
                        "pictures that do not change, and some containers those after a gap of an "
                        "hour; ffv1 in .mkv keeps all)",
                        frames, found));
    }
    unfinished.Rename(if_exists);
  }

  const Ffmpeg& av = Ffmpeg::Get();
  const std::filesystem::path path;
  UnfinishedFile unfinished;
  const cv::Size size;
  const int type;
  const AVPixelFormat source;
  const IfExists if_exists;
  OutputPtr format;
  AVStream* stream = nullptr;
  CodecPtr codec;
  FramePtr picture;
  PacketPtr packet;
  ScalerPtr scaler;  // null if the encoder takes the pixels as they are
  cv::Mat padded;    // a copy of each picture, for the scaler
  std::optional<SoundCopy> sound;
  std::int64_t frames = 0;
  bool finished = false;                         // Finish was called
  AVRational unit = {};                          // time base of the timestamps given to Write
  std::int64_t first_given = 0, last_given = 0;  // the first and last of these
  bool loses_times = false;                      // of frames that are not evenly spaced
  std::int64_t last_pts = 0, last_duration = 0;  // in the encoder's time base
  static constexpr std::int64_t kMaxDuration = 1LL << 60;  // so that sums do not overflow

 private:
  void RequireUnfinished() const {
    if (finished) throw Error(path.string(), "is finished already (Finish once, after all frames)");
  }

  void Open(const VideoWriteOptions& given) {
    VideoWriteOptions options = given;
    if (options.codec.empty()) options.codec = CodecFor(*format->oformat);
    unit = options.time_base.num > 0 ? AvOf(options.time_base)
                                     : AVRational{options.rate.den, options.rate.num};
    if (CountsFrames(format->oformat->name, options.codec)) options.time_base = {0, 1};
    try {
      codec = OpenEncoder(options.codec, size, source, options, *format->oformat);
    } catch (const Error& e) {
      throw WriteError(path.string(), e.what());
    }
    if (codec->pix_fmt != source)
      scaler = MakeScaler({codec->width, codec->height}, source, true, codec->pix_fmt,
                          codec->pix_fmt == AV_PIX_FMT_YUVJ420P,
                          codec->colorspace == AVCOL_SPC_BT709 ? SWS_CS_ITU709 : SWS_CS_ITU601,
                          SWS_BICUBIC | SWS_ACCURATE_RND);
    // A codec without a tag in the container would be read back as something else (for example HEVC
    // in AVI), and Matroska does not store the depth that readers of qtrle need.
    const std::string_view container = format->oformat->name;
    const bool in_matroska = container == "matroska" || container == "webm";
    const bool lacks_depth = codec->codec_id == AV_CODEC_ID_QTRLE && container == "matroska";
    // AVI and QuickTime read them back as colours.
    if (codec->codec_id == AV_CODEC_ID_RAWVIDEO && source == AV_PIX_FMT_GRAY16 &&
        (container == "avi" || container == "mov"))
      throw Error(path.string(), "holds no uncompressed grey of 16 bits (ffv1 in .mkv does)");
    // Their transparency is stored beside the pictures.
    const bool is_vpx = codec->codec_id == AV_CODEC_ID_VP8 || codec->codec_id == AV_CODEC_ID_VP9;
    if (is_vpx && source == AV_PIX_FMT_BGRA && !in_matroska)
      throw Error(path.string(), "holds no transparency of VP8 and VP9 (.webm and .mkv do)");
    // The muxer takes any packets, which nobody could tell apart.
    const bool is_compressed = container == "rawvideo" && codec->codec_id != AV_CODEC_ID_RAWVIDEO;
    if (lacks_depth || is_compressed ||
        av.avformat_query_codec(format->oformat, codec->codec_id, FF_COMPLIANCE_EXPERIMENTAL) == 0)
      Refuse(AVERROR(EINVAL));
    format->flags |= AVFMT_FLAG_BITEXACT;  // no random numbers as names of tracks
    stream = av.avformat_new_stream(format.get(), nullptr);
    av.avcodec_parameters_from_context(stream->codecpar, codec.get());
    stream->time_base = codec->time_base;
    stream->avg_frame_rate = codec->framerate;
    stream->sample_aspect_ratio = codec->sample_aspect_ratio;
    if (options.sound) sound.emplace(*options.sound, format.get());
    // Encoded sound begins before the first picture, by what its encoder adds. Matroska's muxer
    // would delay all streams by that.
    if (sound && in_matroska) format->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
    OpenFile();
  }

  void OpenFile() {
    const std::optional<BlockingCall> waiting = ToPipe();  // opening a pipe waits for its reader
    const std::string to =
        path == kStandardOutput ? "pipe:1" : "file:" + unfinished.path().string();
    int result = av.avio_open2(&format->pb, to.c_str(), AVIO_FLAG_WRITE, nullptr, nullptr);
    if (result < 0) FailWriting(result);
    result = av.avformat_write_header(format.get(), nullptr);
    if (result < 0) Refuse(result);
  }

  // Sends one frame to an encoder that got none, because otherwise SVT-AV1 waits for one for ever
  // when it is closed, or does not free its memory.
  void Drain() {
    if (!codec || frames > 0 || finished) return;
    FillPicture(cv::Mat::zeros(size, type));
    picture->pts = 0;
    int result = av.avcodec_send_frame(codec.get(), picture.get());
    if (result >= 0) result = av.avcodec_send_frame(codec.get(), nullptr);
    while (result >= 0) result = av.avcodec_receive_packet(codec.get(), packet.get());
  }

  [[noreturn]] void Refuse(int error) {
    const std::string rate = stream ? fmt::format(" at {}/{} frames a second", codec->framerate.num,
                                                  codec->framerate.den)
                                    : "";
    throw Error(path.string(), fmt::format("files of this kind do not take {}{}{}: {}",
                                           av.avcodec_get_name(codec->codec_id),
                                           sound ? fmt::format(" and {}", sound->codec_name()) : "",
                                           rate, av.Message(error)));
  }

  void FillPicture(const cv::Mat& frame) {
    if (!picture) {
      picture.reset(av.av_frame_alloc());
      picture->format = codec->pix_fmt;
      picture->width = codec->width;
      picture->height = codec->height;
      picture->color_range = codec->color_range;
      picture->colorspace = codec->colorspace;
      picture->quality = codec->global_quality;  // a quantizer is taken from each picture
      av.av_frame_get_buffer(picture.get(), 0);
    }
    av.av_frame_make_writable(picture.get());
    cv::Mat pixels = frame;
    const cv::Size coded(codec->width, codec->height);
    if (scaler || coded != size) {
      // swscale reads some bytes past the last row, and they affect the last pixels. A matrix of
      // our own makes these bytes the same on every run.
      if (padded.empty())
        padded = cv::Mat::zeros(coded.height, coded.width + kPaddingPixels, frame.type());
      frame.copyTo(padded(cv::Rect({0, 0}, size)));
      if (coded.width > size.width) padded.col(size.width - 1).copyTo(padded.col(size.width));
      if (coded.height > size.height) padded.row(size.height - 1).copyTo(padded.row(size.height));
      pixels = padded(cv::Rect({0, 0}, coded));
    }
    if (!scaler)
      return pixels.copyTo(cv::Mat(coded, frame.type(), picture->data[0],
                                   static_cast<std::size_t>(picture->linesize[0])));
    const std::uint8_t* const from[4] = {pixels.data};
    const int from_stride[4] = {static_cast<int>(pixels.step)};
    av.sws_scale(scaler.get(), from, from_stride, 0, coded.height, picture->data,
                 picture->linesize);
  }

  // For a pipe, whose reader may never read.
  std::optional<BlockingCall> ToPipe() const {
    return unfinished.path() == path ? std::optional<BlockingCall>(std::in_place) : std::nullopt;
  }

  // Encodes a frame (null: the end) and writes the resulting packets.
  void Encode(const AVFrame* frame) {
    const std::optional<BlockingCall> writing = ToPipe();
    if (const int sent = av.avcodec_send_frame(codec.get(), frame); sent < 0) FailWriting(sent);
    PacketPtr last(av.av_packet_alloc());  // at the end: the one that may be the last to be decoded
    for (;;) {
      const int result = av.avcodec_receive_packet(codec.get(), packet.get());
      if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) break;
      if (result < 0) FailWriting(result);
      if (packet->pts == last_pts)
        packet->duration = last_duration;
      else if (packet->duration == 0)
        packet->duration = FrameDuration();
      if (!frame) packet.swap(last);
      if (packet->data) WritePacket();
    }
    if (!last->data) return;
    // MP4 takes the end of the video from the packet that is decoded last, which may be shown
    // before others.
    if (last_duration > FrameDuration()) last->duration = last_pts + last_duration - last->pts;
    packet.swap(last);
    WritePacket();
  }

  void WritePacket() {
    av.av_packet_rescale_ts(packet.get(), codec->time_base, stream->time_base);
    packet->duration = std::min<std::int64_t>(packet->duration, INT32_MAX);  // the most of MP4
    packet->stream_index = 0;
    int result = sound ? sound->WriteUntil(SecondsOf(packet->dts, stream->time_base)) : 0;
    if (result >= 0) result = av.av_interleaved_write_frame(format.get(), packet.get());
    if (result < 0) FailWriting(result);
  }

  // In the encoder's time base.
  std::int64_t FrameDuration() const {
    return av.av_rescale_q(1, {codec->framerate.den, codec->framerate.num}, codec->time_base);
  }
  [[noreturn]] void FailWriting(int error) const {
    throw WriteError(path.string(), "cannot be written: " + av.Message(error));
  }
};

VideoWriter::VideoWriter(const std::filesystem::path& path, cv::Size size, int type,
                         const VideoWriteOptions& options)
    : state_(std::make_unique<State>(path, size, type, options)) {}
VideoWriter::~VideoWriter() = default;
VideoWriter::VideoWriter(VideoWriter&&) noexcept = default;
VideoWriter& VideoWriter::operator=(VideoWriter&&) noexcept = default;

void VideoWriter::Write(const cv::Mat& frame, std::int64_t pts, std::int64_t duration) {
  state_->Write(frame, pts, duration);
}
std::int64_t VideoWriter::frames() const { return state_->frames; }
std::uintmax_t VideoWriter::bytes() const {
  const std::int64_t bytes = state_->format->pb ? state_->av.avio_size(state_->format->pb) : 0;
  return static_cast<std::uintmax_t>(std::max<std::int64_t>(bytes, 0));
}
std::string VideoWriter::sound_problem() const {
  return state_->sound ? state_->sound->problem() : std::string();
}
bool VideoWriter::loses_times() const { return state_->loses_times; }
void VideoWriter::Finish() { state_->Finish(); }

}  // namespace skinmask
