#include "skinmask/pipeline/detect_run.h"

#include <algorithm>
#include <optional>

#include "pipeline/detect_videos.h"
#include "pipeline/ordered.h"
#include "pipeline/plan.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/detect/draw.h"
#include "skinmask/media/image.h"
#include "skinmask/media/video.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

struct Detected {
  std::uint64_t pixels = 0;
  DetectedImage image;
  std::vector<std::string> files;  // encoded, as image.outputs
};

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

bool Wants(const Task& task, Output wanted) {
  return std::ranges::any_of(task.outputs,
                             [wanted](const auto& output) { return output.first == wanted; });
}

// About how many pixels there are to come: JPEGs of photographs have two bits for one, and others
// more. The table of a model that needs one is built, or not, by it.
PosteriorOptions ExpectationOf(const std::vector<Task>& tasks, const DetectOptions& options) {
  constexpr std::uint64_t kPixelsPerByte = 4;
  PosteriorOptions expected{.expected_pixels = 0, .mask = true, .probability = false};
  for (const Task& task : tasks) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(task.input, error);
    if (!error) expected.expected_pixels += kPixelsPerByte * size;
    expected.probability |= options.region || Wants(task, Output::kProbability);
  }
  return expected;
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

Detected Process(Task task, const Posterior& posterior, double threshold,
                 const DetectOptions& options, const TakePixels& take) {
  if (IsDoneMeanwhile(task, options)) return {};
  for (const auto& [output, path] : task.outputs) RequireWritable(path, OverwriteOf(options));
  thread_local Scratch pixels, mask_pixels;
  const ScratchTrim trim_pixels(pixels), trim_mask(mask_pixels);
  const cv::Mat bgr = ReadImage(
      task.input,
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

void DetectImages(const std::vector<Task>& tasks, const DetectOptions& options, const Model& model,
                  const Run& run, const std::function<void(const DetectedImage&)>& done) {
  const Posterior posterior(model, ExpectationOf(tasks, options));
  RunOrdered(
      tasks.size(), run, [&](std::size_t i) { return tasks[i].input.string(); },
      [&](std::size_t i, const TakePixels& take) {
        return Process(tasks[i], posterior, model.decision.threshold, options, take);
      },
      [&](std::size_t, Detected&& result) {
        for (std::size_t j = 0; j < result.files.size(); ++j)
          WriteFile(result.image.outputs[j], result.files[j], OverwriteOf(options),
                    Survives::kProcess);
        run.finished();
        if (!result.files.empty()) done(result.image);
      });
}

}  // namespace

double DetectedImage::SkinFraction() const {
  return static_cast<double>(skin_pixels) /
         (static_cast<double>(size.area()) *
          static_cast<double>(std::max<std::int64_t>(1, frames)));
}

void Detect(const DetectOptions& options, const Model& model, const Run& run,
            const std::function<void(const DetectedImage&)>& done) {
  const Plan plan = PlanTasks(options, run);
  MakeFolders(plan);
  if (!plan.images.empty()) DetectImages(plan.images, options, model, run, done);
  if (!plan.videos.empty()) DetectVideos(plan.videos, options, model, run, done);
  std::error_code ignored;
  if (options.output_file.empty() && !fs::is_directory(options.output_folder, ignored))
    throw Error(options.output_folder.string(), "vanished while outputs were written to it");
}

}  // namespace skinmask
