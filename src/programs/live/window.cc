#include "programs/live/window.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <opencv2/highgui.hpp>

namespace skinmask::live {
namespace {

constexpr char kThreshold[] = "threshold %", kPrior[] = "prior %";

int Percent(double value) { return static_cast<int>(std::lround(100 * value)); }

cv::Rect Between(const cv::Point& a, const cv::Point& b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x) + 1, std::abs(a.y - b.y) + 1};
}

}  // namespace

Window::Window(const std::string& title, double threshold, double prior) : title_(title) {
  // Qt speaks of run-time folders and fonts, which is nothing to the user.
  setenv("QT_LOGGING_RULES", "*.debug=false;*.info=false;*.warning=false", 0);
  cv::namedWindow(title_, cv::WINDOW_NORMAL | cv::WINDOW_KEEPRATIO | cv::WINDOW_GUI_NORMAL);
  cv::createTrackbar(kThreshold, title_, nullptr, 100, OnThreshold, this);
  cv::createTrackbar(kPrior, title_, nullptr, 99, OnPrior, this);
  cv::setTrackbarMin(kPrior, title_, 1);
  cv::setMouseCallback(title_, OnMouse, this);
  SetSliders(threshold, prior);
}

Window::~Window() { cv::destroyAllWindows(); }

void Window::Show(const cv::Mat& picture) {
  constexpr int kMostWidth = 1280, kMostHeight = 720, kSlidersHeight = 80;
  cv::imshow(title_, picture);
  const bool as_wide = size_.width == picture.cols;
  size_ = picture.size();
  if (!as_wide) {  // another view may be lower
    const double scale = std::min({1.0, static_cast<double>(kMostWidth) / size_.width,
                                   static_cast<double>(kMostHeight) / size_.height});
    cv::resizeWindow(title_, cvRound(size_.width * scale),
                     cvRound(size_.height * scale) + kSlidersHeight);
  }
  Paint();
}

// Qt paints when its events are handled, keys among them.
void Window::Paint() {
  if (const int key = cv::waitKey(1); key >= 0) key_ = key;
}

int Window::Poll() { return key_ >= 0 ? std::exchange(key_, -1) : cv::waitKey(1); }

bool Window::IsOpen() const { return cv::getWindowProperty(title_, cv::WND_PROP_VISIBLE) > 0; }

void Window::SetSliders(double threshold, double prior) {
  setting_ = true;
  cv::setTrackbarPos(kThreshold, title_, Percent(threshold));
  cv::setTrackbarPos(kPrior, title_, std::clamp(Percent(prior), 1, 99));
  setting_ = false;
}

std::optional<cv::Rect> Window::dragged() const {
  if (!from_) return std::nullopt;
  return Between(*from_, to_) & cv::Rect({}, size_);
}

void Window::OnThreshold(int position, void* window) {
  auto& self = *static_cast<Window*>(window);
  if (!self.setting_) self.threshold_ = position / 100.0;
}

void Window::OnPrior(int position, void* window) {
  auto& self = *static_cast<Window*>(window);
  if (!self.setting_) self.prior_ = position / 100.0;
}

void Window::OnMouse(int event, int x, int y, int, void* window) {
  auto& self = *static_cast<Window*>(window);
  const cv::Point here(x, y);
  if (event == cv::EVENT_LBUTTONDOWN) {
    self.from_ = self.to_ = here;
  } else if (event == cv::EVENT_MOUSEMOVE) {
    self.to_ = here;
  } else if (event == cv::EVENT_LBUTTONUP && self.from_) {
    self.to_ = here;
    self.finished_ = self.dragged();
    self.from_.reset();
  }
}

}  // namespace skinmask::live
