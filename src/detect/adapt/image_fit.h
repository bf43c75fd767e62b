// The colours of one image as mixtures of Gaussians in BGR.
#pragma once

#include <Eigen/Core>
#include <opencv2/core.hpp>
#include <optional>
#include <span>
#include <vector>

#include "skinmask/detect/adapt.h"
#include "skinmask/model/mixture.h"

namespace skinmask {

struct ColorGaussian {
  double n = 0;  // pixels, or shares of them
  Eigen::Vector3d mean;
  Eigen::Matrix3d covariance;
};

struct ImageModel {
  std::vector<ColorGaussian> skin;  // one for each anchor, all of one weight
  std::vector<ColorGaussian> rest;  // weighing as their n
};
// The same for CompiledMixture: class 0 is skin.
std::vector<MixtureComponent> Components(const ImageModel& model);

// A seed's skin, after trimming; absent where it holds too few pixels. `log_odds` are the global
// model's less its threshold's, CV_32FC1 of the image's size, as below.
std::optional<ColorGaussian> AnchorOf(const cv::Mat& bgr, const Seed& seed,
                                      const cv::Mat& log_odds);

// Fits both mixtures to an image of at most a few 10,000 pixels. `place` are the log-odds that the
// place gives. Absent when there are no anchors, or too few pixels are unlike them. About 10 ms.
std::optional<ImageModel> FitToImage(const cv::Mat& bgr, std::span<const ColorGaussian> anchors,
                                     const cv::Mat& log_odds, const cv::Mat& place);

// One more round, on another image, beginning from its model before: all moments go `rate` of the
// way to what they are in this image. There are as many anchors as there is skin.
void Renew(ImageModel& model, const cv::Mat& bgr, std::span<const ColorGaussian> anchors,
           const cv::Mat& log_odds, const cv::Mat& place, double rate);

// The moments of both, `rate` of the second and the rest of the first.
void MoveTowards(ColorGaussian& gaussian, const ColorGaussian& target, double rate);

}  // namespace skinmask
