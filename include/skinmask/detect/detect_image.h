// Masks, probabilities and classes of one image.
#pragma once

#include <opencv2/core.hpp>

#include "skinmask/model/posterior.h"

namespace [[gnu::visibility("default")]] skinmask {

// Rows of an image in parallel; `bgr` is CV_8UC3, results are CV_8UC1 of its size. Here as in all
// of the library a picture that is empty or of another type is an Error: grey ones and ones with
// alpha are the caller's to convert (cv::cvtColor).
// Where there is a `memory`, it is used if it is of that size and type.
cv::Mat DetectMask(const Posterior& posterior, const cv::Mat& bgr, cv::Mat memory = {});
cv::Mat DetectProbability(const Posterior& posterior, const cv::Mat& bgr, cv::Mat memory = {});
// P(skin) as it is, CV_32FC1, by the row function for floats.
cv::Mat DetectFloatProbability(const Posterior& posterior, const cv::Mat& bgr);
cv::Mat DetectClasses(const Posterior& posterior, const cv::Mat& bgr);  // index into Model::classes
// z of every pixel by Posterior::LogOddsRow, CV_32FC1: in double, rounded to float.
cv::Mat DetectLogOdds(const Posterior& posterior, const cv::Mat& bgr);

// Of log-odds that are known (CV_32FC1, as Adapter gives them), CV_8UC1 likewise: 255 where they
// are above the threshold's, else 0; round(255 P).
cv::Mat MaskOf(const cv::Mat& log_odds, double threshold, cv::Mat memory = {});
cv::Mat ProbabilityOf(const cv::Mat& log_odds, cv::Mat memory = {});
// round(65535 P), CV_16UC1: P itself to 16 bits, where ProbabilityOf has 8.
cv::Mat DeepProbabilityOf(const cv::Mat& log_odds);
cv::Mat FloatProbabilityOf(const cv::Mat& log_odds);  // P as it is, CV_32FC1

}  // namespace skinmask
