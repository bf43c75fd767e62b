#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "media/picture_type.h"
#include "media/video_frame.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"

namespace skinmask {
namespace {

AVRational AvOf(Rational r) { return {r.num, r.den}; }

bool IsSubsampled(AVPixelFormat format) {
  const AVPixFmtDescriptor* const d = Ffmpeg::Get().av_pix_fmt_desc_get(format);
  return d->log2_chroma_w > 0 || d->log2_chroma_h > 0;
}

// What an encoder gets for pictures of `source`: a lossless one as much as it can take, any other
// the pixels that players take.
AVPixelFormat FormatFor(const AVCodec& encoder, AVPixelFormat source) {
  const Ffmpeg& av = Ffmpeg::Get();
  if (encoder.id == AV_CODEC_ID_WRAPPED_AVFRAME)  // that is, YUV4MPEG
    return source == AV_PIX_FMT_GRAY8 ? source : AV_PIX_FMT_YUV420P;
  if (!encoder.pix_fmts) return source;
  const AVCodecDescriptor* const codec = av.avcodec_descriptor_get(encoder.id);
  const bool lossless =
      codec && (codec->props & AV_CODEC_PROP_LOSSLESS) && !(codec->props & AV_CODEC_PROP_LOSSY);
  if (!lossless)
    for (const AVPixelFormat* f = encoder.pix_fmts; *f != AV_PIX_FMT_NONE; ++f)
      if (*f == AV_PIX_FMT_YUV420P || *f == AV_PIX_FMT_YUVJ420P) return *f;
  return av.avcodec_find_best_pix_fmt_of_list(encoder.pix_fmts, source, 0, nullptr);
}

std::string CodecFor(const AVOutputFormat& container) {
  const std::string_view name = container.name;
  if (name == "matroska") return "ffv1";
  if (name == "yuv4mpegpipe") return "wrapped_avframe";
  return name == "rawvideo" ? "rawvideo" : "libx264";
}

// What the encoder writes of its colours: BT.709, full range where its pixels have that.
void TagColors(AVCodecContext& codec) {
  if (Ffmpeg::Get().av_pix_fmt_desc_get(codec.pix_fmt)->flags & AV_PIX_FMT_FLAG_RGB) return;
  const bool full = codec.pix_fmt == AV_PIX_FMT_YUVJ420P || codec.pix_fmt == AV_PIX_FMT_GRAY8;
  codec.color_range = full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  codec.colorspace = AVCOL_SPC_BT709;
  codec.color_primaries = AVCOL_PRI_BT709;
  codec.color_trc = AVCOL_TRC_BT709;
}

// How many pictures a finished file holds, by its packets.
std::int64_t CountPictures(const std::string& path) {
  const Ffmpeg& av = Ffmpeg::Get();
  AVFormatContext* format = nullptr;
  if (av.avformat_open_input(&format, ("file:" + path).c_str(), nullptr, nullptr) < 0) return 0;
  const int index = av.av_find_best_stream(format, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  std::int64_t count = 0;
  for (PacketPtr packet(av.av_packet_alloc()); av.av_read_frame(format, packet.get()) >= 0;
       av.av_packet_unref(packet.get()))
    count += packet->stream_index == index;
  av.avformat_close_input(&format);
  return count;
}

}  // namespace

struct VideoWriter::State {
  State(const std::filesystem::path& path, cv::Size size, int type,
        const VideoWriteOptions& options);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void Write(const cv::Mat& frame, std::int64_t pts);
  void Finish();

  const Ffmpeg& av;
  const std::filesystem::path path;
  PartFile part;
  const cv::Size size;
  const AVPixelFormat source;
  AVFormatContext* format = nullptr;
  AVStream* stream = nullptr;
  CodecPtr codec;
  FramePtr picture;
  PacketPtr packet;
  ScalerPtr scaler;  // null where the encoder takes the pixels as they are
  cv::Mat padded;    // a copy of each picture, for the scaler
  std::int64_t frames = 0;
  bool untimed = false;  // the container knows a rate, and no times of frames

 private:
  void OpenEncoder(const VideoWriteOptions& options);
  void OpenFile();
  void FillPicture(const cv::Mat& frame);
  void Encode(const AVFrame* frame);
  [[noreturn]] void Fail(const std::string& what, int error) const {
    throw Error(path.string(), what + ": " + av.Message(error));
  }
};

VideoWriter::State::State(const std::filesystem::path& destination, cv::Size frame_size, int type,
                          const VideoWriteOptions& options)
    : av(Ffmpeg::Get()),
      path(destination),
      part(destination),
      size(frame_size),
      source(type == CV_8UC1 ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_BGR24) {
  if (type != CV_8UC1 && type != CV_8UC3)
    throw Error(destination.string(), "takes frames of CV_8UC1 or CV_8UC3");
  const std::string& container = options.container;
  av.avformat_alloc_output_context2(
      &format, nullptr, container.empty() ? nullptr : container.c_str(), destination.c_str());
  if (!format)
    throw Error(destination.string(), "has no extension of a kind of video (.mkv or .mp4, say)");
  const std::string_view name = format->oformat->name;
  untimed = name == "yuv4mpegpipe" || name == "rawvideo";
  try {
    OpenEncoder(options);
    OpenFile();
  } catch (...) {
    if (format->pb) av.avio_closep(&format->pb);
    av.avformat_free_context(format);
    throw;
  }
  packet.reset(av.av_packet_alloc());
}

VideoWriter::State::~State() {
  if (format->pb) av.avio_closep(&format->pb);
  av.avformat_free_context(format);
}

void VideoWriter::State::OpenEncoder(const VideoWriteOptions& options) {
  const std::string name = !options.codec.empty() ? options.codec : CodecFor(*format->oformat);
  const AVCodec* const encoder = av.avcodec_find_encoder_by_name(name.c_str());
  if (!encoder || encoder->type != AVMEDIA_TYPE_VIDEO)
    throw Error(name, "is no video encoder that FFmpeg has here (ffmpeg -encoders lists them)");
  codec.reset(av.avcodec_alloc_context3(encoder));
  codec->pix_fmt = FormatFor(*encoder, source);
  const int unit = IsSubsampled(codec->pix_fmt) ? 2 : 1;
  codec->width = (size.width + unit - 1) / unit * unit;
  codec->height = (size.height + unit - 1) / unit * unit;
  codec->framerate = AvOf(options.rate);
  codec->time_base = options.time_base.num > 0 && !untimed
                         ? AvOf(options.time_base)
                         : AVRational{options.rate.den, options.rate.num};
  codec->sample_aspect_ratio = AvOf(options.pixel_aspect);
  TagColors(*codec);
  codec->thread_count = 0;
  codec->flags |= AV_CODEC_FLAG_BITEXACT;  // no names of libraries,
  format->flags |= AVFMT_FLAG_BITEXACT;    // and no random numbers as names of tracks
  if (format->oformat->flags & AVFMT_GLOBALHEADER) codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  if (name == "libx264") {
    av.av_opt_set(codec->priv_data, "preset", options.live ? "ultrafast" : "veryfast", 0);
    av.av_opt_set(codec->priv_data, "crf", "18", 0);
  } else if (name == "ffv1") {
    codec->level = 3;  // slices, each with a checksum
    // Players can jump to each second. (Every frame a key would be an entry each in the index.)
    codec->gop_size = std::max(1, static_cast<int>(std::lround(options.rate.Value())));
  }
  if (const int result = av.avcodec_open2(codec.get(), encoder, nullptr); result < 0)
    Fail(fmt::format("the encoder {} does not take {} x {} pixels at {}/{} frames a second", name,
                     size.width, size.height, options.rate.num, options.rate.den),
         result);
  if (codec->pix_fmt != source)
    scaler = MakeScaler({codec->width, codec->height}, source, codec->pix_fmt, SWS_CS_ITU709,
                        codec->pix_fmt == AV_PIX_FMT_YUVJ420P, SWS_BICUBIC | SWS_ACCURATE_RND);
}

void VideoWriter::State::OpenFile() {
  stream = av.avformat_new_stream(format, nullptr);
  av.avcodec_parameters_from_context(stream->codecpar, codec.get());
  stream->time_base = codec->time_base;
  stream->avg_frame_rate = codec->framerate;
  stream->sample_aspect_ratio = codec->sample_aspect_ratio;
  const bool standard_output = path == kStandardOutput;
  int result = av.avio_open(&format->pb,
                            standard_output ? "pipe:1" : ("file:" + part.path().string()).c_str(),
                            AVIO_FLAG_WRITE);
  if (result < 0) Fail("cannot be written", result);
  result = av.avformat_write_header(format, nullptr);
  if (result < 0)
    Fail(fmt::format("files of this kind do not take {}", av.avcodec_get_name(codec->codec_id)),
         result);
}

void VideoWriter::State::FillPicture(const cv::Mat& frame) {
  if (!picture) {
    picture.reset(av.av_frame_alloc());
    picture->format = codec->pix_fmt;
    picture->width = codec->width;
    picture->height = codec->height;
    picture->color_range = codec->color_range;
    picture->colorspace = codec->colorspace;
    av.av_frame_get_buffer(picture.get(), 0);
  }
  av.av_frame_make_writable(picture.get());
  cv::Mat pixels = frame;
  const cv::Size coded(codec->width, codec->height);
  if (scaler || coded != size) {
    // swscale reads some bytes beyond the last row, and what they are shows in the last pixels: in
    // a matrix of our own they are the same on every run.
    if (padded.empty())
      padded = cv::Mat::zeros(coded.height, coded.width + kPaddingPixels, frame.type());
    frame.copyTo(padded(cv::Rect({0, 0}, size)));
    if (coded.width > size.width) padded.col(size.width - 1).copyTo(padded.col(size.width));
    if (coded.height > size.height) padded.row(size.height - 1).copyTo(padded.row(size.height));
    pixels = padded(cv::Rect({0, 0}, coded));
  }
  if (!scaler) {
    cv::Mat to(coded, frame.type(), picture->data[0],
               static_cast<std::size_t>(picture->linesize[0]));
    pixels.copyTo(to);
    return;
  }
  const std::uint8_t* const from[4] = {pixels.data};
  const int from_stride[4] = {static_cast<int>(pixels.step)};
  av.sws_scale(scaler.get(), from, from_stride, 0, coded.height, picture->data, picture->linesize);
}

void VideoWriter::State::Write(const cv::Mat& frame, std::int64_t pts) {
  RequireType(frame, source == AV_PIX_FMT_GRAY8 ? CV_8UC1 : CV_8UC3, "frame");
  if (frame.size() != size)
    throw Error(path.string(), fmt::format("a frame of {} x {} cannot follow ones of {} x {}",
                                           frame.cols, frame.rows, size.width, size.height));
  FillPicture(frame);
  picture->pts = untimed ? frames : pts;
  Encode(picture.get());
  ++frames;
}

// Encodes a frame, or null for the end, and writes what comes out.
void VideoWriter::State::Encode(const AVFrame* frame) {
  int result = av.avcodec_send_frame(codec.get(), frame);
  while (result >= 0) {
    result = av.avcodec_receive_packet(codec.get(), packet.get());
    if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return;
    if (result < 0) break;
    if (packet->duration == 0)
      packet->duration =
          av.av_rescale_q(1, {codec->framerate.den, codec->framerate.num}, codec->time_base);
    av.av_packet_rescale_ts(packet.get(), codec->time_base, stream->time_base);
    packet->stream_index = 0;
    result = av.av_interleaved_write_frame(format, packet.get());
  }
  Fail("cannot be written", result);
}

void VideoWriter::State::Finish() {
  Encode(nullptr);
  int result = av.av_write_trailer(format);
  const int closed = av.avio_closep(&format->pb);
  if (result >= 0) result = closed;
  if (result < 0) Fail("cannot be written", result);
  if (part.path() != path) {  // else it went down a pipe
    if (const std::int64_t found = CountPictures(part.path()); found != frames)
      throw Error(path.string(),
                  fmt::format("{} frames were written and {} read back", frames, found));
  }
  part.Rename();
}

VideoWriter::VideoWriter(const std::filesystem::path& path, cv::Size size, int type,
                         const VideoWriteOptions& options)
    : state_(std::make_unique<State>(path, size, type, options)) {}
VideoWriter::~VideoWriter() = default;
VideoWriter::VideoWriter(VideoWriter&&) noexcept = default;
VideoWriter& VideoWriter::operator=(VideoWriter&&) noexcept = default;

void VideoWriter::Write(const cv::Mat& frame, std::int64_t pts) { state_->Write(frame, pts); }
std::int64_t VideoWriter::frames() const { return state_->frames; }
void VideoWriter::Finish() { state_->Finish(); }

}  // namespace skinmask
