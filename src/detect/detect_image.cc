#include "skinmask/detect/detect_image.h"

#include <cstddef>
#include <utility>

#include "base/parallel_rows.h"
#include "detect/judged_rows.h"
#include "detect/log_odds_rows.h"
#include "media/picture_type.h"
#include "skinmask/base/logistic.h"

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

template <class T>
cv::Mat Probabilities(const cv::Mat& log_odds, cv::Mat probability = {}) {
  RequireType(log_odds, CV_32FC1, "log-odds");
  probability.create(log_odds.size(), cv::DataType<T>::type);
  ForRowsOf(log_odds.cols, log_odds.rows, [&](int y) {
    ProbabilityRowOf(log_odds.ptr<float>(y), static_cast<std::size_t>(log_odds.cols),
                     probability.ptr<T>(y));
  });
  return probability;
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
  const auto least = static_cast<float>(Logit(threshold));
  memory.create(log_odds.size(), CV_8UC1);
  ForRowsOf(log_odds.cols, log_odds.rows, [&](int y) {
    MaskRowOf(log_odds.ptr<float>(y), static_cast<std::size_t>(log_odds.cols), least,
              memory.ptr(y));
  });
  return memory;
}

cv::Mat ProbabilityOf(const cv::Mat& log_odds, cv::Mat memory) {
  return Probabilities<std::uint8_t>(log_odds, std::move(memory));
}

cv::Mat DeepProbabilityOf(const cv::Mat& log_odds) {
  return Probabilities<std::uint16_t>(log_odds);
}

cv::Mat FloatProbabilityOf(const cv::Mat& log_odds) { return Probabilities<float>(log_odds); }

}  // namespace skinmask
