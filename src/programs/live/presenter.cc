#include "programs/live/presenter.h"

#include <algorithm>

#include "programs/live/view.h"

namespace skinmask::live {
namespace {

// What is drawn smaller costs less, and its lines stay sharp.
cv::Mat DrawForScreen(View view, Observation& seen, const DrawOptions& options,
                      const cv::Size& canvas) {
  const cv::Size frame = seen.judgement.Mask().size(), drawn = DrawnSize(view, frame);
  const cv::Size size = Fitted(drawn, canvas).size();
  if (size.width >= drawn.width) return ForScreen(Draw(view, seen, options), size);
  const double scale = static_cast<double>(size.width) / drawn.width;
  const cv::Size small(std::max(1, cvRound(scale * frame.width)),
                       std::max(1, cvRound(scale * frame.height)));
  Observation smaller = Shrunk(seen, small);
  return ForScreen(Draw(view, smaller, options), size);
}

}  // namespace

void Presenter::Present(Clock::time_point captured, const Supply& supply) {
  captured_ = captured;
  ++number_;
  rate_.Tick();
  controls_.TakeChanged();
  Publish(supply);
}

void Presenter::Refresh(const Supply& supply) {
  const bool changed = controls_.TakeChanged();
  if (changed || supply.running != running_ || exchange_.canvas() != canvas_) Publish(supply);
}

void Presenter::Publish(const Supply& supply) {
  const auto start = Clock::now();
  Shown shown;
  controls_.Describe(shown.status);
  running_ = supply.running;
  canvas_ = exchange_.canvas();
  shown.status.source = source_;
  shown.status.waiting = !running_;
  shown.status.rate = rate_.rate();
  shown.status.dropped = supply.dropped;
  shown.number = number_;
  shown.captured = captured_;
  if (!scene_.empty() && !canvas_.empty()) {
    const View view = controls_.view();
    Observation& seen = scene_.ObservationFor(view);
    shown.frame = scene_.frame_size();
    shown.drawn = DrawnSize(view, shown.frame);
    shown.picture = DrawForScreen(view, seen, {.divider = controls_.divider()}, canvas_);
    if (controls_.shows_ellipse()) shown.ellipse = scene_.ellipse();
  }
  shown.draw_seconds = SecondsSince(start);
  exchange_.Publish(std::move(shown));
}

void Presenter::Count(Statistics& statistics) {
  for (const Painted& painted : exchange_.TakePainted()) {
    statistics.of(Stage::kShow).Add(painted.seconds);
    statistics.of(Stage::kLatency).Add(painted.latency);
  }
}

}  // namespace skinmask::live
