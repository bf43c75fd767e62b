// The session, which works on frames on a thread of its own, and the window exchange commands one
// way and the newest picture the other. Nobody waits for anybody.
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

// What the window shows beside the picture.
struct Status {
  std::string source;
  std::string message;  // for some seconds
  View view = View::kOverlay;
  double divider = 0.5;
  bool paused = false, waiting = true;  // waiting: for the source's next frame
  double threshold = 0.5, prior = 0.5;
  bool adapting = false;
  std::string adapted;  // what was done to the frame: "2 faces"
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

// A picture for the screen, and what is to be said about it.
struct Shown {
  Status status;
  cv::Mat picture;                // CV_8UC4, as large as its place on the screen; or empty
  cv::Size drawn, frame;          // the picture before it was scaled, and the frame in it
  std::optional<Region> ellipse;  // to be drawn, in pixels of the frame
  Clock::time_point captured;     // of the frame
  std::uint64_t number = 0;       // of the frame; 0: none yet
  double draw_seconds = 0;        // that making the picture took
  std::uint64_t commands = 0;     // of the user that were carried out before
};

// That a frame is on the screen.
struct Painted {
  std::uint64_t number;
  double latency, seconds;  // since it was captured; of drawing and painting
};

class Controls;
using Command = std::function<void(Controls&)>;

class Exchange {
 public:
  // The session's side. A picture that was not taken makes way for a newer one.
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
  // Of the window's picture, in pixels of the screen.
  cv::Size canvas() const { return Get(canvas_); }
  bool closed() const { return Get(closed_); }  // the user is done

  // The window's side. `wake` is called from the session's thread when there is something new, and
  // not again before that was taken.
  void SetWake(std::function<void()> wake) { Set(wake_, std::move(wake)); }
  std::shared_ptr<const Shown> TakeNewest() { return Take(newest_); }  // null where nothing is new
  void Post(Command command) {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
    ++posted_;
  }
  // Everything that was asked for was carried out before this was published. (What was not may
  // still say the contrary of what the user just did.)
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

// Shows a MainWindow on this thread, which must be the main one, until `work` returns, which runs
// on another. It should return soon after exchange.closed(). What it throws is thrown here. Throws
// Error where there is no screen.
void RunInWindow(const std::string& title, const std::function<void(Exchange&)>& work);

}  // namespace skinmask::live
