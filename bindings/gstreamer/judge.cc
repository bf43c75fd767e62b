#include "judge.h"

#include <utility>

#include "skinmask/detect/outputs.h"

namespace skinmask::gstreamer {
namespace {

// As `live` has it: a search every eighth frame leaves most of a core to the frames, and
// has 0.1 s at 30 frames/s before one waits for it.
constexpr HogOptions kHogAside{.min_searched_pixels = 400000, .max_searched_pixels = 400000};
constexpr StreamOptions kStreamAside{.search_every_frames = 8, .search_lag_frames = 3};

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
  SetThreshold(settings);
}

void Judge::SetThreshold(const Settings& settings) {
  if (prepared_->Text("threshold") == settings.Text("threshold")) return;
  DetectorOptions options = stream_->detector().options();
  DetectorTable().Set(options, "threshold", settings.Text("threshold"));
  stream_->Set(options);
  prepared_->texts["threshold"] = settings.Text("threshold");
}

void Judge::BeginAnew(const Settings& settings) {
  const bool aside = settings.search == Search::kAside;
  const Model made = settings.model.empty() ? DefaultModel() : ReadModel(settings.model);
  DetectorOptions options = settings.options();
  // (A finder that waits for `adapt` to be switched on again is no mistake here.)
  if (!options.by_faces()) options.faces.clear();
  if (aside) options.hog = kHogAside;
  stream_.emplace(Detector(made, options), aside ? kStreamAside : StreamOptions());
  stream_->SetRate(rate_);
}

void Judge::Draw(GstVideoFrame& in, Output output, GstVideoFrame& out) {
  const VideoFrame frame = FrameOf(in);
  Judgement judgement = stream_->Judge(Picture(frame, [&] { return (*to_bgr_)(in, frame); }));
  const int type = TypeOf(output);
  const bool as_it_is = type != CV_8UC3 || from_bgr_->is_bgr();
  cv::Mat memory = as_it_is ? Packed(out) : drawn_;
  mask_.create(frame.size, CV_8UC1);
  judgement.SetMaskMemory(mask_);
  const cv::Mat drawn = skinmask::Draw(output, judgement, {}, memory);
  if (!as_it_is)
    (*from_bgr_)(drawn_ = drawn, out);
  else if (drawn.data != memory.data)
    drawn.copyTo(memory);
}

}  // namespace skinmask::gstreamer
