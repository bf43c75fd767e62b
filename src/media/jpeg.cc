#include <fmt/format.h>
#include <turbojpeg.h>

#include <array>
#include <cstring>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <string>

#include "base/blocking_call.h"
#include "media/decoder_processes.h"
#include "media/file_bytes.h"
#include "media/image_codec.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"
#include "skinmask/media/video.h"

namespace skinmask {
namespace {

using TurboPtr = std::unique_ptr<void, decltype(&tjDestroy)>;

const unsigned char* Bytes(std::string_view s) {
  return reinterpret_cast<const unsigned char*>(s.data());
}

// Every scan costs a pass over the whole picture. Encoders write about 10 scans in a progressive
// JPEG, or about 20 if they optimise the scans; TurboJPEG's own limit is 500.
constexpr int kMaxScans = 64;

int CountScans(std::string_view jpeg) {
  int scans = 0;
  ForJpegSegments(jpeg, [&](std::uint8_t marker, std::string_view) {
    scans += marker == kJpegScan;
    return true;
  });
  return scans;
}

struct Header {
  int width = 0, height = 0, subsampling = 0, colorspace = 0;
};

// How often each chroma sample is repeated horizontally and vertically. There are no kernels for
// 4:1:1 and 4:4:0, because no camera writes them today; repetition keeps the value of every pixel
// the same.
cv::Size RepeatedChroma(const Header& header) {
  return {header.subsampling == TJSAMP_411 ? 2 : 1, header.subsampling == TJSAMP_440 ? 2 : 1};
}

// The layout of the planes after the repetition. A grey picture gets one row of chroma, which
// serves for all rows.
std::optional<VideoFrame::Layout> LayoutOf(const Header& header) {
  using Layout = VideoFrame::Layout;
  if (header.colorspace == TJCS_GRAY) return Layout::kI420;
  if (header.colorspace != TJCS_YCbCr) return std::nullopt;
  const int stored = header.subsampling;
  if (stored == TJSAMP_444 || stored == TJSAMP_440) return Layout::kI444;
  if (stored == TJSAMP_422 || stored == TJSAMP_411) return Layout::kI422;
  return stored == TJSAMP_420 ? std::optional(Layout::kI420) : std::nullopt;
}

// The size of a stored plane; a grey picture has one plane.
cv::Size PlaneSize(const Header& header, int plane) {
  return {tjPlaneWidth(plane, header.width, header.subsampling),
          tjPlaneHeight(plane, header.height, header.subsampling)};
}

// The frame with its planes one after the other in `buffer`.
VideoFrame FrameIn(Scratch& buffer, const Header& header, VideoFrame::Layout layout) {
  constexpr std::uint8_t kNoColor = 128;
  const bool grey = header.colorspace == TJCS_GRAY;
  VideoFrame frame;
  frame.layout = layout;
  frame.encoding = {YuvEncoding::Matrix::kBt601, YuvEncoding::Range::kFull};  // JFIF
  frame.size = {header.width, header.height};
  const cv::Size repeated = RepeatedChroma(header);
  std::array<std::size_t, 3> sizes{};
  for (int i = 0; i < (grey ? 1 : 3); ++i) {
    const auto p = static_cast<std::size_t>(i);
    const cv::Size size = PlaneSize(header, i);
    frame.strides[p] = size.width * (i > 0 ? repeated.width : 1);
    sizes[p] = static_cast<std::size_t>(frame.strides[p]) *
               static_cast<std::size_t>(size.height * (i > 0 ? repeated.height : 1));
  }
  const std::size_t chroma_row = grey ? static_cast<std::size_t>(header.width) / 2 + 1 : 0;
  std::uint8_t* const bytes = buffer.Get(sizes[0] + sizes[1] + sizes[2] + chroma_row);
  std::memset(bytes + sizes[0], kNoColor, chroma_row);
  frame.planes = {bytes, bytes + sizes[0], bytes + sizes[0] + sizes[1]};
  return frame;
}

// The decoder of this thread.
TurboPtr& Decoder() {
  thread_local TurboPtr decoder(tjInitDecompress(), tjDestroy);
  return decoder;
}

[[noreturn]] void FailJpeg(std::string_view subject) {
  const std::string reason = tjGetErrorStr2(Decoder().get());
  // After a truncated header TurboJPEG 2.1 stays in the middle of it, so the decoder is replaced.
  Decoder().reset(tjInitDecompress());
  throw Error(subject, "is a damaged JPEG: " + reason + " (a whole file)");
}

Header ReadHeader(std::string_view jpeg, std::string_view subject) {
  Header header;
  if (tjDecompressHeader3(Decoder().get(), Bytes(jpeg), jpeg.size(), &header.width, &header.height,
                          &header.subsampling, &header.colorspace) != 0)
    FailJpeg(subject);
  return header;
}

VideoFrame DecodeToPlanes(std::string_view jpeg, std::string_view subject, const Header& header,
                          VideoFrame::Layout layout, Scratch& buffer) {
  VideoFrame frame = FrameIn(buffer, header, layout);
  const cv::Size repeated = RepeatedChroma(header);
  std::array<cv::Mat, 3> stored;
  std::uint8_t* planes[3];
  int strides[3];
  for (int i = 0; i < 3; ++i) {
    const auto p = static_cast<std::size_t>(i);
    planes[i] = const_cast<std::uint8_t*>(frame.planes[p]);
    strides[i] = static_cast<int>(frame.strides[p]);
    if (i == 0 || repeated.area() == 1) continue;
    stored[p].create(PlaneSize(header, i), CV_8UC1);
    planes[i] = stored[p].data;
    strides[i] = stored[p].cols;
  }
  if (tjDecompressToYUVPlanes(Decoder().get(), Bytes(jpeg), jpeg.size(), planes, header.width,
                              strides, header.height,
                              TJFLAG_LIMITSCANS | TJFLAG_STOPONWARNING) != 0)
    FailJpeg(subject);
  for (std::size_t p = 1; p < 3 && repeated.area() > 1; ++p)
    cv::resize(stored[p],
               cv::Mat(stored[p].rows * repeated.height, stored[p].cols * repeated.width, CV_8UC1,
                       const_cast<std::uint8_t*>(frame.planes[p])),
               {}, repeated.width, repeated.height, cv::INTER_NEAREST);
  const Orientation orientation = ExifOrientation(jpeg);
  frame.rotation = orientation.rotation;
  frame.mirrored = orientation.mirrored;
  return frame;
}

}  // namespace

bool IsJpeg(std::string_view bytes) { return bytes.starts_with("\xFF\xD8\xFF"); }

ImageHeader JpegHeader(std::string_view jpeg, std::string_view subject) {
  const Header header = ReadHeader(jpeg, subject);
  if (const int scans = CountScans(jpeg); scans > kMaxScans)
    throw Error(subject, fmt::format("is a JPEG of {} scans (one of at most {}; encoders write "
                                     "some 10)",
                                     scans, kMaxScans));
  return {.size = {header.width, header.height}, .exif = jpeg};
}

StoredImage DecodeJpeg(std::string_view jpeg, std::string_view subject, const ImageHeader& checked,
                       const DecodeOptions& options) {
  const Header header = ReadHeader(jpeg, subject);
  const bool cmyk = header.colorspace == TJCS_CMYK || header.colorspace == TJCS_YCCK;
  const bool grey = header.colorspace == TJCS_GRAY && options.keep_grey;
  cv::Mat image =
      Allocate(Scaled(header.height, options.scale), Scaled(header.width, options.scale),
               cmyk   ? CV_8UC4
               : grey ? CV_8UC1
                      : CV_8UC3,
               options.buffer);
  if (options.lenient) image.setTo(0);  // where the decoder fails, pixels must not show old memory
  const int format = cmyk ? TJPF_CMYK : grey ? TJPF_GRAY : TJPF_BGR;
  // Warnings of libjpeg (truncated data, bad codes, stray bytes after lost synchronisation) mean
  // invented pixels.
  if (tjDecompress2(Decoder().get(), Bytes(jpeg), jpeg.size(), image.data, image.cols,
                    static_cast<int>(image.step), image.rows, format,
                    TJFLAG_LIMITSCANS | (options.lenient ? 0 : TJFLAG_STOPONWARNING)) != 0 &&
      !(options.lenient && tjGetErrorCode(Decoder().get()) == TJERR_WARNING))
    FailJpeg(subject);
  if (!cmyk) return {.pixels = image, .scaled = true};
  // The file is complete as far as TurboJPEG can tell. OpenCV converts it to BGR.
  if (options.take) options.take(std::int64_t{header.width} * header.height);
  return DecodeInImgcodecs(jpeg, subject, checked, options);
}

std::optional<VideoFrame> DecodeJpegPlanes(std::string_view bytes, std::string_view subject,
                                           const DecodeOptions& options, Scratch& planes) {
  if (IsolationOf(options.isolation).isolate == Isolate::kAll)
    return std::nullopt;  // TurboJPEG runs in this process
  if (!IsJpeg(bytes) || !IsTakenAsSrgb(ReadTags(bytes).icc)) return std::nullopt;
  const BlockingCall decoding;
  const ImageHeader checked = JpegHeader(bytes, subject);
  CheckSize(checked.size, options.max_pixels, subject);  // also for files without such planes
  const Header header = ReadHeader(bytes, subject);
  const std::optional<VideoFrame::Layout> layout = LayoutOf(header);
  if (!layout) return std::nullopt;
  CheckHeader(checked, subject, options);
  return DecodeToPlanes(bytes, subject, header, *layout, planes);
}

std::string EncodeJpeg(const cv::Mat& image, int quality) {
  RequireType(image, {CV_8UC1, CV_8UC3}, "image");
  RequireQuality(quality);
  const TurboPtr encoder(tjInitCompress(), tjDestroy);
  const bool grey = image.channels() == 1;
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const int status = tjCompress2(
      encoder.get(), image.data, image.cols, static_cast<int>(image.step), image.rows,
      grey ? TJPF_GRAY : TJPF_BGR, &bytes, &size, grey ? TJSAMP_GRAY : TJSAMP_420, quality, 0);
  const std::unique_ptr<unsigned char, decltype(&tjFree)> owner(bytes, tjFree);
  if (status != 0)
    throw Error("JPEG", std::string("cannot be made: ") + tjGetErrorStr2(encoder.get()));
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

}  // namespace skinmask
