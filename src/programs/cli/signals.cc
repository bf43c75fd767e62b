#include "programs/cli/signals.h"

#include <csignal>

#include "skinmask/base/file.h"

namespace skinmask::cli {
namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

extern "C" void RequestStop(int) { stop = true; }

}  // namespace

const std::atomic<bool>& StopFlag() { return stop; }

void InstallSignalHandlers() {
  StopWaitsBy(&stop);
  struct sigaction action = {};
  action.sa_handler = RequestStop;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace skinmask::cli
