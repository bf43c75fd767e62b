// Resizes, turns and equalises grey pictures for the search, with the same bytes on every CPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <vector>

namespace skinmask {

// Memory for a grey picture which HogPyramid need not copy, and whose rows can be read and written
// in vectors: they lie in longer ones.
cv::Mat1b SearchableMemory(const cv::Size& size);
bool IsSearchable(const cv::Mat& picture);

// Resizes a picture by interpolation between its pixels, as cv::resize does with INTER_LINEAR. On
// x86 the result is the same; on other CPUs some bytes of cv::resize differ by 1, and not those of
// this function. A pixel of `to` is `step_x` by `step_y` pixels of `from` large, about 2 at most
// (beyond, some pixels are those beside). Both are in such memory.
void Interpolate(const cv::Mat1b& from, double step_x, double step_y, cv::Mat1b& to);
// The same for the next picture of a pyramid, with 7 bits for the places of pixels: the centres of
// the pixels in the corners coincide.
void InterpolateByCorners(const cv::Mat1b& from, cv::Mat1b& to);
// The step between `size` pixels that are placed on `from` pixels in this way.
inline double CornerStep(int from, int size) { return (from - 1.) / std::max(size - 1, 1); }

inline std::size_t RoundedUp(std::size_t x, std::size_t to) { return (x + to - 1) / to * to; }
// A share, 0 to 1, in units of 2^-15.
inline std::int16_t ShortShare(double share) {
  return static_cast<std::int16_t>(std::min(32767., share * 32768 + .5));
}

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

// Contrast-limited adaptive histogram equalisation (Zuiderveld 1994) of a grey picture, CV_8UC1, in
// 8 x 8 tiles: it gives faces in the shade the contrast of faces in the light. It uses integers
// alone, so the bytes are the same on every CPU; those of cv::CLAHE differ by some levels. Cost: 4
// ns a pixel.
cv::Mat Equalized(const cv::Mat& grey);

}  // namespace skinmask
