#include "media/video_frame.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

struct ScalerInput {
  AVPixelFormat format;
  int matrix;  // SWS_CS_...
  bool full_range;
  cv::Size size;
  bool operator==(const ScalerInput&) const = default;
};

// Grey, with or without alpha.
bool IsGrey(int format) {
  const AVPixFmtDescriptor* const described =
      Ffmpeg::Get().av_pix_fmt_desc_get(static_cast<AVPixelFormat>(format));
  constexpr std::uint64_t kOther = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_HWACCEL |
                                   AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_BITSTREAM;
  return described && described->nb_components <= 2 && !(described->flags & kOther);
}

// As swscale does, grey counts as full unless the file states a limited range.
bool IsFull(const AVFrame& frame) {
  constexpr std::array kFull = {AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P,
                                AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ411P};
  return frame.color_range == AVCOL_RANGE_JPEG ||
         std::ranges::find(kFull, frame.format) != kFull.end() ||
         (frame.color_range != AVCOL_RANGE_MPEG && IsGrey(frame.format));
}

// FFmpeg's pixel formats of the layouts, and separate formats of full range, if there are any.
struct LayoutName {
  VideoFrame::Layout layout;
  AVPixelFormat format, full_range = AV_PIX_FMT_NONE;
};
constexpr LayoutName kLayouts[] = {
    {VideoFrame::Layout::kBgr, AV_PIX_FMT_BGR24},
    {VideoFrame::Layout::kI420, AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P},
    {VideoFrame::Layout::kI422, AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUVJ422P},
    {VideoFrame::Layout::kNv12, AV_PIX_FMT_NV12},
    {VideoFrame::Layout::kYuyv, AV_PIX_FMT_YUYV422}};

VideoFrame::Layout LayoutOf(const AVFrame& frame) {
  for (const LayoutName& name : kLayouts)
    if (frame.format == name.format || frame.format == name.full_range) return name.layout;
  return VideoFrame::Layout::kOther;
}

ScalerInput SourceOf(const VideoFrame& frame) {
  const bool full = frame.encoding.range == YuvEncoding::Range::kFull;
  const int matrix =
      frame.encoding.matrix == YuvEncoding::Matrix::kBt709 ? SWS_CS_ITU709 : SWS_CS_ITU601;
  for (const LayoutName& name : kLayouts)
    if (frame.layout == name.layout) return {name.format, matrix, full, frame.size};
  if (frame.layout == VideoFrame::Layout::kI444)  // from JPEGs only
    return {AV_PIX_FMT_YUV444P, matrix, full, frame.size};
  const AVFrame& source = *static_cast<const AVFrame*>(frame.owner.get());
  const bool untold = source.colorspace == AVCOL_SPC_UNSPECIFIED;
  // For RGB of more than 8 bits, swscale uses a matrix all the same; ffmpeg gives it this one.
  const int given = source.colorspace == AVCOL_SPC_RGB ? SWS_CS_DEFAULT : source.colorspace;
  return {static_cast<AVPixelFormat>(source.format),
          untold && IsHdr(source) ? SWS_CS_BT2020 : given, IsFull(source), frame.size};
}

// The planes of a frame as swscale may read them. swscale reads whole vectors, so for most widths
// it reads past the end of the last row. Decoders leave room there; planes from other sources,
// which may end where their memory ends, are copied.
struct Readable {
  explicit Readable(const AVFrame& frame) {
    std::copy_n(frame.data, 4, planes);
    std::copy_n(frame.linesize, 4, strides);
  }
  explicit Readable(const VideoFrame& frame) {
    constexpr int kVectorPixels = 32, kVectorBytes = 4 * kVectorPixels;
    const bool is_whole = frame.size.width % kVectorPixels == 0;
    const std::array<PlaneShape, 3> sizes = PlaneShapes(frame.layout, frame.size);
    for (std::size_t i = 0; i < sizes.size() && sizes[i].rows > 0; ++i) {
      planes[i] = frame.planes[i];
      strides[i] = static_cast<int>(frame.strides[i]);
      const bool repeats = frame.strides[i] == 0;  // which swscale does not know
      if (is_whole && !repeats) continue;
      const int bytes = static_cast<int>(sizes[i].row_bytes),
                rows = static_cast<int>(sizes[i].rows);
      cv::Mat& copy = copies[i];
      copy.create(rows, (bytes / kVectorBytes + 2) * kVectorBytes, CV_8UC1);
      const cv::Mat given(repeats ? 1 : rows, bytes, CV_8UC1,
                          const_cast<std::uint8_t*>(frame.planes[i]),
                          static_cast<std::size_t>(frame.strides[i]));
      cv::repeat(given, repeats ? rows : 1, 1, copy.colRange(0, bytes));
      planes[i] = copy.data;
      strides[i] = static_cast<int>(copy.step);
    }
  }

  const std::uint8_t* planes[4] = {};
  int strides[4] = {};
  std::array<cv::Mat, 3> copies;
};

// Converts a stored frame to a picture of the same height.
void Convert(const VideoFrame& frame, const cv::Mat& to) {
  thread_local ScalerInput last{};
  thread_local ScalerPtr scaler;
  const ScalerInput source = SourceOf(frame);
  if (!scaler || source != last) {
    const bool is_rgb =
        Ffmpeg::Get().av_pix_fmt_desc_get(source.format)->flags & AV_PIX_FMT_FLAG_RGB;
    scaler = MakeScaler(source.size, source.format, is_rgb || source.full_range, AV_PIX_FMT_BGR24,
                        !is_rgb || source.full_range, source.matrix, SWS_BICUBIC);
    last = source;
  }
  std::uint8_t* const rows[4] = {to.data};
  const int row_stride[4] = {static_cast<int>(to.step)};
  const Readable from = frame.layout == VideoFrame::Layout::kOther
                            ? Readable(*static_cast<const AVFrame*>(frame.owner.get()))
                            : Readable(frame);
  Ffmpeg::Get().sws_scale(scaler.get(), from.planes, from.strides, 0, to.rows, rows, row_stride);
  if (frame.layout != VideoFrame::Layout::kOther) return;
  if (const auto& stored = *static_cast<const AVFrame*>(frame.owner.get()); IsHdr(stored))
    ToSdr(stored, to.colRange(0, frame.size.width));
}

// NV12 and YUYV, which cameras deliver, need swscale's general converter (1.7 ms a megapixel);
// planar layouts have a fast one. Several threads convert bands of such frames. Each band is
// converted with additional rows, on which its chroma depends, so the bytes equal those of the
// whole conversion.
constexpr int kBands = 4, kBandOverlap = 8;

bool HasBands(const VideoFrame& frame) {
  const bool general =
      frame.layout == VideoFrame::Layout::kNv12 || frame.layout == VideoFrame::Layout::kYuyv;
  const int height = frame.size.height;
  return general && height % (2 * kBands) == 0 && height >= 2 * kBands * kBandOverlap &&
         frame.size.area() >= 1 << 18;
}

void ConvertBand(const VideoFrame& frame, int band, const cv::Mat& to) {
  const int rows = to.rows / kBands, begin = band * rows;
  VideoFrame part = frame;
  part.size.height = rows + 2 * kBandOverlap;
  const int first = std::clamp(begin - kBandOverlap, 0, to.rows - part.size.height);
  part.planes[0] += first * frame.strides[0];
  if (part.planes[1]) part.planes[1] += first / 2 * frame.strides[1];
  thread_local cv::Mat with_overlap;
  with_overlap.create(part.size.height, to.cols, to.type());
  Convert(part, with_overlap);
  with_overlap.rowRange(begin - first, begin - first + rows)
      .copyTo(to.rowRange(begin, begin + rows));
}

}  // namespace

void RequirePixelFormat(const std::string& name) {
  const Ffmpeg& av = Ffmpeg::Get();
  const AVPixFmtDescriptor* const known = av.av_pix_fmt_desc_get(av.av_get_pix_fmt(name.c_str()));
  if (known && known->flags & AV_PIX_FMT_FLAG_HWACCEL)
    throw Error(fmt::format("pixel format '{}'", name),
                "is of pictures in a graphics card (in files such are bgr24, yuv420p, nv12)");
  if (known && !av.sws_isSupportedInput(av.av_get_pix_fmt(name.c_str())))
    throw Error(fmt::format("pixel format '{}'", name),
                "cannot be converted by FFmpeg (bgr24, yuv420p, nv12 and most others can)");
  if (known) return;
  std::vector<std::string> names;
  for (const AVPixFmtDescriptor* d = nullptr; (d = av.av_pix_fmt_desc_next(d));)
    names.emplace_back(d->name);
  throw Error(fmt::format("pixel format '{}'", name),
              fmt::format("is unknown to FFmpeg ({}such are bgr24, yuv420p, nv12)",
                          DidYouMean(name, names)));
}

Orientation OrientationOf(const std::int32_t* matrix) {
  std::int32_t turned[9];
  std::copy_n(matrix, 9, turned);
  const double determinant =
      static_cast<double>(matrix[0]) * matrix[4] - static_cast<double>(matrix[1]) * matrix[3];
  Orientation result;
  if (determinant < 0) {  // decompose a reflection into a horizontal flip and a rotation
    result.mirrored = true;
    turned[0] = -turned[0];
    turned[1] = -turned[1];
  }
  const double degrees = -Ffmpeg::Get().av_display_rotation_get(turned);
  if (std::isfinite(degrees))
    result.rotation = (static_cast<int>(std::lround(degrees / 90)) * 90 + 720) % 360;
  return result;
}

VideoFrame WrapFrame(FramePtr frame, const Orientation& orientation) {
  VideoFrame result;
  result.layout = LayoutOf(*frame);
  result.encoding.range = IsFull(*frame) ? YuvEncoding::Range::kFull : YuvEncoding::Range::kLimited;
  if (IsHdr(*frame)) result.layout = VideoFrame::Layout::kOther;
  constexpr std::array kBt601 = {AVCOL_SPC_UNSPECIFIED, AVCOL_SPC_RESERVED, AVCOL_SPC_BT470BG,
                                 AVCOL_SPC_SMPTE170M};
  if (frame->colorspace == AVCOL_SPC_BT709)
    result.encoding.matrix = YuvEncoding::Matrix::kBt709;
  else if (result.layout != VideoFrame::Layout::kBgr &&
           std::ranges::find(kBt601, frame->colorspace) == kBt601.end())
    result.layout = VideoFrame::Layout::kOther;  // there are no kernels for BT.2020 and similar
  result.size = {frame->width, frame->height};
  for (std::size_t i = 0; i < result.planes.size(); ++i) {
    result.planes[i] = frame->data[i];
    result.strides[i] = frame->linesize[i];
  }
  result.rotation = orientation.rotation;
  result.mirrored = orientation.mirrored;
  result.owner = std::shared_ptr<AVFrame>(frame.release(), FfmpegFree());
  return result;
}

ScalerPtr MakeScaler(cv::Size size, AVPixelFormat from, bool from_full, AVPixelFormat to,
                     bool to_full, int matrix, int flags) {
  const Ffmpeg& av = Ffmpeg::Get();
  ScalerPtr scaler(av.sws_getContext(size.width, size.height, from, size.width, size.height, to,
                                     flags, nullptr, nullptr, nullptr));
  if (!scaler) {
    const AVPixFmtDescriptor* const format = av.av_pix_fmt_desc_get(from);
    throw Error(format ? format->name : "unknown", "pixels of this format cannot be converted");
  }
  const int* const coefficients = av.sws_getCoefficients(matrix);
  av.sws_setColorspaceDetails(scaler.get(), coefficients, from_full, coefficients, to_full, 0,
                              1 << 16, 1 << 16);
  return scaler;
}

cv::Mat VideoFrame::StoredBgr() const {
  RequirePlanes(*this);
  cv::Mat padded(size.height, size.width + kPaddingPixels, CV_8UC3);
  if (HasBands(*this))
    tbb::this_task_arena::isolate(
        [&] { tbb::parallel_for(0, kBands, [&](int band) { ConvertBand(*this, band, padded); }); });
  else
    Convert(*this, padded);
  return padded(cv::Rect({0, 0}, size));
}

cv::Mat VideoFrame::Upright(const cv::Mat& stored) const {
  return skinmask::Upright(stored, {rotation, mirrored});
}

}  // namespace skinmask
