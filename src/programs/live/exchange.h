// Between the session, which works on frames on a thread of its own, and the window: commands go
// one way, the newest picture the other. Nobody waits for anybody.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <opencv2/core.hpp>
#include <utility>
#include <vector>

#include "programs/live/status.h"

namespace skinmask::live {

class Controls;
using Command = std::function<void(Controls&)>;

class Exchange {
 public:
  // The session's side. A picture that was not taken makes way for a newer one.
  void Publish(Shown shown);
  std::vector<Command> TakeCommands();
  std::vector<Painted> TakePainted();
  cv::Size canvas() const;  // of the window's picture, in pixels of the screen
  bool closed() const;      // the user is done

  // The window's side. `wake` is called from the session's thread when there is something new, and
  // not again before that was taken.
  void SetWake(std::function<void()> wake);
  std::shared_ptr<const Shown> TakeNewest();  // null where nothing is new
  void Post(Command command);
  // Everything that was asked for was carried out before this was published. (What was not may
  // still say the contrary of what the user just did.)
  bool IsUpToDate(const Shown& shown) const;
  void SetCanvas(const cv::Size& size);
  void AddPainted(const Painted& painted);
  void Close();

 private:
  mutable std::mutex mutex_;
  std::function<void()> wake_;
  std::shared_ptr<const Shown> newest_;
  std::vector<Command> commands_;
  std::vector<Painted> painted_;
  std::uint64_t posted_ = 0, taken_ = 0;
  cv::Size canvas_;
  bool closed_ = false;
};

}  // namespace skinmask::live
