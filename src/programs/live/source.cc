#include "programs/live/source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "base/folder.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/media/image.h"

namespace skinmask::live {
namespace {

bool IsNumber(const std::string& text) {
  return !text.empty() && text.size() < 4 && text.find_first_not_of("0123456789") == text.npos;
}

bool IsDevice(const std::string& path) {
  struct stat status;
  return path.starts_with("/dev/") || (stat(path.c_str(), &status) == 0 && S_ISCHR(status.st_mode));
}

class Reader : public FrameSource {
 public:
  Reader(const std::string& name, const SourceOptions& options)
      : reader_(name, {.timeout_seconds = options.timeout_seconds,
                       .stop = options.stop,
                       .current = true,
                       .raw = options.raw}),
        name_(name),
        is_stream_(SourceKindOf(name) == SourceKind::kStream),
        stop_(options.stop) {}

  std::optional<LiveFrame> Read() override {
    std::optional<VideoFrame> frame = reader_.Read();
    if (frame) {
      const Rational aspect = reader_.info().pixel_aspect;
      const bool on_its_side = frame->rotation % 180 != 0;
      return LiveFrame{std::move(*frame), Clock::now(),
                       on_its_side ? Rational{aspect.den, aspect.num} : aspect};
    }
    // A network camera has no end; the sender has disconnected.
    if (is_stream_ && !has_end() && !(stop_ && *stop_)) throw Error(name_, "ended");
    return std::nullopt;
  }
  Rational rate() const override { return reader_.info().rate; }
  bool has_end() const override { return reader_.info().has_end; }
  bool is_ahead() const override { return has_end() || reader_.info().in_segments; }

 private:
  VideoReader reader_;
  std::string name_;
  bool is_stream_;
  const std::atomic<bool>* stop_;
};

}  // namespace

SourceKind SourceKindOf(const std::string& source) {
  if (IsRegularFile(source)) return SourceKind::kFile;
  if (IsDescriptor(source)) return SourceKind::kPipe;
  const bool has_address = source.find("://") != source.npos;
  // The password of an address may have a '!'. That of a pipeline stands between blanks.
  if (has_address && source.find_first_of(" \t\n") == source.npos) return SourceKind::kStream;
  if (source.find('!') != source.npos) return SourceKind::kPipeline;
  if (has_address) return SourceKind::kStream;
  if (IsNumber(source) || IsDevice(source)) return SourceKind::kCamera;
  return SourceKind::kFile;
}

std::unique_ptr<FrameSource> OpenSource(const std::string& source, const SourceOptions& options) {
  const SourceKind kind = SourceKindOf(source);
  if (kind == SourceKind::kCamera)
    return OpenCamera(IsNumber(source) ? "/dev/video" + source : source, options);
  if (kind == SourceKind::kPipeline) return OpenPipeline(source, options);
  return std::make_unique<Reader>(source, options);
}

VideoFrame WrapBgr(const cv::Mat& bgr) {
  VideoFrame frame;
  const auto kept = std::make_shared<const cv::Mat>(bgr);
  frame.layout = VideoFrame::Layout::kBgr;
  frame.size = bgr.size();
  frame.planes[0] = kept->ptr<std::uint8_t>();
  frame.strides[0] = static_cast<std::ptrdiff_t>(kept->step);
  frame.owner = kept;
  return frame;
}

VideoFrame DecodeJpegFrame(std::string_view jpeg, std::string_view subject) {
  return WrapBgr(DecodeImage(jpeg, subject, {.lenient = true}));
}

// Shared with the thread, because the thread may outlive the Capture.
struct Capture::State {
  State(std::string name, const CaptureOptions& capture_options)
      : source(std::move(name)), options(capture_options) {
    options.source.stop = &stop;
    options.source.notice = [this](const std::string& line) { Notice(line); };
  }

  void Loop() {
    std::exception_ptr why;
    try {
      frames = OpenSource(source, options.source);
      if (SourceKindOf(source) == SourceKind::kStream && frames->is_ahead()) {
        const std::lock_guard lock(mutex);
        options.at_own_rate = true;
      }
      while (!stop && Deliver()) {
      }
    } catch (...) {
      why = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex);
      failure = why;
      ended = true;
      changed.notify_all();
    }
    frames.reset();
  }

  // Delivers the next frame, or waits for the source's return. Returns false at the end.
  bool Deliver() {
    try {
      std::optional<LiveFrame> frame = frames->Read();
      if (!frame) return false;
      WaitUntilDue(*frame);
      Put(std::move(*frame));
      return true;
    } catch (const Error& e) {
      const SourceKind kind = SourceKindOf(source);
      if (captured == 0 || kind == SourceKind::kFile || kind == SourceKind::kPipe ||
          frames->has_end())
        throw;
      // A list of segments that is complete now has ended.
      if (frames->is_ahead() && HasEnd()) return false;
      if (options.wait_seconds <= 0) {
        Notice(e.what());
        return false;
      }
      if (frames->is_ahead()) throw;  // opened again it would give the same pictures again
      WaitForReturn(e.what());
      return !stop;
    }
  }

  // Whether the source has an end if it is opened now.
  bool HasEnd() const {
    try {
      return OpenSource(source, options.source)->has_end();
    } catch (const Error&) {
      return false;
    }
  }

  void WaitForReturn(const std::string& why) {
    constexpr double kRetrySeconds = 0.5;
    Notice(why + "; waiting for it to come back");
    {
      const std::lock_guard lock(mutex);
      running = false;
    }
    const auto lost = Clock::now();
    frames.reset();
    while (!stop) {
      if (SecondsSince(lost) > options.wait_seconds)
        throw Error(source, fmt::format("did not come back within {:g} s", options.wait_seconds));
      {
        std::unique_lock lock(mutex);
        if (changed.wait_for(lock, ClockDuration(kRetrySeconds), [&] { return stop.load(); }))
          return;
      }
      try {
        frames = OpenSource(source, options.source);
        std::optional<LiveFrame> frame = frames->Read();
        if (frame) {
          Put(std::move(*frame));
          Notice(fmt::format("{}: is back after {:.1f} s", source, SecondsSince(lost)));
          return;
        }
      } catch (const Error&) {  // not there yet
      }
      frames.reset();
    }
  }

  void Put(LiveFrame&& frame) {
    std::unique_lock lock(mutex);
    if (options.every_frame) changed.wait(lock, [&] { return stop || !newest; });
    if (newest) ++dropped;
    newest = std::move(frame);
    ++captured;
    running = true;
    rate = frames->rate();
    changed.notify_all();
  }

  // Delays a frame of a file until its time. Time stands still during a pause.
  void WaitUntilDue(LiveFrame& frame) {
    if (!options.at_own_rate) return;
    if (!first_shown) first_shown = Clock::now() - ClockDuration(frame.picture.seconds);
    auto due = *first_shown + ClockDuration(frame.picture.seconds);
    std::unique_lock lock(mutex);
    changed.wait_until(lock, due, [&] { return stop.load(); });
    if (paused) {
      changed.wait(lock, [&] { return stop || !paused; });
      due = Clock::now();
      first_shown = due - ClockDuration(frame.picture.seconds);
    }
    frame.captured = std::max(due, frame.captured);
  }

  template <class T>
  T Get(const T& value) const {
    const std::lock_guard lock(mutex);
    return value;
  }
  void Notice(const std::string& line) {
    const std::lock_guard lock(mutex);
    notices.push_back(line);
  }

  const std::string source;
  CaptureOptions options;
  std::atomic<bool> stop{false};
  const Clock::time_point started = Clock::now();
  std::unique_ptr<FrameSource> frames;  // used by the thread only
  std::optional<Clock::time_point> first_shown;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::optional<LiveFrame> newest;
  std::uint64_t captured = 0, dropped = 0;
  Rational rate{0, 1};
  bool running = false, ended = false, paused = false;
  std::exception_ptr failure;  // the error that ended the source, if any
  std::vector<std::string> notices;
};

Capture::Capture(const std::string& source, const CaptureOptions& options)
    : state_(std::make_shared<State>(source, options)) {
  std::packaged_task<void()> loop([state = state_] { state->Loop(); });
  finished_ = loop.get_future();
  std::thread(std::move(loop)).detach();
}

Capture::~Capture() {
  constexpr double kStopSeconds = 1;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
    state_->changed.notify_all();
  }
  finished_.wait_for(ClockDuration(kStopSeconds));
}

void Capture::SetPaused(bool paused) {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  s.paused = paused && (s.options.at_own_rate || s.options.every_frame);
  s.changed.notify_all();
}

std::optional<LiveFrame> Capture::Take(double seconds) {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  s.changed.wait_for(lock, ClockDuration(seconds),
                     [&] { return !s.paused && (s.newest || s.ended); });
  if (s.paused) return std::nullopt;
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
  return state_->ended && !state_->newest && !state_->failure && !state_->paused;
}
bool Capture::running() const { return state_->Get(state_->running); }
std::uint64_t Capture::captured() const { return state_->Get(state_->captured); }
std::uint64_t Capture::dropped() const { return state_->Get(state_->dropped); }
Rational Capture::rate() const { return state_->Get(state_->rate); }
std::vector<std::string> Capture::TakeNotices() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->notices, {});
}

}  // namespace skinmask::live
