#include "pipeline/frame_detector.h"

#include <algorithm>

#include "media/scaled_down.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/detect/draw.h"

namespace skinmask {
namespace {

bool IsOfPicture(Output output) {
  return output == Output::kOverlay || output == Output::kCutout || output == Output::kClasses ||
         output == Output::kUncertainty;
}
bool IsOfProbability(Output output) { return output == Output::kProbability; }

std::vector<Output> OutputsOf(const Task& task, const DetectOptions& options) {
  if (options.video.png_frames) return options.outputs;
  std::vector<Output> outputs;
  for (const auto& [output, path] : task.outputs) outputs.push_back(output);
  return outputs;
}

}  // namespace

FrameDetector::FrameDetector(const Task& task, const DetectOptions& options,
                             const FramePosterior& posterior, double threshold)
    : task_(task),
      options_(options),
      posterior_(posterior),
      threshold_(threshold),
      outputs_(OutputsOf(task, options)),
      pictures_(options.abstain || Wants(IsOfPicture)),
      deep_(options.probability_bits == 16 && Wants(IsOfProbability)),
      probability_(options.video.frame || (!deep_ && Wants(IsOfProbability))) {}

bool FrameDetector::Wants(bool (*is_one)(Output)) const {
  return std::any_of(outputs_.begin(), outputs_.end(), is_one);
}

void FrameDetector::Convert(FrameItem& item) const {
  const bool upright = pictures_ || options_.adapter;
  if (upright || !posterior_.TakesYuv(item.frame))
    item.stored_bgr = ScaledDown(item.frame.StoredBgr(), options_.scale);
  if (upright) item.bgr = item.frame.Upright(item.stored_bgr);
}

FrameDetector::Maps FrameDetector::AdaptedMaps(const FrameItem& item) const {
  const Adapter& adapter = *options_.adapter;
  Maps maps;
  if (deep_) {
    const cv::Mat log_odds = adapter.LogOdds(item.bgr, *item.adaptation);
    maps.deep_probability = DeepProbabilityOf(log_odds);
    maps.mask = MaskOf(log_odds, threshold_);
    if (probability_) maps.probability = ProbabilityOf(log_odds);
  } else if (probability_) {
    adapter.MaskAndProbability(item.bgr, *item.adaptation, threshold_, maps.mask, maps.probability);
  } else {
    adapter.Mask(item.bgr, *item.adaptation, threshold_, maps.mask);
  }
  return maps;
}

FrameDetector::Maps FrameDetector::MapsOf(const FrameItem& item) const {
  if (item.adaptation) return AdaptedMaps(item);
  const VideoFrame& frame = item.frame;
  Maps maps;
  const bool yuv = posterior_.TakesYuv(frame);
  const Posterior& of_bgr = posterior_.posterior();
  maps.mask = frame.Upright(yuv ? posterior_.Mask(frame, {}) : DetectMask(of_bgr, item.stored_bgr));
  if (probability_)
    maps.probability = frame.Upright(yuv ? posterior_.Probability(frame, {})
                                         : DetectProbability(of_bgr, item.stored_bgr));
  if (deep_)
    maps.deep_probability = frame.Upright(DeepProbabilityOf(
        yuv ? posterior_.LogOdds(frame, {}) : DetectLogOdds(of_bgr, item.stored_bgr)));
  return maps;
}

cv::Mat FrameDetector::Render(Output output, const FrameItem& item, const Maps& maps,
                              const VideoSink& sink) const {
  switch (output) {
    case Output::kMask:
      return options_.abstain ? options_.uncertainty->AbstainingMask(
                                    item.bgr, options_.adapter.get(), item.adaptation.get())
                              : maps.mask;
    case Output::kUncertainty:
      return options_.uncertainty->Map(item.bgr, options_.adapter.get(), item.adaptation.get());
    case Output::kProbability:
      return deep_ ? maps.deep_probability : maps.probability;
    case Output::kOverlay:
      return DrawOverlay(item.bgr, maps.mask);
    case Output::kCutout:
      return sink.TakesTransparency() ? CutOut(item.bgr, maps.mask) : BlackOut(item.bgr, maps.mask);
    case Output::kClasses: {
      const cv::Mat classes =
          item.frame.Upright(DetectClasses(posterior_.posterior(), item.stored_bgr));
      return sink.TakesPalettes()
                 ? classes
                 : InPalette(classes, ClassPalette(posterior_.posterior().class_count()));
    }
  }
  return {};
}

void FrameDetector::Detect(FrameItem& item, const VideoSink& sink) const {
  const Maps maps = MapsOf(item);
  item.found = {task_.input,
                item.frame.index,
                item.frame.seconds,
                maps.mask.total(),
                static_cast<std::uint64_t>(cv::countNonZero(maps.mask)),
                std::nullopt};
  if (options_.video.frame) item.found.region = RegionOf(MapMomentsOf(maps.probability));
  for (const Output output : outputs_) {
    item.outputs.push_back({output, Render(output, item, maps, sink), {}});
    sink.Prepare(item.outputs.back());
  }
}

}  // namespace skinmask
