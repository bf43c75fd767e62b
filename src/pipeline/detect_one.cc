#include "pipeline/detect_one.h"

#include <algorithm>
#include <optional>

#include "media/image_codec.h"
#include "media/picture_tags.h"
#include "skinmask/media/image.h"
#include "skinmask/media/video.h"

namespace skinmask {
namespace {

// A mask as EncodePng need not copy it: with a byte 0 before each row.
cv::Mat MaskIn(Scratch& bytes, const cv::Size& size) {
  const auto rows = static_cast<std::size_t>(size.height);
  cv::Mat wider(size.height, size.width + 1, CV_8UC1,
                bytes.Get(rows * (static_cast<std::size_t>(size.width) + 1)));
  wider.col(0).setTo(0);
  return wider.colRange(1, wider.cols);
}

}  // namespace

Detector DetectorOfRun(const Detector& detector, const DetectOptions& options,
                       FramePosterior::Pixels pixels, std::uint64_t expected_pixels, bool regions) {
  DetectorOptions of_run = detector.options();
  of_run.pixels = options.scale == 1 ? pixels : FramePosterior::Pixels::kBgr;
  of_run.expected = {.expected_pixels = expected_pixels,
                     .mask = true,
                     .probability = regions || Any(options.outputs, &OutputKind::of_probability)};
  return detector.With(of_run);
}

// As with videos, what nothing was adapted to is judged by its planes, if it has them, even where
// BGR is there: the mask does not depend on what else is asked for.
Detected DetectOne(const Task& task, std::string_view bytes, const Detector& detector,
                   const DetectOptions& options, const TakePixels& take) {
  thread_local Scratch bgr_bytes, plane_bytes, mask_bytes;
  const ScratchTrim trim_bgr(bgr_bytes), trim_planes(plane_bytes), trim_mask(mask_bytes);
  const std::string name = task.input.string();
  const DecodeOptions decode{.scale = options.scale,
                             .buffer = &bgr_bytes,
                             .max_pixels = options.max_pixels,
                             .isolation = options.isolation,
                             .take = take};
  const bool draws = std::ranges::any_of(
      task.outputs, [](const auto& output) { return KindOf(output.first).is_photograph; });
  PictureTags tags;
  std::string note;
  cv::Mat own;  // the pixels in their own colours
  Judgement judgement =
      detector.Judge(Picture([&] { return DecodeJpegPlanes(bytes, name, decode, plane_bytes); },
                             [&] {
                               DecodeOptions with_tags = decode;
                               with_tags.tags = &tags;
                               own = DecodeImage(bytes, name, with_tags);
                               if (draws && !IsTakenAsSrgb(tags.icc))
                                 take(static_cast<std::int64_t>(own.total()));
                               return InSrgb(own, tags.icc, &note, draws ? cv::Mat() : own);
                             }));
  const cv::Size judged = judgement.judged_size();
  judgement.SetMaskMemory(MaskIn(mask_bytes, judged));
  const OutputForm form{.bits = options.probability_bits, .feather = options.style.feather};
  const bool probability = std::ranges::any_of(
      task.outputs, [](const auto& output) { return KindOf(output.first).of_probability; });
  judgement.MakeMask(options.region || probability, probability && form.bits != 8);
  if (draws) {
    judgement.Bgr();
    judgement.SetShown(own);
  }
  Detected result;
  result.pixels = static_cast<std::uint64_t>(judged.area());
  const cv::Mat mask = judgement.Mask();
  result.image.input = task.input;
  result.image.size = mask.size();
  result.image.skin_pixels = static_cast<std::uint64_t>(cv::countNonZero(mask));
  if (options.region) result.image.region = RegionOf(MapMomentsOf(judgement.Probability()));
  if (options.measured) result.image.measured = judgement.Measured();
  result.image.adaptation = judgement.summary();
  if (!note.empty()) tags.icc.clear();  // one that is not of these pixels, or is damaged
  for (const auto& [output, path] : task.outputs) {
    result.files.push_back(EncodeOutput(output, Draw(output, judgement, form),
                                        detector.model().classes.size(), options.style, tags));
    result.image.outputs.push_back(path);
  }
  if (!note.empty()) result.note = name + ": " + note;
  return result;
}

}  // namespace skinmask
