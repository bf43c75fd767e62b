// Checks the caller's picture before its bytes are used, classifies and measures it.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <span>
#include <string>
#include <string_view>

#include "c/handles.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/media/image.h"

namespace skinmask::c {
namespace {

struct Plane {
  std::size_t row_bytes, rows;
};
using Planes = std::array<Plane, 3>;

Planes PlanesOf(const skinmask_picture& picture) {
  const auto width = static_cast<std::size_t>(picture.width);
  const auto height = static_cast<std::size_t>(picture.height);
  const Plane luma{width, height}, chroma{(width + 1) / 2, (height + 1) / 2};
  switch (picture.format) {
    case SKINMASK_BGR:
    case SKINMASK_RGB:
      return {{{3 * width, height}}};
    case SKINMASK_BGRA:
    case SKINMASK_RGBA:
      return {{{4 * width, height}}};
    case SKINMASK_NV12:
      return {{luma, {2 * chroma.row_bytes, chroma.rows}}};
    case SKINMASK_I420:
      return {{luma, chroma, chroma}};
    default:
      throw BadArgument("picture.format", fmt::format("is {} (a skinmask_format)", picture.format));
  }
}

void RequireSize(const skinmask_picture& picture) {
  const auto pixels = std::int64_t{picture.width} * picture.height;
  if (picture.width < 1 || picture.height < 1 || pixels > kMaxPixels)
    throw BadArgument("picture", fmt::format("is of {} x {} pixels (1 to {} in all)", picture.width,
                                             picture.height, kMaxPixels));
}

void RequireStride(std::size_t stride, const Plane& plane, const std::string& name) {
  constexpr auto kMax = static_cast<std::size_t>(std::numeric_limits<int>::max());  // of FFmpeg
  if (stride < plane.row_bytes || (plane.rows > 1 && stride > kMax))
    throw BadArgument(name, fmt::format("is {} (bytes from row to row, {} to {})", stride,
                                        plane.row_bytes, kMax));
}

void RequirePlanes(const skinmask_picture& picture) {
  RequireSize(picture);
  const Planes planes = PlanesOf(picture);
  for (std::size_t i = 0; i < planes.size() && planes[i].rows > 0; ++i) {
    RequireGiven(picture.planes[i], fmt::format("picture.planes[{}]", i));
    RequireStride(picture.strides[i], planes[i], fmt::format("picture.strides[{}]", i));
  }
  constexpr int kYuvFlags = SKINMASK_BT709 | SKINMASK_FULL_RANGE;
  if ((picture.yuv & ~kYuvFlags) != 0)
    throw BadArgument("picture.yuv", fmt::format("is {} (0 to {})", picture.yuv, kYuvFlags));
}

std::span<const std::uint8_t> BytesOf(const std::uint8_t* first, std::size_t stride,
                                      const Plane& plane) {
  return {first, stride * (plane.rows - 1) + plane.row_bytes};
}

bool Overlap(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  const std::less<const std::uint8_t*> before;
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

// The caller's bytes as a matrix for OpenCV.
cv::Mat Packed(const skinmask_picture& picture, int channels) {
  return cv::Mat(picture.height, picture.width, CV_8UC(channels),
                 const_cast<std::uint8_t*>(picture.planes[0]), picture.strides[0]);
}

cv::Mat Converted(const cv::Mat& pixels, int conversion) {
  cv::Mat bgr;
  cv::cvtColor(pixels, bgr, conversion);
  return bgr;
}

VideoFrame FrameOf(const skinmask_picture& picture) {
  VideoFrame frame;
  frame.layout =
      picture.format == SKINMASK_NV12 ? VideoFrame::Layout::kNv12 : VideoFrame::Layout::kI420;
  if (picture.yuv & SKINMASK_BT709) frame.encoding.matrix = YuvEncoding::Matrix::kBt709;
  if (picture.yuv & SKINMASK_FULL_RANGE) frame.encoding.range = YuvEncoding::Range::kFull;
  frame.size = {picture.width, picture.height};
  for (std::size_t i = 0; i < frame.planes.size(); ++i) {
    frame.planes[i] = picture.planes[i];
    frame.strides[i] = static_cast<std::ptrdiff_t>(picture.strides[i]);
  }
  return frame;
}

// The picture, with planes or with B G R as the caller has them, else converted. Throws BadArgument
// for an impossible picture.
Picture PictureOf(const skinmask_picture& picture) {
  RequirePlanes(picture);
  switch (picture.format) {
    case SKINMASK_BGR:
      return Packed(picture, 3);
    case SKINMASK_RGB:
      return Converted(Packed(picture, 3), cv::COLOR_RGB2BGR);
    case SKINMASK_BGRA:
      return Converted(Packed(picture, 4), cv::COLOR_BGRA2BGR);
    case SKINMASK_RGBA:
      return Converted(Packed(picture, 4), cv::COLOR_RGBA2BGR);
    default:
      return Picture(FrameOf(picture));
  }
}

// Whether output colours are in the order R G B.
bool IsRgb(const skinmask_picture& picture) {
  return picture.format == SKINMASK_RGB || picture.format == SKINMASK_RGBA;
}

// The caller's memory for the result, of this type. Throws BadArgument if its rows are too short,
// or if it overlaps the picture anywhere between its first and last byte.
cv::Mat MemoryFor(const skinmask_picture& picture, int type, std::uint8_t* out,
                  std::size_t stride) {
  RequireGiven(out, "out");
  const Plane memory{
      static_cast<std::size_t>(CV_ELEM_SIZE(type)) * static_cast<std::size_t>(picture.width),
      static_cast<std::size_t>(picture.height)};
  RequireStride(stride, memory, "out_stride");
  const Planes planes = PlanesOf(picture);
  for (std::size_t i = 0; i < planes.size() && planes[i].rows > 0; ++i)
    if (Overlap(BytesOf(out, stride, memory),
                BytesOf(picture.planes[i], picture.strides[i], planes[i])))
      throw BadArgument("out",
                        "overlaps the picture, or one lies between the rows of the other (memory "
                        "apart from it)");
  return cv::Mat(picture.height, picture.width, type, out, stride);
}

void DrawInto(const skinmask_picture& given, Output output, cv::Mat memory, Judgement& judgement) {
  const cv::Mat drawn = Draw(output, judgement, {}, memory);
  if (IsRgb(given) && drawn.channels() > 1)
    cv::cvtColor(drawn, memory, drawn.channels() == 4 ? cv::COLOR_BGRA2RGBA : cv::COLOR_BGR2RGB);
  else if (drawn.data != memory.data)
    drawn.copyTo(memory);
}

// The judgement of a detector or a stream. `out` may be null if that `is_optional`.
template <class Handle>
Judgement Judged(Handle* by, std::string_view name, const skinmask_picture* given, int output,
                 std::uint8_t* out, std::size_t out_stride, bool is_optional) {
  RequireGiven(by, name);
  RequireGiven(given, "picture");
  Picture picture = PictureOf(*given);
  if (!out && is_optional) return by->core.Judge(std::move(picture));
  const auto kind = ValueOf<Output>(output, OutputKinds().size(), "output", "skinmask_output");
  cv::Mat memory = MemoryFor(*given, TypeOf(kind), out, out_stride);
  Judgement judgement = by->core.Judge(std::move(picture));
  DrawInto(*given, kind, std::move(memory), judgement);
  return judgement;
}

skinmask_means MeansOf(const ColorSums& sums) {
  skinmask_means means{sums.pixels, {}, {}};
  for (std::size_t i = 0; i < 3; ++i) {
    means.mean[i] = sums.Mean(2 - i);  // stored as blue, green and red
    means.sd[i] = sums.Deviation(2 - i);
  }
  return means;
}

const MeasuredFace& FaceOf(const skinmask_measurement& measurement, std::size_t index) {
  const auto& faces = measurement.measurement.faces;
  if (index >= faces.size())
    throw BadArgument("index",
                      fmt::format("is {}, and there are {} faces (from 0)", index, faces.size()));
  return faces[index];
}

}  // namespace
}  // namespace skinmask::c

using namespace skinmask::c;

extern "C" {

skinmask_status skinmask_detect(const skinmask_detector* detector, const skinmask_picture* picture,
                                int output, uint8_t* out, size_t out_stride) {
  return Guarded([&] { Judged(detector, "detector", picture, output, out, out_stride, false); });
}

skinmask_measurement* skinmask_measure(const skinmask_detector* detector,
                                       const skinmask_picture* picture, int output, uint8_t* out,
                                       size_t out_stride) {
  return GuardedHandle([&] {
    return new skinmask_measurement{
        Judged(detector, "detector", picture, output, out, out_stride, true).Measured()};
  });
}

skinmask_stream* skinmask_stream_new(const skinmask_detector* detector, double frames_per_second,
                                     int search_lag_frames) {
  return GuardedHandle([&] {
    RequireGiven(detector, "detector");
    if (!(frames_per_second >= 0))
      throw BadArgument("frames_per_second", fmt::format("is {} (0 or more)", frames_per_second));
    if (search_lag_frames < 0)
      throw BadArgument("search_lag_frames", fmt::format("is {} (0 or more)", search_lag_frames));
    skinmask::StreamOptions options;
    options.search_lag_frames = search_lag_frames;
    skinmask::Stream stream(detector->core, options);
    stream.SetRate(frames_per_second);
    return new skinmask_stream{std::move(stream)};
  });
}

skinmask_status skinmask_stream_detect(skinmask_stream* stream, const skinmask_picture* frame,
                                       int output, uint8_t* out, size_t out_stride) {
  return Guarded([&] { Judged(stream, "stream", frame, output, out, out_stride, false); });
}

skinmask_measurement* skinmask_stream_measure(skinmask_stream* stream,
                                              const skinmask_picture* frame, int output,
                                              uint8_t* out, size_t out_stride) {
  return GuardedHandle([&] {
    return new skinmask_measurement{
        Judged(stream, "stream", frame, output, out, out_stride, true).Measured()};
  });
}

void skinmask_stream_free(skinmask_stream* stream) { delete stream; }

skinmask_status skinmask_measurement_skin(const skinmask_measurement* measurement,
                                          skinmask_means* means) {
  return Guarded([&] {
    RequireGiven(measurement, "measurement");
    RequireGiven(means, "means");
    *means = MeansOf(measurement->measurement.skin);
  });
}

size_t skinmask_measurement_faces(const skinmask_measurement* measurement) {
  return measurement ? measurement->measurement.faces.size() : 0;
}

skinmask_status skinmask_measurement_face(const skinmask_measurement* measurement, size_t index,
                                          skinmask_face* face) {
  return Guarded([&] {
    RequireGiven(measurement, "measurement");
    RequireGiven(face, "face");
    const skinmask::Face& of = FaceOf(*measurement, index).face;
    *face = {of.id, of.box.x, of.box.y, of.box.width, of.box.height, of.frame.TiltDegrees()};
  });
}

skinmask_status skinmask_measurement_part(const skinmask_measurement* measurement, size_t index,
                                          int part, skinmask_means* means) {
  return Guarded([&] {
    RequireGiven(measurement, "measurement");
    RequireGiven(means, "means");
    const auto of =
        ValueOf<skinmask::FacePart>(part, skinmask::kFaceParts, "part", "skinmask_part");
    *means = MeansOf(FaceOf(*measurement, index).of(of));
  });
}

void skinmask_measurement_free(skinmask_measurement* measurement) { delete measurement; }

}  // extern "C"
