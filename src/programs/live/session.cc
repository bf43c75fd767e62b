#include "programs/live/session.h"

#include <fmt/format.h>

#include <deque>

#include "base/elapsed.h"
#include "programs/cli/frame_table.h"
#include "programs/live/controls.h"
#include "programs/live/display.h"
#include "programs/live/recorder.h"
#include "programs/live/scene.h"
#include "skinmask/base/error.h"

namespace skinmask::live {
namespace {

// Frames a second over the last of them.
class RateMeter {
 public:
  void Tick() {
    times_.push_back(Clock::now());
    if (times_.size() > 31) times_.pop_front();
  }
  double rate() const {
    if (times_.size() < 2) return 0;
    const double span = std::chrono::duration<double>(times_.back() - times_.front()).count();
    return static_cast<double>(times_.size() - 1) / span;
  }

 private:
  std::deque<Clock::time_point> times_;
};

class Session {
 public:
  explicit Session(const SessionOptions& options)
      : o_(options), scene_(options.model, options.mirror, options.make_adapter) {
    // What takes its time comes before the first frame, since others would be dropped meanwhile:
    // FFmpeg's libraries, and the window.
    WrapBgr(cv::Mat::zeros(16, 16, CV_8UC3)).Bgr();
    if (!o_.headless) {
      controls_.emplace(scene_, recorder_, "skinmask: " + o_.source, o_.view, o_.folder, o_.notice);
      controls_->ShowEmpty("opening " + o_.source);
    }
    if (!o_.record.empty()) recorder_.emplace(o_.record, o_.view, Rational{0, 1});
    if (!o_.csv.empty()) table_.emplace(o_.csv, o_.overwrite, 4, "latency_ms");
    if (o_.track) scene_.Track(o_.track_start);
    capture_.emplace(o_.source, o_.capture);
  }

  Statistics Run() {
    // What was recorded is finished whatever happens, and the first failure is told.
    std::exception_ptr failure;
    const auto attempt = [&](void (Session::*step)()) {
      try {
        (this->*step)();
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
    };
    attempt(&Session::Loop);
    controls_.reset();
    attempt(&Session::FinishTable);
    attempt(&Session::FinishRecording);
    for (const std::string& line : capture_->TakeNotices()) o_.notice(line);
    if (failure) std::rethrow_exception(failure);
    return statistics_;
  }

 private:
  void Loop();
  void Work(LiveFrame&& frame);
  void Record(double seconds);
  void Show();
  void FinishTable();
  void FinishRecording();
  bool Done() const;
  std::vector<std::string> Status();

  const SessionOptions& o_;
  Scene scene_;
  std::optional<Capture> capture_;
  std::optional<Recorder> recorder_;
  std::optional<Controls> controls_;
  std::optional<cli::FrameTable> table_;
  Statistics statistics_;
  RateMeter rate_;
  std::optional<Clock::time_point> first_captured_, first_seen_, last_report_;
  double fraction_sum_ = 0;
};

bool Session::Done() const {
  if (o_.stop && *o_.stop) return true;
  if (o_.frames > 0 && statistics_.frames >= o_.frames) return true;
  return o_.seconds > 0 && first_seen_ && SecondsSince(*first_seen_) >= o_.seconds;
}

void Session::Loop() {
  const double patience = o_.headless ? 0.1 : 0.01;
  while (!Done() && !capture_->ended()) {
    std::optional<LiveFrame> frame = capture_->Take(patience);
    for (const std::string& line : capture_->TakeNotices()) {
      o_.notice(line);
      if (controls_) controls_->ShowMessage(line);
    }
    const bool paused = controls_ && controls_->paused();
    if (frame && !paused) Work(std::move(*frame));
    if (controls_ && (paused || !frame) && !scene_.empty() && controls_->TakeChanged()) Show();
    if (controls_ && !controls_->Handle(capture_->rate())) return;
    if (o_.report && last_report_ && SecondsSince(*last_report_) >= 1) {
      last_report_ = Clock::now();
      o_.report(statistics_);
    }
  }
}

void Session::Work(LiveFrame&& frame) {
  const Clock::time_point captured = frame.captured;
  if (!first_seen_) {
    first_seen_ = last_report_ = Clock::now();
    first_captured_ = captured;
  }
  const bool file = SourceKindOf(o_.source) == SourceKind::kFile;
  const double seconds = file ? frame.picture.seconds
                              : std::chrono::duration<double>(captured - *first_captured_).count();
  scene_.Process(std::move(frame), statistics_);
  const Observation& seen = scene_.observation();
  ++statistics_.frames;
  rate_.Tick();
  statistics_.dropped = capture_->dropped();
  statistics_.seconds = SecondsSince(*first_seen_);
  statistics_.pixels += static_cast<double>(seen.maps.mask.total());
  fraction_sum_ += seen.skin_fraction;
  statistics_.skin_fraction = fraction_sum_ / static_cast<double>(statistics_.frames);
  if (controls_) Show();
  const double latency = SecondsSince(captured);
  statistics_.of(Stage::kLatency).Add(latency);
  if (table_)
    table_->Add({statistics_.frames - 1, seconds, seen.skin_fraction, seen.region,
                 fmt::format("{:.2f}", 1e3 * latency)});
  Record(seconds);
}

void Session::Record(double seconds) {
  if (!recorder_) return;
  const auto start = Clock::now();
  const View view = recorder_->view();
  // (Draw makes a picture of its own, or gives the mask, which stays as it is.)
  recorder_->Write(Draw(view, scene_.ObservationFor(view), view != View::kMask), seconds);
  statistics_.of(Stage::kRecord).Add(SecondsSince(start));
}

void Session::Show() {
  const auto start = Clock::now();
  controls_->Show(Status());
  statistics_.of(Stage::kShow).Add(SecondsSince(start));
}

std::vector<std::string> Session::Status() {
  const auto ms = [&](Stage stage) { return 1e3 * statistics_.of(stage).Quantile(0.5); };
  std::vector<std::string> lines{
      fmt::format("{:.1f} frames/s, {} dropped", rate_.rate(), statistics_.dropped),
      fmt::format("ms: posterior {:.1f}, region {:.1f}, show {:.1f}, latency {:.1f}",
                  ms(Stage::kPosterior), ms(Stage::kRegion), ms(Stage::kShow), ms(Stage::kLatency)),
      fmt::format("skin {:.1f} %, threshold {:.3f}, prior {:.3f}",
                  100 * scene_.observation().skin_fraction, scene_.threshold(), scene_.prior())};
  if (const auto& r = scene_.observation().region)
    lines.push_back(fmt::format("{} {:.0f}, {:.0f}; {:.0f} x {:.0f}; {:.1f} degrees",
                                scene_.tracking() ? "tracked" : "region", r->centroid.x,
                                r->centroid.y, 2 * r->semi_major, 2 * r->semi_minor,
                                r->angle_degrees));
  else if (scene_.tracking())
    lines.emplace_back("nothing to track");
  if (recorder_) lines.push_back("recording to " + recorder_->path().string());
  if (!capture_->running()) lines.emplace_back("no frames; waiting for the source");
  return lines;
}

void Session::FinishTable() {
  if (table_) table_->Finish();
}

void Session::FinishRecording() {
  if (recorder_ && recorder_->Finish() > 0) o_.notice("wrote " + recorder_->path().string());
}

}  // namespace

Statistics RunSession(const SessionOptions& options) {
  if (!options.headless) RequireDisplay();
  for (const auto& path : {options.record, options.csv})
    if (!path.empty()) RequireWritable(path, options.overwrite);
  Session session(options);
  return session.Run();
}

}  // namespace skinmask::live
