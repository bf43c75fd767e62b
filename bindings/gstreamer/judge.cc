#include "judge.h"

#include <utility>

#include "skinmask/detect/draw.h"

namespace skinmask::gstreamer {
namespace {

// As `live` has it: a search every eighth frame leaves most of a core to the frames (30 ms), and
// has 0.1 s at 30 frames/s before one waits for it.
constexpr HogOptions kHogAside{.min_searched_pixels = 400000, .max_searched_pixels = 400000};
constexpr StreamOptions kStreamAside{.search_every_frames = 8, .search_lag_frames = 3};

std::optional<double> Given(double number) {
  return number < 0 ? std::nullopt : std::optional(number);
}

}  // namespace

void Judge::Prepare(Settings settings, bool live) {
  if (settings.search == Search::kAuto) settings.search = live ? Search::kAside : Search::kWait;
  if (prepared_ && prepared_->SameStream(settings))
    refused_.reset();
  else if (!refused_ || !refused_->SameStream(settings)) {
    refused_ = settings;
    BeginAnew(settings);
    prepared_ = settings;
    refused_.reset();
  }
  SetThreshold(settings.threshold);
}

void Judge::SetThreshold(double threshold) {
  if (prepared_->threshold == threshold) return;
  detector_ = detector_->WithThreshold(Given(threshold).value_or(own_threshold_));
  prepared_->threshold = threshold;
}

void Judge::BeginAnew(const Settings& settings) {
  const bool aside = settings.search == Search::kAside;
  const Model made = settings.model.empty() ? DefaultModel() : ReadModel(settings.model);
  DetectorOptions options;
  options.adapt = settings.adapt;
  options.refine = settings.refine;
  options.threshold = Given(settings.threshold);
  options.prior = Given(settings.prior);
  // (A finder that waits for `adapt` to be switched on again is no mistake here.)
  if (settings.adapt != DetectorOptions::Adapt::kOff) options.faces = settings.faces;
  if (aside) options.hog = kHogAside;
  Detector detector(made, options);
  std::optional<StreamAdapter> stream;
  if (detector.adapter())
    stream.emplace(detector.adapter(), aside ? kStreamAside : StreamOptions());
  own_threshold_ = made.decision.threshold;
  detector_ = std::move(detector);
  stream_ = std::move(stream);
}

void Judge::Draw(GstVideoFrame& in, Output output, GstVideoFrame& out) {
  const VideoFrame frame = FrameOf(in);
  const bool is_picture = output == Output::kOverlay || output == Output::kCutout;
  cv::Mat bgr;
  if (stream_ || is_picture || !detector_->TakesYuv(frame)) bgr = (*to_bgr_)(in, frame);
  std::shared_ptr<const Adaptation> adaptation;
  if (stream_) adaptation = stream_->Follow(bgr);
  cv::Mat room = is_picture ? cv::Mat() : Packed(out);
  if (output == Output::kProbability)
    return detector_->Probability(frame, bgr, adaptation.get(), room);
  detector_->Mask(frame, bgr, adaptation.get(), is_picture ? mask_ : room);
  if (is_picture) DrawPicture(bgr, output, out);
}

void Judge::DrawPicture(const cv::Mat& bgr, Output output, GstVideoFrame& out) {
  if (output == Output::kCutout) return CutOut(bgr, mask_).copyTo(Packed(out));
  cv::Mat overlay = from_bgr_->is_bgr() ? Packed(out) : overlay_;
  DrawOverlayInto(bgr, mask_, overlay);
  if (from_bgr_->is_bgr()) return;
  (*from_bgr_)(overlay, out);
  overlay_ = overlay;
}

}  // namespace skinmask::gstreamer
