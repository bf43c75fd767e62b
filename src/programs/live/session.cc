#include "programs/live/session.h"

#include <fmt/format.h>

#include <utility>

#include "base/elapsed.h"
#include "programs/live/controls.h"
#include "programs/live/gstreamer.h"
#include "programs/live/recorder.h"
#include "skinmask/base/error.h"

namespace skinmask::live {
namespace {

// The session's side of a window.
struct Desk {
  Desk(Exchange& to_window, Scene& scene, std::optional<Recorder>& recorder,
       const SessionOptions& o)
      : exchange(to_window),
        controls(scene, recorder, o.view, o.folder, o.notice, o.ellipse),
        presenter(to_window, scene, controls) {}
  Exchange& exchange;
  Controls controls;
  Presenter presenter;
};

class Session {
 public:
  Session(const SessionOptions& options, Exchange* exchange)
      : o_(options),
        scene_(options.model, options.mirror, options.detector, options.if_asked),
        tables_(options.tables, cli::FrameTables::Of::kLive, options.if_exists) {
    // FFmpeg's libraries take their time, and frames would be dropped meanwhile.
    WrapBgr(cv::Mat::zeros(16, 16, CV_8UC3)).Bgr();
    if (exchange) desk_.emplace(*exchange, scene_, recorder_, o_);
    if (o_.sink) sink_.emplace(*o_.sink, o_.capture.every_frame);
    scene_.SetBackdrop(Backdrop(o_.background));
    if (o_.track) scene_.Track(o_.track_start);
    Open(o_.source, o_.capture);
    if (!o_.record.empty()) recorder_.emplace(o_.record, o_.view, o_.if_exists);
  }

  Statistics Run() {
    // What was recorded is finished whatever happens, and the first failure is told.
    std::exception_ptr failure;
    const auto attempt = [&](const auto& step) {
      try {
        step();
      } catch (const WaitStopped&) {  // an interrupt, within a picture that takes long
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
    };
    attempt([&] { Loop(); });
    attempt([&] { tables_.Finish(); });
    attempt([&] {
      if (recorder_ && recorder_->Finish() > 0) o_.notice("wrote " + recorder_->path().string());
    });
    attempt([&] {
      if (sink_ && statistics_.frames > 0) sink_->Finish();
    });
    for (const std::string& line : capture_->TakeNotices()) o_.notice(line);
    if (failure && statistics_.frames == 0) std::rethrow_exception(failure);
    statistics_.failure = failure;
    return statistics_;
  }

 private:
  void Open(const std::string& source, const CaptureOptions& options) {
    source_ = source;
    if (desk_) desk_->presenter.SetSource(source);
    if (capture_) dropped_before_ += capture_->dropped();
    capture_.reset();  // a camera is opened once at a time
    capture_.emplace(source, options);
  }

  void Loop() {
    while (!Done() && !capture_->ended()) {
      std::optional<LiveFrame> frame = Take();
      for (const std::string& line : capture_->TakeNotices()) Tell(line);
      if (frame && !(desk_ && desk_->controls.paused())) Work(std::move(*frame));
      if (desk_) Serve();
      if (o_.report && last_report_ && SecondsSince(*last_report_) >= 1) {
        last_report_ = Clock::now();
        Statistics until_now = statistics_;  // though no frame came of late
        until_now.seconds = SecondsSince(*first_seen_);
        o_.report(until_now);
      }
    }
    if (desk_) desk_->presenter.Count(statistics_);
  }

  // The next frame, if one comes soon. A source that was chosen in the window and gives none makes
  // way for the one of the command line.
  std::optional<LiveFrame> Take() {
    try {
      return capture_->Take(desk_ ? 0.005 : 0.1);
    } catch (const Error& e) {
      if (source_ == o_.source) throw;
      desk_->controls.Tell(e.what());
      Open(o_.source, o_.capture);
      return std::nullopt;
    }
  }

  void Tell(const std::string& line) { desk_ ? desk_->controls.Tell(line) : o_.notice(line); }

  // What the user asks for, and what he sees of it.
  void Serve() {
    desk_->controls.Do(desk_->exchange.TakeCommands());
    OpenChosen();
    desk_->presenter.Refresh(NowSupplied());
    desk_->presenter.Count(statistics_);
  }

  void OpenChosen() {
    const std::optional<SourceChoice> choice = desk_->controls.TakeChoice();
    if (!choice) return;
    const bool chose_format = !choice->size.empty() || choice->rate > 0 || !choice->format.empty();
    if (choice->source == o_.source && !chose_format) return Open(o_.source, o_.capture);
    CaptureOptions options = o_.capture;
    options.source.size = choice->size;
    options.source.rate = choice->rate;
    options.source.format = choice->format;
    options.source.raw.reset();
    options.every_frame = options.at_own_rate = false;
    Open(choice->source, options);
  }

  Supply NowSupplied() const {
    return {capture_->running(), dropped_before_ + capture_->dropped()};
  }

  void Work(LiveFrame&& frame) {
    const Clock::time_point captured = frame.captured;
    if (!first_seen_) {
      first_seen_ = last_report_ = Clock::now();
      first_captured_ = captured;
    }
    const double seconds = SecondsOf(frame);
    scene_.SetRate(capture_->rate().Value());
    scene_.Process(std::move(frame), statistics_);
    const Observation& seen = scene_.observation();
    const cv::Size size = scene_.frame_size();
    if (statistics_.frames == 0 && o_.track && o_.track_start &&
        (*o_.track_start & cv::Rect({}, size)).empty())
      throw Error("`track`",
                  fmt::format("is not within pictures of {}x{}", size.width, size.height));
    ++statistics_.frames;
    statistics_.dropped = NowSupplied().dropped;
    statistics_.seconds = SecondsSince(*first_seen_);
    statistics_.pixels += static_cast<double>(size.area());
    fraction_sum_ += seen.skin_fraction;
    statistics_.skin_fraction = fraction_sum_ / static_cast<double>(statistics_.frames);
    if (desk_) desk_->presenter.Present(captured, NowSupplied());
    const double latency = SecondsSince(captured);
    if (!desk_) statistics_.of(Stage::kLatency).Add(latency);  // else when it is on the screen
    if (tables_.any()) Measure(captured, seconds, latency);
    Record(seconds);
  }

  // Of a pipe whose writer waits for every frame to be worked on the time of arrival says nothing.
  double SecondsOf(const LiveFrame& frame) const {
    const SourceKind kind = SourceKindOf(source_);
    const bool waits = kind == SourceKind::kPipe && o_.capture.every_frame;
    if (source_ == o_.source && (kind == SourceKind::kFile || waits)) return frame.picture.seconds;
    return std::chrono::duration<double>(frame.captured - *first_captured_).count();
  }

  // A picture of its own; levels and the cut-out are recorded without the ellipse.
  cv::Mat Drawn(View view) {
    const bool plain = IsGrey(view) || view == View::kCutout;
    const bool ellipse = desk_ ? desk_->controls.shows_ellipse() : o_.ellipse;
    DrawOptions options;
    if (ellipse && !plain) options.ellipse = scene_.ellipse();
    if (desk_) options.divider = desk_->controls.divider();
    return Draw(view, scene_.ObservationFor(view), options);
  }

  void Measure(Clock::time_point captured, double seconds, double latency) {
    const std::optional<Region> region = scene_.region(statistics_);
    const auto start = Clock::now();
    Observation& seen = scene_.observation();
    cli::FrameRow row{.frame = static_cast<std::int64_t>(statistics_.frames) - 1,
                      .seconds = seconds,
                      .skin_fraction = seen.skin_fraction,
                      .region = region,
                      .measured = &seen.judgement.Measured(),
                      .latency_ms = 1e3 * latency};
    const SourceKind kind = SourceKindOf(source_);
    if (kind != SourceKind::kFile && kind != SourceKind::kPipe)
      row.captured = std::chrono::duration<double>(captured - epoch_).count();
    tables_.Add(row);
    statistics_.of(Stage::kMeasure).Add(SecondsSince(start));
  }

  void Record(double seconds) {
    if (!recorder_ && !sink_) {
      recorded_size_ = {};
      return;
    }
    const cv::Size before = std::exchange(recorded_size_, scene_.frame_size());
    if (const cv::Size now = recorded_size_; now != before && !before.empty())
      Tell(fmt::format("pictures are {}x{} now, {}x{} before: what is recorded keeps its size",
                       now.width, now.height, before.width, before.height));
    const auto start = Clock::now();
    if (recorder_) recorder_->Write(Drawn(recorder_->view()), seconds, capture_->rate());
    if (sink_) sink_->Write(Drawn(o_.view), seconds, capture_->rate());
    statistics_.of(Stage::kRecord).Add(SecondsSince(start));
  }

  bool Done() const {
    if (o_.stop && *o_.stop) return true;
    if (desk_ && desk_->exchange.closed()) return true;
    if (o_.frames > 0 && statistics_.frames >= o_.frames) return true;
    return o_.seconds > 0 && first_seen_ && SecondsSince(*first_seen_) >= o_.seconds;
  }

  const SessionOptions& o_;
  // The beginning of 1970 on the clock of frames, once for all: that clock is never set.
  const Clock::time_point epoch_ =
      Clock::now() - std::chrono::duration_cast<Clock::duration>(
                         std::chrono::system_clock::now().time_since_epoch());
  Scene scene_;
  std::string source_;
  std::optional<Capture> capture_;
  std::optional<Recorder> recorder_;
  std::optional<PipelineSink> sink_;
  std::optional<Desk> desk_;
  cli::FrameTables tables_;
  Statistics statistics_;
  std::optional<Clock::time_point> first_captured_, first_seen_, last_report_;
  std::uint64_t dropped_before_ = 0;  // of sources that others took the place of
  double fraction_sum_ = 0;
  cv::Size recorded_size_;
};

}  // namespace

Statistics RunSession(const SessionOptions& options, Exchange* exchange) {
  if (!options.record.empty()) RequireWritable(options.record, options.if_exists);
  return Session(options, exchange).Run();
}

}  // namespace skinmask::live
