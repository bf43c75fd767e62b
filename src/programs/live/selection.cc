#include "programs/live/selection.h"

#include <algorithm>
#include <cstdlib>

namespace skinmask::live {

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
