#include "skinmask/detect/frame_posterior.h"

#include <array>
#include <utility>

#include "base/parallel_rows.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/detect_image.h"

namespace skinmask {
namespace {

using Layout = VideoFrame::Layout;
using Matrix = YuvEncoding::Matrix;
using Range = YuvEncoding::Range;

// Calls use(row) with row y in the form that the kernels take.
template <class Use>
void WithRow(const VideoFrame& frame, int y, const Use& use) {
  const auto at = [&](std::size_t plane, int row) {
    return frame.planes[plane] + row * frame.strides[plane];
  };
  switch (frame.layout) {
    case Layout::kI420:
      return use(I420Row{at(0, y), at(1, y / 2), at(2, y / 2)});
    case Layout::kI422:
      return use(I420Row{at(0, y), at(1, y), at(2, y)});
    case Layout::kI440:
      return use(I444Row{at(0, y), at(1, y / 2), at(2, y / 2)});
    case Layout::kI444:
      return use(I444Row{at(0, y), at(1, y), at(2, y)});
    case Layout::kI411:
      return use(I411Row{at(0, y), at(1, y), at(2, y)});
    case Layout::kNv12:
      return use(Nv12Row{at(0, y), at(1, y / 2)});
    case Layout::kYuyv:
      return use(YuyvRow{at(0, y)});
    case Layout::kBgr:
    case Layout::kOther:
      break;
  }
}

// The bytes (Y, U, V) of pixel x.
using Yuv = std::array<std::uint8_t, 3>;
Yuv PixelOf(const I420Row& row, std::size_t x) { return {row.y[x], row.u[x / 2], row.v[x / 2]}; }
Yuv PixelOf(const I444Row& row, std::size_t x) { return {row.y[x], row.u[x], row.v[x]}; }
Yuv PixelOf(const I411Row& row, std::size_t x) { return {row.y[x], row.u[x / 4], row.v[x / 4]}; }
Yuv PixelOf(const Nv12Row& row, std::size_t x) {
  return {row.y[x], row.uv[x / 2 * 2], row.uv[x / 2 * 2 + 1]};
}
Yuv PixelOf(const YuyvRow& row, std::size_t x) {
  const std::uint8_t* const pair = row.yuyv + x / 2 * 4;
  return {pair[x % 2 * 2], pair[1], pair[3]};
}

std::size_t IndexOf(const YuvEncoding& encoding) {
  return 2 * (encoding.matrix == Matrix::kBt709) + (encoding.range == Range::kFull);
}

// A map of the frame's stored size, its rows in parallel: of_row(row of the planes, its bytes).
template <class OfRow>
cv::Mat BytesOf(const VideoFrame& frame, cv::Mat bytes, const OfRow& of_row) {
  bytes.create(frame.size, CV_8UC1);
  ForRowsOf(frame.size.width, frame.size.height,
            [&](int y) { WithRow(frame, y, [&](const auto& row) { of_row(row, bytes.ptr(y)); }); });
  return bytes;
}

}  // namespace

FramePosterior::FramePosterior(const Model& model, Pixels pixels, const PosteriorOptions& options)
    : posterior_(model, options) {
  if (pixels == Pixels::kBgr || !Quadratic::CanFold(model)) return;
  const Quadratic log_odds(model);
  const double threshold = Logit(model.decision.threshold);
  for (const Matrix matrix : {Matrix::kBt601, Matrix::kBt709})
    for (const Range range : {Range::kLimited, Range::kFull}) {
      yuv_.emplace_back(log_odds, YuvEncoding{matrix, range}, threshold);
      yuv_log_odds_.push_back(InYuv(log_odds, {matrix, range}));
    }
}

const CompiledYuvQuadratic& FramePosterior::Compiled(const YuvEncoding& encoding) const {
  return yuv_[IndexOf(encoding)];
}

const Quadratic& FramePosterior::LogOddsIn(const YuvEncoding& encoding) const {
  return yuv_log_odds_[IndexOf(encoding)];
}

bool FramePosterior::TakesYuv(const VideoFrame& frame) const {
  return TakesYuv() && frame.layout != Layout::kBgr && frame.layout != Layout::kOther;
}

cv::Mat FramePosterior::Mask(const VideoFrame& frame, cv::Mat memory) const {
  if (!TakesYuv(frame)) return DetectMask(posterior_, frame.StoredBgr(), std::move(memory));
  const CompiledYuvQuadratic& compiled = Compiled(frame.encoding);
  return BytesOf(frame, std::move(memory), [&](const auto& row, std::uint8_t* out) {
    compiled.MaskRow(row, static_cast<std::size_t>(frame.size.width), out);
  });
}

cv::Mat FramePosterior::Probability(const VideoFrame& frame, cv::Mat memory) const {
  if (!TakesYuv(frame)) return DetectProbability(posterior_, frame.StoredBgr(), std::move(memory));
  const CompiledYuvQuadratic& compiled = Compiled(frame.encoding);
  return BytesOf(frame, std::move(memory), [&](const auto& row, std::uint8_t* out) {
    compiled.ProbabilityRow(row, static_cast<std::size_t>(frame.size.width), out);
  });
}

cv::Mat FramePosterior::LogOdds(const VideoFrame& frame) const {
  if (!TakesYuv(frame)) return DetectLogOdds(posterior_, frame.StoredBgr());
  const Quadratic& of_yuv = LogOddsIn(frame.encoding);
  cv::Mat log_odds(frame.size, CV_32FC1);
  ForRowsOf(frame.size.width, frame.size.height, [&](int y) {
    float* const z = log_odds.ptr<float>(y);
    WithRow(frame, y, [&](const auto& row) {
      for (std::size_t x = 0; x < static_cast<std::size_t>(frame.size.width); ++x)
        z[x] = static_cast<float>(of_yuv(PixelOf(row, x).data()));
    });
  });
  return log_odds;
}

}  // namespace skinmask
