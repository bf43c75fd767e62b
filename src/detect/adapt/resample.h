// Reduces and turns grey pictures, with the same bytes on every CPU.
#pragma once

#include <opencv2/imgproc.hpp>
#include <vector>

namespace skinmask {

// `grey`, CV_8UC1, reduced to `size`, of which neither side may be larger. The result is that of
// cv::resize with INTER_AREA where the compiler does not fuse products and sums. On ARM it does,
// and some bytes of cv::resize differ.
cv::Mat1b AreaMean(const cv::Mat1b& grey, const cv::Size& size);

// A grey picture, in SearchableMemory, that is reduced to several sizes. It is halved first, by
// exact means of four pixels; the halves serve all sizes. The remaining factor is by area means,
// which take 3 ns a pixel, or by interpolation between pixels, which takes a tenth of that.
class Reductions {
 public:
  explicit Reductions(const cv::Mat1b& grey) : halves_{grey} {}

  cv::Size size() const { return halves_[0].size(); }
  cv::Mat1b AreaMeans(const cv::Size& size) { return AreaMean(Halved(size), size); }
  cv::Mat1b Interpolated(const cv::Size& size);

 private:
  const cv::Mat1b& Halved(const cv::Size& size);

  std::vector<cv::Mat1b> halves_;
};

// The picture of `size` whose pixel (x, y) is that of `grey` at back (x, y, 1), interpolated
// between four pixels; beyond the border, the border's. Places are rounded to 1/32 of a pixel, as
// cv::warpAffine does with INTER_LINEAR, WARP_INVERSE_MAP and BORDER_REPLICATE: the result is the
// same. At most 2^15 pixels a side.
cv::Mat1b Warped(const cv::Mat1b& grey, const cv::Matx23d& back, const cv::Size& size);

}  // namespace skinmask
