#include "skinmask/pipeline/detect_run.h"

#include <algorithm>
#include <string>

#include "pipeline/detect_one.h"
#include "pipeline/detect_shards.h"
#include "pipeline/detect_videos.h"
#include "pipeline/ordered.h"
#include "pipeline/plan.h"
#include "skinmask/base/error.h"
#include "skinmask/media/image.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

// By the sizes of a thousand files.
PosteriorOptions ExpectedOfImages(const Plan& plan, const DetectOptions& options) {
  constexpr std::size_t kSample = 1000;
  PosteriorOptions expected{.expected_pixels = 0, .mask = true, .probability = options.region};
  const std::size_t step = plan.images().size() / kSample + 1;
  for (std::size_t i = 0; i < plan.images().size(); i += step) {
    const Task task = plan.TaskOf(plan.images()[i]);
    std::error_code error;
    const std::uintmax_t size = fs::file_size(task.input, error);
    if (!error) expected.expected_pixels += step * kPixelsPerByte * size;
    expected.probability |= Wants(task, Output::kProbability);
  }
  return expected;
}

Detected Process(Task task, const FramePosterior& posterior, double threshold,
                 const DetectOptions& options, const TakePixels& take) {
  if (IsDoneMeanwhile(task, options)) return {};
  for (const auto& [output, path] : task.outputs) RequireWritable(path, OverwriteOf(options));
  const std::string bytes = ReadImageBytes(task.input, {.take = take});
  return DetectOne(task, bytes, posterior, threshold, options, take);
}

void DetectImages(const Plan& plan, const DetectOptions& options, const Model& model,
                  const Run& run, const std::function<void(const DetectedImage&)>& done) {
  const FramePosterior posterior(model, ImagePixels(options), ExpectedOfImages(plan, options));
  const auto task = [&](std::size_t i) { return plan.TaskOf(plan.images()[i]); };
  RunOrdered(
      plan.images().size(), run, [&](std::size_t i) { return task(i).input.string(); },
      [&](std::size_t i, const TakePixels& take) {
        return Process(task(i), posterior, model.decision.threshold, options, take);
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
  const Plan plan(options, run);
  plan.MakeFolders();
  if (!plan.images().empty()) DetectImages(plan, options, model, run, done);
  if (!plan.archives().empty()) DetectShards(plan, options, model, run, done);
  if (!plan.videos().empty()) DetectVideos(plan, options, model, run, done);
  std::error_code ignored;
  if (options.output_file.empty() && !fs::is_directory(options.output_folder, ignored))
    throw Error(options.output_folder.string(), "vanished while outputs were written to it");
}

}  // namespace skinmask
