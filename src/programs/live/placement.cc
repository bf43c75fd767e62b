#include "programs/live/placement.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <opencv2/imgproc.hpp>

namespace skinmask::live {

cv::Rect Fitted(const cv::Size& picture, const cv::Size& area) {
  if (picture.empty() || area.empty()) return {};
  const double scale = std::min(static_cast<double>(area.width) / picture.width,
                                static_cast<double>(area.height) / picture.height);
  const cv::Size size(std::clamp(cvRound(scale * picture.width), 1, area.width),
                      std::clamp(cvRound(scale * picture.height), 1, area.height));
  return {cv::Point((area.width - size.width) / 2, (area.height - size.height) / 2), size};
}

cv::Point PixelUnder(const cv::Size& picture, const cv::Rect& fitted, const cv::Point2d& point) {
  const double x = (point.x - fitted.x) * picture.width / fitted.width;
  const double y = (point.y - fitted.y) * picture.height / fitted.height;
  return {static_cast<int>(std::clamp(std::floor(x), 0.0, picture.width - 1.0)),
          static_cast<int>(std::clamp(std::floor(y), 0.0, picture.height - 1.0))};
}

cv::Mat ForScreen(const cv::Mat& picture, const cv::Size& size) {
  cv::Mat scaled = picture, screen;
  if (size != picture.size()) cv::resize(picture, scaled, size, 0, 0, cv::INTER_LINEAR);
  cv::cvtColor(scaled, screen, picture.channels() == 1 ? cv::COLOR_GRAY2BGRA : cv::COLOR_BGR2BGRA);
  return screen;
}

void Selection::SetPicture(const cv::Size& size) {
  if (size != size_) Clear();
  size_ = size;
}

int Selection::Step() const { return std::max(1, std::min(size_.width, size_.height) / 40); }

bool Selection::Begin() {
  if (from_ || size_.empty()) return false;
  const cv::Point middle(size_.width / 2, size_.height / 2), half(4 * Step(), 4 * Step());
  from_ = middle - half;
  to_ = middle + half;
  return true;
}

void Selection::Nudge(int right, int down) {
  if (Begin() || !from_) return;
  const cv::Rect now = rectangle().value_or(cv::Rect());
  const cv::Point wanted = now.tl() + Step() * cv::Point(right, down);
  const cv::Point moved(std::clamp(wanted.x, 0, size_.width - now.width),
                        std::clamp(wanted.y, 0, size_.height - now.height));
  from_ = moved;
  to_ = moved + cv::Point(now.width - 1, now.height - 1);
}

void Selection::Grow(int steps) {
  if (Begin() || !from_) return;
  const cv::Rect now = rectangle().value_or(cv::Rect());
  const cv::Point by(steps * Step(), steps * Step());
  const cv::Point a = now.tl() - by, b = now.br() - cv::Point(1, 1) + by;
  if (a.x > b.x || a.y > b.y) return;
  from_ = a;
  to_ = b;
}

std::optional<cv::Rect> Selection::rectangle() const {
  if (!from_) return std::nullopt;
  const cv::Rect drawn(std::min(from_->x, to_.x), std::min(from_->y, to_.y),
                       std::abs(from_->x - to_.x) + 1, std::abs(from_->y - to_.y) + 1);
  return drawn & cv::Rect({}, size_);
}

std::optional<cv::Rect> Selection::Take() {
  const std::optional<cv::Rect> taken = rectangle();
  Clear();
  return taken;
}

}  // namespace skinmask::live
