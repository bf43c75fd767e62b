#include "programs/live/capture.h"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "skinmask/base/error.h"

namespace skinmask::live {
namespace {

Clock::duration Duration(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

// Shared with the thread, which may outlive the Capture.
struct Capture::State {
  State(std::string name, const CaptureOptions& capture_options)
      : source(std::move(name)), options(capture_options) {
    options.source.stop = &stop;
    options.source.notice = [this](const std::string& line) { Notice(line); };
  }

  void Loop();
  bool Deliver();
  void WaitForReturn(const std::string& why);
  void Put(LiveFrame&& frame);
  void HoldBack(LiveFrame& frame);
  void Notice(const std::string& line) {
    const std::lock_guard lock(mutex);
    notices.push_back(line);
  }
  void End(std::exception_ptr why) {
    const std::lock_guard lock(mutex);
    failure = std::move(why);
    ended = true;
    changed.notify_all();
  }
  // Sleeps, but not beyond a stop.
  void Pause(double seconds) {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, Duration(seconds), [&] { return stop.load(); });
  }

  const std::string source;
  CaptureOptions options;
  std::atomic<bool> stop{false};
  const Clock::time_point started = Clock::now();
  std::unique_ptr<FrameSource> frames;  // of the thread alone
  std::optional<Clock::time_point> first_shown;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::optional<LiveFrame> newest;
  std::uint64_t captured = 0, dropped = 0;
  Rational rate{0, 1};
  bool running = false, ended = false, finished = false;
  std::exception_ptr failure;  // what ended it, unless it was its end
  std::vector<std::string> notices;
};

void Capture::State::Loop() {
  std::exception_ptr why;
  try {
    frames = OpenSource(source, options.source);
    while (!stop && Deliver()) {
    }
  } catch (...) {
    why = std::current_exception();
  }
  End(why);
  frames.reset();
  const std::lock_guard lock(mutex);
  finished = true;
  changed.notify_all();
}

// The next frame, or the source's return. False at the end.
bool Capture::State::Deliver() {
  try {
    std::optional<LiveFrame> frame = frames->Read();
    if (!frame) return false;
    HoldBack(*frame);
    Put(std::move(*frame));
    return true;
  } catch (const Error& e) {
    const SourceKind kind = SourceKindOf(source);
    if (captured == 0 || kind == SourceKind::kFile || kind == SourceKind::kPipe) throw;
    if (options.wait_seconds <= 0) {
      Notice(e.what());
      return false;
    }
    WaitForReturn(e.what());
    return !stop;
  }
}

void Capture::State::WaitForReturn(const std::string& why) {
  constexpr double kRetrySeconds = 0.5;
  Notice(why + "; waiting for it to come back");
  {
    const std::lock_guard lock(mutex);
    running = false;
  }
  const auto lost = Clock::now();
  frames.reset();
  std::string last = why;
  while (!stop) {
    if (SecondsSince(lost) > options.wait_seconds)
      throw Error(source, fmt::format("did not come back within {:g} s", options.wait_seconds));
    try {
      frames = OpenSource(source, options.source);
      std::optional<LiveFrame> frame = frames->Read();
      if (frame) {
        Put(std::move(*frame));
        Notice(fmt::format("{}: is back after {:.1f} s", source, SecondsSince(lost)));
        return;
      }
    } catch (const Error&) {
      // Not there yet.
    }
    frames.reset();
    Pause(kRetrySeconds);
  }
}

// Frames of a file come as fast as they are decoded, and are shown at their time.
void Capture::State::HoldBack(LiveFrame& frame) {
  if (!options.at_own_rate) return;
  if (!first_shown) first_shown = Clock::now() - Duration(frame.picture.seconds);
  const auto due = *first_shown + Duration(frame.picture.seconds);
  std::unique_lock lock(mutex);
  changed.wait_until(lock, due, [&] { return stop.load(); });
  frame.captured = std::max(due, frame.captured);
}

void Capture::State::Put(LiveFrame&& frame) {
  std::unique_lock lock(mutex);
  if (options.every_frame) changed.wait(lock, [&] { return stop || !newest; });
  if (newest) ++dropped;
  newest = std::move(frame);
  ++captured;
  running = true;
  rate = frames->rate();
  changed.notify_all();
}

Capture::Capture(const std::string& source, const CaptureOptions& options)
    : state_(std::make_shared<State>(source, options)) {
  std::thread([state = state_] { state->Loop(); }).detach();
}

Capture::~Capture() {
  constexpr double kPatienceSeconds = 1;
  std::unique_lock lock(state_->mutex);
  state_->stop = true;
  state_->changed.notify_all();
  state_->changed.wait_for(lock, Duration(kPatienceSeconds), [&] { return state_->finished; });
}

std::optional<LiveFrame> Capture::Take(double seconds) {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  s.changed.wait_for(lock, Duration(seconds), [&] { return s.newest || s.ended; });
  if (s.newest) {
    std::optional<LiveFrame> frame = std::exchange(s.newest, std::nullopt);
    s.changed.notify_all();
    return frame;
  }
  if (s.failure) std::rethrow_exception(s.failure);
  if (!s.ended && s.captured == 0 && SecondsSince(s.started) > s.options.start_seconds)
    throw Error(s.source, fmt::format("no frame came within {:g} s", s.options.start_seconds));
  return std::nullopt;
}

bool Capture::ended() const {
  const std::lock_guard lock(state_->mutex);
  return state_->ended && !state_->newest && !state_->failure;
}
bool Capture::running() const {
  const std::lock_guard lock(state_->mutex);
  return state_->running;
}
std::uint64_t Capture::captured() const {
  const std::lock_guard lock(state_->mutex);
  return state_->captured;
}
std::uint64_t Capture::dropped() const {
  const std::lock_guard lock(state_->mutex);
  return state_->dropped;
}
Rational Capture::rate() const {
  const std::lock_guard lock(state_->mutex);
  return state_->rate;
}
std::vector<std::string> Capture::TakeNotices() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->notices, {});
}

}  // namespace skinmask::live
