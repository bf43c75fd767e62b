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

void Exchange::Post(Command command) {
  const std::lock_guard lock(mutex_);
  commands_.push_back(std::move(command));
  ++posted_;
}

void Exchange::AddPainted(const Painted& painted) {
  const std::lock_guard lock(mutex_);
  painted_.push_back(painted);
}

}  // namespace skinmask::live
