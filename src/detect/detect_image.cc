#include "skinmask/detect/detect_image.h"

#include <cstddef>

#include "base/parallel_rows.h"
#include "detect/judged_rows.h"
#include "detect/log_odds_rows.h"
#include "media/picture_type.h"
#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

template <class T>
void ForRows(const Posterior& posterior, const cv::Mat& bgr,
             void (Posterior::*row)(const std::uint8_t*, std::size_t, T*) const noexcept,
             cv::Mat& result) {
  RequireType(bgr, CV_8UC3, "image");
  result.create(bgr.size(), cv::DataType<T>::type);
  ForJudgedRows(posterior, bgr.size(), [&](int y) {
    (posterior.*row)(bgr.ptr<std::uint8_t>(y), static_cast<std::size_t>(bgr.cols),
                     result.ptr<T>(y));
  });
}

template <class T>
cv::Mat Probabilities(const cv::Mat& log_odds, int type) {
  RequireType(log_odds, CV_32FC1, "log-odds");
  cv::Mat probability(log_odds.size(), type);
  ForRowsOf(log_odds.cols, log_odds.rows, [&](int y) {
    ProbabilityRowOf(log_odds.ptr<float>(y), static_cast<std::size_t>(log_odds.cols),
                     probability.ptr<T>(y));
  });
  return probability;
}

}  // namespace

void DetectMask(const Posterior& posterior, const cv::Mat& bgr, cv::Mat& mask) {
  ForRows(posterior, bgr, &Posterior::MaskRow, mask);
}

cv::Mat DetectMask(const Posterior& posterior, const cv::Mat& bgr) {
  cv::Mat mask;
  DetectMask(posterior, bgr, mask);
  return mask;
}

cv::Mat DetectProbability(const Posterior& posterior, const cv::Mat& bgr) {
  cv::Mat probability;
  ForRows<std::uint8_t>(posterior, bgr, &Posterior::ProbabilityRow, probability);
  return probability;
}

cv::Mat DetectFloatProbability(const Posterior& posterior, const cv::Mat& bgr) {
  cv::Mat probability;
  ForRows<float>(posterior, bgr, &Posterior::ProbabilityRow, probability);
  return probability;
}

cv::Mat DetectClasses(const Posterior& posterior, const cv::Mat& bgr) {
  cv::Mat classes;
  ForRows(posterior, bgr, &Posterior::ClassRow, classes);
  return classes;
}

cv::Mat DetectLogOdds(const Posterior& posterior, const cv::Mat& bgr) {
  cv::Mat log_odds;
  ForRows(posterior, bgr, &Posterior::LogOddsRow, log_odds);
  return log_odds;
}

cv::Mat MaskOf(const cv::Mat& log_odds, double threshold) {
  RequireType(log_odds, CV_32FC1, "log-odds");
  const auto least = static_cast<float>(Logit(threshold));
  cv::Mat mask(log_odds.size(), CV_8UC1);
  ForRowsOf(log_odds.cols, log_odds.rows, [&](int y) {
    MaskRowOf(log_odds.ptr<float>(y), static_cast<std::size_t>(log_odds.cols), least, mask.ptr(y));
  });
  return mask;
}

cv::Mat ProbabilityOf(const cv::Mat& log_odds) {
  return Probabilities<std::uint8_t>(log_odds, CV_8UC1);
}

cv::Mat DeepProbabilityOf(const cv::Mat& log_odds) {
  return Probabilities<std::uint16_t>(log_odds, CV_16UC1);
}

cv::Mat FloatProbabilityOf(const cv::Mat& log_odds) {
  return Probabilities<float>(log_odds, CV_32FC1);
}

}  // namespace skinmask
