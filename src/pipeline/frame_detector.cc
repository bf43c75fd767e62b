#include "pipeline/frame_detector.h"

#include "media/picture_type.h"

namespace skinmask {

FrameDetector::FrameDetector(const Task& task, const DetectOptions& options,
                             const Detector& detector)
    : task_(task), options_(options), detector_(detector) {
  if (options.video.png_frames) outputs_ = options.outputs;
  for (const auto& [output, path] : task.outputs)
    if (!options.video.png_frames) outputs_.push_back(output);
}

void FrameDetector::Convert(FrameItem& item) const {
  item.picture.emplace(item.frame, [frame = item.frame, scale = options_.scale] {
    return frame.Upright(ScaledDown(frame.StoredBgr(), scale));
  });
  if (detector_.adapter()) item.picture->Bgr();
}

void FrameDetector::Detect(FrameItem& item, const VideoSink& sink) const {
  Judgement judgement(detector_, std::move(*item.picture), item.adaptation);
  const OutputForm form = sink.FormOf(options_);
  const bool probability = Any(outputs_, &OutputKind::of_probability);
  const bool wants_region = static_cast<bool>(options_.video.frame);
  judgement.MakeMask(wants_region || probability, probability && form.bits != 8);
  const cv::Mat mask = judgement.Mask();
  item.found = {task_.input,
                item.frame.index,
                item.frame.seconds,
                mask.total(),
                static_cast<std::uint64_t>(cv::countNonZero(mask)),
                std::nullopt};
  if (wants_region) item.found.region = RegionOf(MapMomentsOf(judgement.Probability()));
  for (const Output output : outputs_) {
    item.outputs.push_back({output, Draw(output, judgement, form), {}});
    sink.Prepare(item.outputs.back());
  }
}

}  // namespace skinmask
