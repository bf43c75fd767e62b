#include "programs/live/exchange.h"

namespace skinmask::live {

void Exchange::Publish(Shown shown) {
  std::function<void()> wake;
  {
    const std::lock_guard lock(mutex_);
    shown.commands = taken_;
    if (!newest_) wake = wake_;
    newest_ = std::make_shared<const Shown>(std::move(shown));
  }
  if (wake) wake();
}

std::vector<Command> Exchange::TakeCommands() {
  const std::lock_guard lock(mutex_);
  taken_ += commands_.size();
  return std::exchange(commands_, {});
}

std::vector<Painted> Exchange::TakePainted() {
  const std::lock_guard lock(mutex_);
  return std::exchange(painted_, {});
}

cv::Size Exchange::canvas() const {
  const std::lock_guard lock(mutex_);
  return canvas_;
}

bool Exchange::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

void Exchange::SetWake(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

std::shared_ptr<const Shown> Exchange::TakeNewest() {
  const std::lock_guard lock(mutex_);
  return std::exchange(newest_, nullptr);
}

void Exchange::Post(Command command) {
  const std::lock_guard lock(mutex_);
  commands_.push_back(std::move(command));
  ++posted_;
}

bool Exchange::IsUpToDate(const Shown& shown) const {
  const std::lock_guard lock(mutex_);
  return shown.commands == posted_;
}

void Exchange::SetCanvas(const cv::Size& size) {
  const std::lock_guard lock(mutex_);
  canvas_ = size;
}

void Exchange::AddPainted(const Painted& painted) {
  const std::lock_guard lock(mutex_);
  painted_.push_back(painted);
}

void Exchange::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

}  // namespace skinmask::live
