#include "programs/live/backdrop.h"

#include <algorithm>
#include <charconv>
#include <opencv2/imgproc.hpp>
#include <string_view>

#include "skinmask/media/image.h"

namespace skinmask::live {
namespace {

// By way of a small picture: the cost does not depend on how blurred it is.
cv::Mat Blurred(const cv::Mat& bgr) {
  constexpr int kTimes = 16;
  const cv::Size size(std::max(1, bgr.cols / kTimes), std::max(1, bgr.rows / kTimes));
  cv::Mat small, blurred;
  cv::resize(bgr, small, size, 0, 0, cv::INTER_AREA);
  cv::GaussianBlur(small, small, {0, 0}, 1.5);
  cv::resize(small, blurred, bgr.size(), 0, 0, cv::INTER_LINEAR);
  return blurred;
}

// As much of the image's middle as has the shape of `size`.
cv::Mat Covering(const cv::Mat& image, const cv::Size& size) {
  const double scale = std::max(static_cast<double>(size.width) / image.cols,
                                static_cast<double>(size.height) / image.rows);
  const cv::Size part(std::clamp(cvRound(size.width / scale), 1, image.cols),
                      std::clamp(cvRound(size.height / scale), 1, image.rows));
  const cv::Rect middle({(image.cols - part.width) / 2, (image.rows - part.height) / 2}, part);
  cv::Mat covering;
  cv::resize(image(middle), covering, size, 0, 0, scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
  return covering;
}

}  // namespace

std::optional<cv::Scalar> ParseColor(const std::string& text) {
  struct Named {
    std::string_view name;
    cv::Scalar color;
  };
  static const Named kNamed[] = {{"black", {0, 0, 0}},
                                 {"white", {255, 255, 255}},
                                 {"grey", {128, 128, 128}},
                                 {"green", {0, 255, 0}},
                                 {"blue", {255, 0, 0}}};
  for (const Named& named : kNamed)
    if (text == named.name) return named.color;
  unsigned value = 0;
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data() + 1, end, value, 16).ptr != end) return std::nullopt;
  return cv::Scalar(value & 0xff, value >> 8 & 0xff, value >> 16);
}

Backdrop::Backdrop(const std::string& what) : color_(ParseColor(what)) {
  if (!color_ && what != "blur") image_ = ReadImage(what);
}

cv::Mat Backdrop::Behind(const cv::Mat& bgr) {
  if (color_) return {bgr.size(), CV_8UC3, *color_};
  if (image_.empty()) return Blurred(bgr);
  if (fitted_.size() != bgr.size()) fitted_ = Covering(image_, bgr.size());
  return fitted_;
}

}  // namespace skinmask::live
