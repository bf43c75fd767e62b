// Makes pictures smaller by means of areas, with the same bytes on every CPU.
#pragma once

#include <opencv2/imgproc.hpp>
#include <vector>

namespace skinmask {

// `grey`, CV_8UC1, at `size`, neither side of which is larger: what cv::resize with INTER_AREA
// gives where its compiler keeps products and sums apart. On ARM it does not, and some bytes are
// others.
cv::Mat1b AreaMean(const cv::Mat1b& grey, const cv::Size& size);

// A grey picture, made smaller: by halves, each the exact means of four pixels, which serve all
// sizes, and the rest by means of areas, which takes 3 ns a pixel for such factors, or between two
// pixels, a tenth of it.
class Reductions {
 public:
  explicit Reductions(const cv::Mat& grey) : halves_{grey} {}

  cv::Size size() const { return halves_[0].size(); }
  cv::Mat At(const cv::Size& size, int rest = cv::INTER_AREA);

 private:
  std::vector<cv::Mat> halves_;
};

}  // namespace skinmask
