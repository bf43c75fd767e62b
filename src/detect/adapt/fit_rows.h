// EStep is the expectation step of the fit to an image, over pixels in planes.
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>
#include <vector>

#include "detect/adapt/color_gaussian.h"
#include "skinmask/model/mixture.h"

namespace skinmask {

// The pixels that a mixture is fitted to, in the form that the row functions take.
struct FitPixels {
  // Every `step`-th pixel of every `step`-th row of `bgr`. `log_odds`, CV_32FC1, are the pixels'
  // log-odds of skin from everything but their colours.
  FitPixels(const cv::Mat& bgr, const cv::Mat& log_odds, int step);

  static constexpr std::size_t kBlock = 64;
  // 2^24 (byte - 128), as FloatQuadratic takes them; binary logarithms of odds; weights. The last
  // block is filled up with pixels of weight 0; all others have weight 1.
  std::vector<float> b, g, r, log2_odds, weight;
  std::size_t count;  // without the filling
};

// n, mean and covariance of the pixels of each component, weighted by their responsibilities (of
// maximum likelihood; mean and covariance are undefined where n is 0). A pixel's probability of
// class 0 is the logistic function of local_weight times the mixture's log-odds plus its
// `log_odds`. `means` (B, G, R) are those of the components of `mixture`, in the same order, class
// 0 first; sums are taken about them. The same result on every CPU: 16 partial sums, whatever the
// vector length, are added in a fixed order.
std::vector<ColorGaussian> EStep(const FitPixels& pixels, const CompiledMixture& mixture,
                                 const std::vector<Eigen::Vector3d>& means, double local_weight);

}  // namespace skinmask
