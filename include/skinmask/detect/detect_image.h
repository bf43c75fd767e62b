// Masks, probabilities and classes of one image.
#pragma once

#include <opencv2/core.hpp>

#include "skinmask/model/posterior.h"

namespace [[gnu::visibility("default")]] skinmask {

// The rows of an image are computed in parallel. `bgr` is CV_8UC3, results are CV_8UC1 of its size.
// As in all of the library, an empty picture or another type is an Error: the caller converts grey
// pictures and pictures with alpha (cv::cvtColor). The result is in `memory` if that has the size
// and the type.
cv::Mat DetectMask(const Posterior& posterior, const cv::Mat& bgr, cv::Mat memory = {});
cv::Mat DetectProbability(const Posterior& posterior, const cv::Mat& bgr, cv::Mat memory = {});
// P(skin) as CV_32FC1, by the row function for floats.
cv::Mat DetectFloatProbability(const Posterior& posterior, const cv::Mat& bgr);
cv::Mat DetectClasses(const Posterior& posterior, const cv::Mat& bgr);  // index into Model::classes
// The log-odds z of every pixel by Posterior::LogOddsRow, CV_32FC1: in double, rounded to float.
cv::Mat DetectLogOdds(const Posterior& posterior, const cv::Mat& bgr);

// The mask (255 where they are above the threshold's log-odds, else 0) and the probability,
// round(255 P), of given log-odds (CV_32FC1, as Adapter gives them), CV_8UC1.
cv::Mat MaskOf(const cv::Mat& log_odds, double threshold, cv::Mat memory = {});
cv::Mat ProbabilityOf(const cv::Mat& log_odds, cv::Mat memory = {});
// round(65535 P), CV_16UC1.
cv::Mat DeepProbabilityOf(const cv::Mat& log_odds);
cv::Mat FloatProbabilityOf(const cv::Mat& log_odds);  // P, CV_32FC1

}  // namespace skinmask
