#include "programs/cli/signals.h"

#include <time.h>
#include <unistd.h>

#include <csignal>

#include "base/may_not_return.h"
#include "programs/cli/context.h"
#include "skinmask/base/file.h"

namespace skinmask::cli {
namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

// How long a run has for an orderly end: less than the second that is promised.
constexpr long kPatienceNanoseconds = 700'000'000;

timer_t timer;
bool has_timer = false;

extern "C" void RequestStop(int) {
  stop = true;
  // And again after a tenth of a second, should nothing keep it then.
  const itimerspec patience{{0, kPatienceNanoseconds / 7}, {0, kPatienceNanoseconds}};
  if (has_timer) timer_settime(timer, 0, &patience, nullptr);
}

// Where a decoder does not come back, or nobody reads what is written. Whatever else a run does at
// its end, it does in order.
extern "C" void EndNow(int) {
  if (!MayNotReturn::IsUnderWay()) return;
  RemoveUnfinishedNow();
  _exit(kInterrupted);
}

void Handle(int signal, void (*handler)(int), unsigned flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(flags);
  sigaction(signal, &action, nullptr);
}

}  // namespace

const std::atomic<bool>& StopFlag() { return stop; }

void InstallSignalHandlers() {
  StopWaitsBy(&stop);
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  has_timer = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
  Handle(SIGALRM, EndNow, SA_RESTART);
  Handle(SIGINT, RequestStop, SA_RESETHAND | SA_RESTART);
  Handle(SIGTERM, RequestStop, SA_RESETHAND | SA_RESTART);
}

}  // namespace skinmask::cli
