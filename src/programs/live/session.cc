#include "programs/live/session.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/elapsed.h"
#include "programs/live/controls.h"
#include "programs/live/recorder.h"
#include "skinmask/base/error.h"

namespace skinmask::live {
namespace {

class Session {
 public:
  Session(const SessionOptions& options, Exchange* exchange)
      : o_(options),
        exchange_(exchange),
        scene_(options.model, options.mirror, options.detector, options.if_asked),
        controls_(scene_, recorder_, o_.view, o_.folder, o_.notice, o_.ellipse),
        tables_(options.tables, cli::FrameTables::Of::kLive, options.if_exists) {
    statistics_.positive = o_.model.positive().name;
    // Loads FFmpeg's libraries now, because frames would be dropped during a later load.
    WrapBgr(cv::Mat::zeros(16, 16, CV_8UC3)).Bgr();
    if (exchange) presenter_.emplace(*exchange, scene_, controls_);
    if (o_.sink) sink_ = OpenSink(*o_.sink, o_.capture.every_frame);
    scene_.SetBackdrop(Backdrop(o_.background));
    if (o_.track) scene_.Track(o_.track_start);
    Open(o_.source, o_.capture);
    if (!o_.record.empty()) recorder_.emplace(o_.record, o_.view, o_.if_exists);
  }

  Statistics Run() {
    // The recording is finished whatever happens, and the first failure is reported.
    std::exception_ptr failure;
    const auto attempt = [&](const auto& step) {
      try {
        step();
      } catch (const WaitStopped&) {  // an interrupt during a long classification
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
    };
    attempt([&] { Loop(); });
    attempt([&] {
      if (failure && statistics_.frames == 0) return;  // earlier tables stay
      tables_.Each(&cli::FrameTable::CutToMark);       // drops a row that did not fit on the disk
      tables_.Each(&cli::FrameTable::Finish);
    });
    attempt([&] {
      const std::string line = recorder_ ? recorder_->Finish() : "";
      if (!line.empty()) o_.notice(line);
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
  void Open(const std::string& source, const CaptureOptions& options, bool is_chosen = false) {
    source_ = source;
    is_chosen_ = is_chosen;
    reopened_ = capture_.has_value();
    if (reopened_) dropped_before_ += capture_->dropped();
    capture_.reset();  // a camera can be opened only once
    capture_.emplace(source, options);
  }

  void Loop() {
    while (!Done() && !capture_->ended()) {
      const bool paused = controls_.settings().paused;
      capture_->SetPaused(paused);
      std::optional<LiveFrame> frame = Take();
      for (const std::string& line : capture_->TakeNotices()) controls_.Tell(line);
      if (frame && !paused) Work(std::move(*frame));
      if (presenter_) Serve();
      if (o_.report && last_report_ && SecondsSince(*last_report_) >= 1) {
        last_report_ = Clock::now();
        Statistics until_now = statistics_;  // also if no frame came recently
        until_now.seconds = SecondsSince(*first_seen_);
        o_.report(until_now);
      }
    }
    if (presenter_) presenter_->Count(statistics_);
    if (statistics_.frames == 0 && capture_->ended() && !Done())
      throw Error(source_, "ended before its first picture");
  }

  // Returns the next frame, if one comes soon. If a source or a format that was chosen in the
  // window gives none, the source of the command line is opened again as it was.
  std::optional<LiveFrame> Take() {
    try {
      return capture_->Take(presenter_ ? 0.005 : 0.1);
    } catch (const Error& e) {
      if (!is_chosen_) throw;
      controls_.Tell(e.what());
      Open(o_.source, o_.capture);
      return std::nullopt;
    }
  }

  void Serve() {
    controls_.Do(exchange_->TakeCommands());
    OpenChosen();
    ShowSource();
    presenter_->Refresh();
    presenter_->Count(statistics_);
  }

  void OpenChosen() {
    const std::optional<SourceChoice> choice = controls_.TakeChoice();
    if (!choice) return;
    if (choice->source == o_.source && choice->format.code.empty())
      return Open(o_.source, o_.capture);
    CaptureOptions options = o_.capture;
    options.source.wanted = choice->format;
    options.source.raw.reset();
    options.every_frame = options.at_own_rate = false;
    Open(choice->source, options, true);
  }

  std::uint64_t Dropped() const { return dropped_before_ + capture_->dropped(); }
  void ShowSource() { controls_.SetSource(source_, capture_->running(), Dropped()); }

  void Work(LiveFrame&& frame) {
    const Clock::time_point captured = frame.captured;
    const Rational pixel_aspect = frame.pixel_aspect;
    if (!first_seen_) {
      first_seen_ = last_report_ = Clock::now();
      first_captured_ = captured;
    }
    const double seconds = SecondsOf(frame);
    // The filter counts frames that are processed. Some may be dropped: in the mean of the session.
    const auto processed = static_cast<double>(statistics_.frames);
    const double all = processed + static_cast<double>(statistics_.dropped);
    scene_.SetRate(capture_->rate().Value() * (processed > 0 ? processed / all : 1));
    scene_.Process(std::move(frame), statistics_);
    const cv::Size size = scene_.frame_size();
    if (statistics_.frames == 0 && o_.track && o_.track_start &&
        (*o_.track_start & cv::Rect({}, size)).empty())
      throw Error("`track`",
                  fmt::format("is not within pictures of {}x{}", size.width, size.height));
    ++statistics_.frames;
    statistics_.dropped = Dropped();
    statistics_.seconds = SecondsSince(*first_seen_);
    statistics_.pixels += static_cast<double>(size.area());
    fraction_sum_ += scene_.skin_fraction();
    statistics_.skin_fraction = fraction_sum_ / static_cast<double>(statistics_.frames);
    if (presenter_) {
      ShowSource();
      presenter_->Present(captured);
    }
    const double latency = SecondsSince(captured);
    // With a window the latency is measured when the frame is on the screen.
    if (!presenter_) statistics_.of(Stage::kLatency).Add(latency);
    if (tables_.any()) Measure(captured, seconds, latency);
    Record(seconds, pixel_aspect);
  }

  // The time of a frame since the first one. For files, and for pipes whose writer waits for every
  // frame, it is the time in the video, because the arrival has no meaning. After a source was
  // opened anew it is the time of capture, because times in a file would restart.
  double SecondsOf(const LiveFrame& frame) const {
    const SourceKind kind = SourceKindOf(source_);
    const bool waits = kind == SourceKind::kPipe && o_.capture.every_frame;
    if (!reopened_ && (kind == SourceKind::kFile || waits)) return frame.picture.seconds;
    return std::chrono::duration<double>(frame.captured - *first_captured_).count();
  }

  // Draws a new picture. Grey views and cut-outs are recorded without the ellipse.
  cv::Mat Drawn(View view) {
    const bool plain = IsGrey(view) || view == View::kCutout;
    DrawOptions options{.divider = controls_.settings().divider, .behind = scene_.Behind(view)};
    if (controls_.settings().show_ellipse && !plain) options.ellipse = scene_.ellipse();
    return Draw(view, scene_.judgement(), options);
  }

  void Measure(Clock::time_point captured, double seconds, double latency) {
    const std::optional<Region> region = scene_.region(statistics_);
    const auto start = Clock::now();
    cli::FrameRow row{.frame = static_cast<std::int64_t>(statistics_.frames) - 1,
                      .seconds = seconds,
                      .skin_fraction = scene_.skin_fraction(),
                      .region = region,
                      .measured = &scene_.judgement().Measured(),
                      .any_skin = scene_.adapted().any_skin,
                      .latency_ms = 1e3 * latency};
    const SourceKind kind = SourceKindOf(source_);
    if (kind != SourceKind::kFile && kind != SourceKind::kPipe)
      row.captured = std::chrono::duration<double>(captured - epoch_).count();
    tables_.Add(row);
    tables_.Flush();
    tables_.Each(&cli::FrameTable::Mark);
    statistics_.of(Stage::kMeasure).Add(SecondsSince(start));
  }

  void Record(double seconds, Rational pixel_aspect) {
    if (!recorder_ && !sink_) {
      recorded_size_ = {};
      return;
    }
    const cv::Size before = std::exchange(recorded_size_, scene_.frame_size());
    if (const cv::Size now = recorded_size_; now != before && !before.empty())
      controls_.Tell(
          fmt::format("pictures are {}x{} now, {}x{} before: what is written keeps its size",
                      now.width, now.height, before.width, before.height));
    const auto start = Clock::now();
    if (recorder_)
      controls_.Record(Drawn(recorder_->view()), seconds, capture_->rate(), pixel_aspect);
    if (sink_) sink_->Write(Drawn(o_.view), seconds, capture_->rate());
    statistics_.of(Stage::kRecord).Add(SecondsSince(start));
  }

  bool Done() const {
    if (o_.stop && *o_.stop) return true;
    if (exchange_ && exchange_->closed()) return true;
    if (o_.frames > 0 && statistics_.frames >= o_.frames) return true;
    return o_.seconds > 0 && first_seen_ && SecondsSince(*first_seen_) >= o_.seconds;
  }

  const SessionOptions& o_;
  Exchange* const exchange_;  // null: no window
  // The start of 1970 on the clock of the frames, computed once, because that clock is never
  // adjusted.
  const Clock::time_point epoch_ =
      Clock::now() - std::chrono::duration_cast<Clock::duration>(
                         std::chrono::system_clock::now().time_since_epoch());
  Scene scene_;
  std::string source_;
  std::optional<Capture> capture_;
  std::optional<Recorder> recorder_;
  std::unique_ptr<FrameSink> sink_;
  Controls controls_;
  std::optional<Presenter> presenter_;  // null without a window
  cli::FrameTables tables_;
  Statistics statistics_;
  std::optional<Clock::time_point> first_captured_, first_seen_, last_report_;
  bool is_chosen_ = false;            // source_, or its format, was chosen in the window
  bool reopened_ = false;             // by such a choice, or after it failed
  std::uint64_t dropped_before_ = 0;  // of earlier sources
  double fraction_sum_ = 0;
  cv::Size recorded_size_;
};

}  // namespace

Statistics RunSession(const SessionOptions& options, Exchange* exchange) {
  if (!options.record.empty()) RequireWritable(options.record, options.if_exists);
  return Session(options, exchange).Run();
}

}  // namespace skinmask::live
