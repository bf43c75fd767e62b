#include "detector.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <opencv2/imgproc.hpp>

namespace skinmask::live {
namespace {

using Layout = VideoFrame::Layout;

template <class Row>
void ForRows(const cv::Size& size, const Row& row) {
  constexpr int kGrainPixels = 1 << 17;
  const auto grain = static_cast<std::size_t>(std::max(1, kGrainPixels / std::max(1, size.width)));
  tbb::parallel_for(tbb::blocked_range<int>(0, size.height, grain),
                    [&](const tbb::blocked_range<int>& rows) {
                      for (int y = rows.begin(); y < rows.end(); ++y) row(y);
                    });
}

// Calls `use` with row y in the form that the kernels take.
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
    case Layout::kNv12:
      return use(Nv12Row{at(0, y), at(1, y / 2)});
    default:
      return use(YuyvRow{at(0, y)});
  }
}

bool IsYuv(Layout layout) { return layout != Layout::kBgr && layout != Layout::kOther; }

}  // namespace

void Detector::SetModel(const Model& model) {
  model_ = model;
  posterior_.emplace(model);
  yuv_.reset();
}

const CompiledYuvQuadratic& Detector::InEncoding(const YuvEncoding& encoding) {
  const bool same =
      encoding_ && encoding_->matrix == encoding.matrix && encoding_->range == encoding.range;
  if (!yuv_ || !same) yuv_.emplace(Quadratic(model_), encoding, Logit(model_.decision.threshold));
  encoding_ = encoding;
  return *yuv_;
}

Maps Detector::operator()(const VideoFrame& frame) {
  Maps maps{cv::Mat(frame.size, CV_8UC1), cv::Mat(frame.size, CV_8UC1)};
  const auto count = static_cast<std::size_t>(frame.size.width);
  if (IsYuv(frame.layout) && Quadratic::CanFold(model_)) {
    const CompiledYuvQuadratic& yuv = InEncoding(frame.encoding);
    ForRows(frame.size, [&](int y) {
      WithRow(frame, y, [&](const auto& row) {
        yuv.MaskRow(row, count, maps.mask.ptr(y));
        yuv.ProbabilityRow(row, count, maps.probability.ptr(y));
      });
    });
  } else {
    const cv::Mat bgr = frame.StoredBgr();
    ForRows(frame.size, [&](int y) {
      posterior_->MaskRow(bgr.ptr(y), count, maps.mask.ptr(y));
      posterior_->ProbabilityRow(bgr.ptr(y), count, maps.probability.ptr(y));
    });
  }
  return {frame.Upright(maps.mask), frame.Upright(maps.probability)};
}

}  // namespace skinmask::live
