#include "pipeline/detect_one.h"

#include <algorithm>
#include <optional>

#include "media/jpeg.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/detect/draw.h"
#include "skinmask/media/image.h"

namespace skinmask {
namespace {

bool NeedsBgr(const Task& task, const DetectOptions& options) {
  return Wants(task, Output::kOverlay) || Wants(task, Output::kCutout) ||
         Wants(task, Output::kClasses) || Wants(task, Output::kUncertainty) ||
         (options.abstain && Wants(task, Output::kMask));
}

// What the pixels of an image are judged by, and what is drawn of them.
struct Picture {
  VideoFrame stored;  // planes, or no more than the size of `bgr`
  cv::Mat bgr;        // upright, where something needs it
  std::optional<Adaptation> adaptation;
};

// As with videos, what nothing was adapted to is judged by its planes, if it has them, even where
// BGR is there: the mask does not depend on what else is asked for.
Picture PictureOf(const Task& task, std::string_view bytes, const FramePosterior& posterior,
                  const DetectOptions& options, const TakePixels& take, Scratch& bgr_bytes,
                  Scratch& plane_bytes) {
  const std::string name = task.input.string();
  const DecodeOptions decode{
      .scale = options.scale, .buffer = &bgr_bytes, .max_pixels = options.max_pixels, .take = take};
  Picture picture;
  if (options.adapter) {
    picture.bgr = DecodeImage(bytes, name, decode);
    picture.adaptation = options.adapter->Adapt(picture.bgr);
  }
  std::optional<VideoFrame> planes;
  if (!picture.adaptation && posterior.TakesYuv())
    planes = DecodeJpegPlanes(bytes, name, decode, plane_bytes);
  if (picture.bgr.empty() && (!planes || NeedsBgr(task, options)))
    picture.bgr = DecodeImage(bytes, name, decode);
  if (planes)
    picture.stored = *planes;
  else
    picture.stored.size = picture.bgr.size();
  return picture;
}

// A mask as EncodePng need not copy it: with a byte 0 before each row.
cv::Mat MaskIn(Scratch& bytes, const cv::Size& size) {
  const auto rows = static_cast<std::size_t>(size.height);
  cv::Mat wider(size.height, size.width + 1, CV_8UC1,
                bytes.Get(rows * (static_cast<std::size_t>(size.width) + 1)));
  wider.col(0).setTo(0);
  return wider.colRange(1, wider.cols);
}

struct Maps {
  cv::Mat mask;
  cv::Mat probability;       // 8 bits, for the region and as an output
  cv::Mat deep_probability;  // 16 bits, as an output
};

Maps MapsOf(const Task& task, const FramePosterior& posterior, double threshold,
            const DetectOptions& options, const Picture& picture, cv::Mat mask) {
  const bool output = Wants(task, Output::kProbability);
  const bool deep = output && options.probability_bits == 16;
  const bool bytes = options.region || (output && !deep);
  const auto& [stored, bgr, adaptation] = picture;
  Maps maps;
  maps.mask = mask;
  if (!adaptation) {
    posterior.Mask(stored, bgr, mask);
    maps.mask = stored.Upright(mask);
    if (bytes) maps.probability = stored.Upright(posterior.Probability(stored, bgr));
    if (deep)
      maps.deep_probability = stored.Upright(DeepProbabilityOf(posterior.LogOdds(stored, bgr)));
    return maps;
  }
  if (bytes)
    options.adapter->MaskAndProbability(bgr, *adaptation, threshold, maps.mask, maps.probability);
  else
    options.adapter->Mask(bgr, *adaptation, threshold, maps.mask);
  if (deep) maps.deep_probability = DeepProbabilityOf(options.adapter->LogOdds(bgr, *adaptation));
  return maps;
}

cv::Mat Render(Output output, const Posterior& posterior, const DetectOptions& options,
               const Picture& picture, const Maps& maps) {
  const cv::Mat& bgr = picture.bgr;
  const Adaptation* const adaptation = picture.adaptation ? &*picture.adaptation : nullptr;
  switch (output) {
    case Output::kMask:
      return options.abstain
                 ? options.uncertainty->AbstainingMask(bgr, options.adapter.get(), adaptation)
                 : maps.mask;
    case Output::kUncertainty:
      return options.uncertainty->Map(bgr, options.adapter.get(), adaptation);
    case Output::kProbability:
      return maps.deep_probability.empty() ? maps.probability : maps.deep_probability;
    case Output::kOverlay:
      return DrawOverlay(bgr, maps.mask);
    case Output::kCutout:
      return CutOut(bgr, maps.mask);
    case Output::kClasses:
      return DetectClasses(posterior, bgr);
  }
  return {};
}

}  // namespace

bool Wants(const Task& task, Output wanted) {
  return std::ranges::any_of(task.outputs,
                             [wanted](const auto& output) { return output.first == wanted; });
}

Detected DetectOne(const Task& task, std::string_view bytes, const FramePosterior& posterior,
                   double threshold, const DetectOptions& options, const TakePixels& take) {
  thread_local Scratch bgr_bytes, plane_bytes, mask_bytes;
  const ScratchTrim trim_bgr(bgr_bytes), trim_planes(plane_bytes), trim_mask(mask_bytes);
  const Picture picture = PictureOf(task, bytes, posterior, options, take, bgr_bytes, plane_bytes);
  const cv::Size size = picture.stored.size;
  Detected result;
  result.pixels = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  const Maps maps = MapsOf(task, posterior, threshold, options, picture, MaskIn(mask_bytes, size));
  result.image.input = task.input;
  result.image.size = maps.mask.size();
  result.image.skin_pixels = static_cast<std::uint64_t>(cv::countNonZero(maps.mask));
  if (options.region) result.image.region = RegionOf(MapMomentsOf(maps.probability));
  if (picture.adaptation) result.image.adaptation = picture.adaptation->summary;
  for (const auto& [output, path] : task.outputs) {
    const Posterior& of_bgr = posterior.posterior();
    const cv::Mat drawn = Render(output, of_bgr, options, picture, maps);
    result.files.push_back(output == Output::kClasses
                               ? EncodePalettePng(drawn, ClassPalette(of_bgr.class_count()))
                               : EncodePng(drawn));
    result.image.outputs.push_back(path);
  }
  return result;
}

}  // namespace skinmask
