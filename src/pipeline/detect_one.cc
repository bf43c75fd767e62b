#include "pipeline/detect_one.h"

#include <algorithm>
#include <optional>

#include "skinmask/detect/adapt.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/detect/draw.h"
#include "skinmask/media/image.h"

namespace skinmask {
namespace {

cv::Mat Render(Output output, const Posterior& posterior, const cv::Mat& bgr,
               const cv::Mat& probability, const cv::Mat& mask) {
  switch (output) {
    case Output::kMask:
      return mask;
    case Output::kProbability:
      return probability;
    case Output::kOverlay:
      return DrawOverlay(bgr, mask);
    case Output::kCutout:
      return CutOut(bgr, mask);
    case Output::kClasses:
      return DetectClasses(posterior, bgr);
  }
  return {};
}

// What is asked for beside the mask.
struct Maps {
  cv::Mat probability;       // 8 bits, for the region and as an output
  cv::Mat deep_probability;  // 16 bits, as an output
  AdaptationSummary adaptation;
};

Maps MapsOf(const Task& task, const Posterior& posterior, double threshold,
            const DetectOptions& options, const cv::Mat& bgr, cv::Mat& mask) {
  const bool output = Wants(task, Output::kProbability);
  const bool deep = output && options.probability_bits == 16;
  const bool bytes = options.region || (output && !deep);
  const auto adaptation = options.adapter ? options.adapter->Adapt(bgr) : std::nullopt;
  Maps maps;
  if (adaptation) maps.adaptation = adaptation->summary;
  if (!adaptation)
    DetectMask(posterior, bgr, mask);
  else if (bytes)
    options.adapter->MaskAndProbability(bgr, *adaptation, threshold, mask, maps.probability);
  else
    options.adapter->Mask(bgr, *adaptation, threshold, mask);
  if (bytes && !adaptation) maps.probability = DetectProbability(posterior, bgr);
  if (deep)
    maps.deep_probability = DeepProbabilityOf(
        adaptation ? options.adapter->LogOdds(bgr, *adaptation) : DetectLogOdds(posterior, bgr));
  return maps;
}

}  // namespace

bool Wants(const Task& task, Output wanted) {
  return std::ranges::any_of(task.outputs,
                             [wanted](const auto& output) { return output.first == wanted; });
}

Detected DetectOne(const Task& task, std::string_view bytes, const Posterior& posterior,
                   double threshold, const DetectOptions& options, const TakePixels& take) {
  thread_local Scratch pixels, mask_pixels;
  const ScratchTrim trim_pixels(pixels), trim_mask(mask_pixels);
  const cv::Mat bgr = DecodeImage(
      bytes, task.input.string(),
      {.scale = options.scale, .buffer = &pixels, .max_pixels = options.max_pixels, .take = take});
  cv::Mat mask(bgr.size(), CV_8UC1, mask_pixels.Get(bgr.total()));
  const Maps maps = MapsOf(task, posterior, threshold, options, bgr, mask);
  Detected result;
  result.pixels = bgr.total();
  result.image.input = task.input;
  result.image.size = bgr.size();
  result.image.skin_pixels = static_cast<std::uint64_t>(cv::countNonZero(mask));
  if (options.region) result.image.region = RegionOf(MapMomentsOf(maps.probability));
  result.image.adaptation = maps.adaptation;
  for (const auto& [output, path] : task.outputs) {
    const cv::Mat& probability =
        maps.deep_probability.empty() ? maps.probability : maps.deep_probability;
    const cv::Mat picture = Render(output, posterior, bgr, probability, mask);
    result.files.push_back(output == Output::kClasses
                               ? EncodePalettePng(picture, ClassPalette(posterior.class_count()))
                               : EncodePng(picture));
    result.image.outputs.push_back(path);
  }
  return result;
}

}  // namespace skinmask
