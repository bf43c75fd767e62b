#include "skinmask/detect/detect_image.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/parallel_rows.h"
#include "detect/judged_rows.h"
#include "detect/log_odds_rows.h"
#include "media/picture_type.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/frame_posterior.h"

namespace skinmask {
namespace {

template <class T>
cv::Mat ForRows(const Posterior& posterior, const cv::Mat& bgr,
                void (Posterior::*row)(const std::uint8_t*, std::size_t, T*) const noexcept,
                cv::Mat result = {}) {
  RequireType(bgr, CV_8UC3, "image");
  result.create(bgr.size(), cv::DataType<T>::type);
  ForJudgedRows(posterior, bgr.size(), [&](int y) {
    (posterior.*row)(bgr.ptr<std::uint8_t>(y), static_cast<std::size_t>(bgr.cols),
                     result.ptr<T>(y));
  });
  return result;
}

// A map of that size, whose rows row(y, values) fills in parallel.
template <class T, class Row>
cv::Mat MapOf(const cv::Size& size, cv::Mat memory, const Row& row) {
  memory.create(size, cv::DataType<T>::type);
  ForRowsOf(size.width, size.height, [&](int y) { row(y, memory.ptr<T>(y)); });
  return memory;
}

template <class T>
cv::Mat Probabilities(const cv::Mat& log_odds, cv::Mat memory = {}) {
  RequireType(log_odds, CV_32FC1, "log-odds");
  return MapOf<T>(log_odds.size(), std::move(memory), [&](int y, T* row) {
    ProbabilityRowOf(log_odds.ptr<float>(y), static_cast<std::size_t>(log_odds.cols), row);
  });
}

// ---- Frames

using Layout = VideoFrame::Layout;
using Matrix = YuvEncoding::Matrix;
using Range = YuvEncoding::Range;

// Row y of a frame for which TakesYuv is true, in the form that the kernels take.
YuvRow RowOf(const VideoFrame& frame, int y) {
  const auto at = [&](std::size_t plane, int row) {
    return frame.planes[plane] + row * frame.strides[plane];
  };
  if (frame.layout == Layout::kYuyv) return {YuvRow::Layout::kYuyv, {at(0, y)}};
  if (frame.layout == Layout::kNv12) return {YuvRow::Layout::kNv12, {at(0, y), at(1, y / 2)}};
  const int chroma = frame.layout == Layout::kI420 ? y / 2 : y;
  const bool has_all = frame.layout == Layout::kI444;
  return {has_all ? YuvRow::Layout::kI444 : YuvRow::Layout::kI422,
          {at(0, y), at(1, chroma), at(2, chroma)}};
}

std::size_t IndexOf(const YuvEncoding& encoding) {
  return 2 * (encoding.matrix == Matrix::kBt709) + (encoding.range == Range::kFull);
}

}  // namespace

cv::Mat DetectMask(const Posterior& posterior, const cv::Mat& bgr, cv::Mat memory) {
  return ForRows(posterior, bgr, &Posterior::MaskRow, std::move(memory));
}

cv::Mat DetectProbability(const Posterior& posterior, const cv::Mat& bgr, cv::Mat memory) {
  return ForRows<std::uint8_t>(posterior, bgr, &Posterior::ProbabilityRow, std::move(memory));
}

cv::Mat DetectFloatProbability(const Posterior& posterior, const cv::Mat& bgr) {
  return ForRows<float>(posterior, bgr, &Posterior::ProbabilityRow);
}

cv::Mat DetectClasses(const Posterior& posterior, const cv::Mat& bgr) {
  return ForRows(posterior, bgr, &Posterior::ClassRow);
}

cv::Mat DetectLogOdds(const Posterior& posterior, const cv::Mat& bgr) {
  return ForRows(posterior, bgr, &Posterior::LogOddsRow);
}

cv::Mat MaskOf(const cv::Mat& log_odds, double threshold, cv::Mat memory) {
  RequireType(log_odds, CV_32FC1, "log-odds");
  RequireThreshold(threshold);
  const auto least = static_cast<float>(Logit(threshold));
  return MapOf<std::uint8_t>(log_odds.size(), std::move(memory), [&](int y, std::uint8_t* row) {
    MaskRowOf(log_odds.ptr<float>(y), static_cast<std::size_t>(log_odds.cols), least, row);
  });
}

cv::Mat ProbabilityOf(const cv::Mat& log_odds, cv::Mat memory) {
  return Probabilities<std::uint8_t>(log_odds, std::move(memory));
}

cv::Mat DeepProbabilityOf(const cv::Mat& log_odds) {
  return Probabilities<std::uint16_t>(log_odds);
}

cv::Mat FloatProbabilityOf(const cv::Mat& log_odds) { return Probabilities<float>(log_odds); }

FramePosterior::FramePosterior(const Model& model, Pixels pixels, const PosteriorOptions& options)
    : posterior_(model, options) {
  if (pixels == Pixels::kBgr || !Quadratic::CanFold(model)) return;
  const Quadratic log_odds(model);
  const double threshold = Logit(model.decision.threshold);
  for (const Matrix matrix : {Matrix::kBt601, Matrix::kBt709})
    for (const Range range : {Range::kLimited, Range::kFull})
      yuv_.push_back({{log_odds, {matrix, range}, threshold}, InYuv(log_odds, {matrix, range})});
  const auto is_too_coarse = [](const auto& yuv) {
    return yuv.compiled.ErrorBound() > Quadratic::kMaxError;
  };
  if (std::ranges::any_of(yuv_, is_too_coarse)) yuv_.clear();
}

bool FramePosterior::TakesYuv(const VideoFrame& frame) const {
  return TakesYuv() && frame.layout != Layout::kBgr && frame.layout != Layout::kOther;
}

cv::Mat FramePosterior::Mask(const VideoFrame& frame, cv::Mat memory) const {
  RequirePlanes(frame);
  if (!TakesYuv(frame)) return DetectMask(posterior_, frame.StoredBgr(), std::move(memory));
  const CompiledYuvQuadratic& compiled = yuv_[IndexOf(frame.encoding)].compiled;
  return MapOf<std::uint8_t>(frame.size, std::move(memory), [&](int y, std::uint8_t* row) {
    compiled.MaskRow(RowOf(frame, y), static_cast<std::size_t>(frame.size.width), row);
  });
}

cv::Mat FramePosterior::Probability(const VideoFrame& frame, cv::Mat memory) const {
  RequirePlanes(frame);
  if (!TakesYuv(frame)) return DetectProbability(posterior_, frame.StoredBgr(), std::move(memory));
  const CompiledYuvQuadratic& compiled = yuv_[IndexOf(frame.encoding)].compiled;
  return MapOf<std::uint8_t>(frame.size, std::move(memory), [&](int y, std::uint8_t* row) {
    compiled.ProbabilityRow(RowOf(frame, y), static_cast<std::size_t>(frame.size.width), row);
  });
}

cv::Mat FramePosterior::LogOdds(const VideoFrame& frame) const {
  RequirePlanes(frame);
  if (!TakesYuv(frame)) return DetectLogOdds(posterior_, frame.StoredBgr());
  const Quadratic& of_yuv = yuv_[IndexOf(frame.encoding)].log_odds;
  return MapOf<float>(frame.size, {}, [&](int y, float* z) {
    const YuvRow row = RowOf(frame, y);
    for (std::size_t x = 0; x < static_cast<std::size_t>(frame.size.width); ++x)
      z[x] = static_cast<float>(of_yuv(row.Pixel(x).data()));
  });
}

}  // namespace skinmask
