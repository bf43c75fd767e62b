// The window: a picture, two sliders, keys and a rectangle drawn by the mouse.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <utility>

namespace skinmask::live {

class Window {
 public:
  // As large as its pictures, or smaller where they are large. Sliders stand at the nearest
  // percent.
  Window(const std::string& title, double threshold, double prior);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Returns when the picture is on the screen, as far as Qt can tell.
  void Show(const cv::Mat& picture);
  // Handles what the user did; the key that was pressed, or -1.
  int Poll();
  // False once it was closed.
  bool IsOpen() const;

  // Where a slider was moved to since the last call.
  std::optional<double> TakeThreshold() { return std::exchange(threshold_, std::nullopt); }
  std::optional<double> TakePrior() { return std::exchange(prior_, std::nullopt); }
  // Puts both sliders there, which is not taken for the user's doing.
  void SetSliders(double threshold, double prior);

  // The rectangle that is being drawn, and one that was finished since the last call; in the pixels
  // of the picture shown.
  std::optional<cv::Rect> dragged() const;
  std::optional<cv::Rect> TakeDragged() { return std::exchange(finished_, std::nullopt); }

 private:
  void Paint();
  static void OnThreshold(int position, void* window);
  static void OnPrior(int position, void* window);
  static void OnMouse(int event, int x, int y, int flags, void* window);

  std::string title_;
  bool setting_ = true;  // sliders are moved by us
  cv::Size size_;        // of the picture
  int key_ = -1;         // pressed while a picture was shown
  std::optional<double> threshold_, prior_;
  std::optional<cv::Point> from_;
  cv::Point to_;
  std::optional<cv::Rect> finished_;
};

}  // namespace skinmask::live
