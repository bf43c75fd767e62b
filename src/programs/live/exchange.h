// The session, which processes frames on its own thread, and the window exchange commands in one
// direction and the newest picture in the other. Neither waits for the other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/elapsed.h"
#include "programs/live/view.h"

namespace skinmask::live {

enum class Sampling { kOff, kSkin, kBackground };

// The state that the window shows beside the picture.
struct Status {
  std::string source;
  std::string message;  // shown for some seconds
  View view = View::kOverlay;
  double divider = 0.5;
  bool paused = false, waiting = true;  // waiting: for the source's next frame
  double threshold = 0.5, prior = 0.5;
  bool adapting = false;
  std::string adapted;  // how the model was adapted to the frame: "2 faces"
  bool tracking = false, show_ellipse = false;
  std::string ellipse;  // of the mask, in words
  Sampling sampling = Sampling::kOff;
  std::uint64_t skin_pixels = 0, background_pixels = 0;
  std::size_t rectangles = 0;
  std::string recording;  // the file; empty: none
  double skin_fraction = 0;
  double rate = 0;  // frames a second
  std::uint64_t dropped = 0;
};

// A picture for the screen, with its status and times.
struct Shown {
  Status status;
  cv::Mat picture;                // CV_8UC4, of its size on the screen; or empty
  cv::Size drawn, frame;          // sizes of the picture before scaling, and of the frame
  std::optional<Region> ellipse;  // the ellipse to draw, in pixels of the frame
  Clock::time_point captured;     // of the frame
  std::uint64_t number = 0;       // of the frame; 0: none yet
  double draw_seconds = 0;        // time to make the picture
  std::uint64_t commands = 0;     // number of commands that were executed before
};

// The report that a frame is on the screen.
struct Painted {
  double latency, seconds;  // latency: since capture; seconds: for drawing and painting
};

class Controls;
using Command = std::function<void(Controls&)>;

class Exchange {
 public:
  // The session's side. A newer picture replaces one that was not taken.
  void Publish(Shown shown) {
    std::function<void()> wake;
    {
      const std::lock_guard lock(mutex_);
      shown.commands = taken_;
      if (!newest_) wake = wake_;
      newest_ = std::make_shared<const Shown>(std::move(shown));
    }
    if (wake) wake();
  }
  std::vector<Command> TakeCommands() {
    const std::lock_guard lock(mutex_);
    taken_ += commands_.size();
    return std::exchange(commands_, {});
  }
  std::vector<Painted> TakePainted() { return Take(painted_); }
  // The size of the window's picture, in pixels of the screen.
  cv::Size canvas() const { return Get(canvas_); }
  bool closed() const { return Get(closed_); }  // the user closed the window

  // The window's side. `wake` is called from the session's thread when there is a new picture, once
  // until it is taken.
  void SetWake(std::function<void()> wake) { Set(wake_, std::move(wake)); }
  // Null if there is no new one.
  std::shared_ptr<const Shown> TakeNewest() { return Take(newest_); }
  void Post(Command command) {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
    ++posted_;
  }
  // True if all posted commands were executed before `shown` was published. (Otherwise the status
  // may contradict what the user just did.)
  bool IsUpToDate(const Shown& shown) const { return shown.commands == Get(posted_); }
  void SetCanvas(const cv::Size& size) { Set(canvas_, size); }
  void AddPainted(const Painted& painted) {
    const std::lock_guard lock(mutex_);
    painted_.push_back(painted);
  }
  void Close() { Set(closed_, true); }

 private:
  template <class T>
  T Get(const T& value) const {
    const std::lock_guard lock(mutex_);
    return value;
  }
  template <class T>
  T Take(T& value) {
    const std::lock_guard lock(mutex_);
    return std::exchange(value, T());
  }
  template <class T>
  void Set(T& value, T to) {
    const std::lock_guard lock(mutex_);
    value = std::move(to);
  }

  mutable std::mutex mutex_;
  std::function<void()> wake_;
  std::shared_ptr<const Shown> newest_;
  std::vector<Command> commands_;
  std::vector<Painted> painted_;
  std::uint64_t posted_ = 0, taken_ = 0;
  cv::Size canvas_;
  bool closed_ = false;
};

// Shows a MainWindow on this thread, which must be the main thread, until `work`, which runs on
// another thread, returns. It should return soon after exchange.closed(). Its exceptions are
// rethrown here. Throws Error if there is no screen. If the screen is lost, the process ends with
// status 1 after `work`.
void RunInWindow(const std::string& title, const std::function<void(Exchange&)>& work);

}  // namespace skinmask::live
