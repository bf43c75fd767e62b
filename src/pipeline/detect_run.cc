#include "skinmask/pipeline/detect_run.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "pipeline/detect_one.h"
#include "pipeline/made_with.h"
#include "pipeline/ordered.h"
#include "pipeline/plan.h"
#include "skinmask/base/error.h"
#include "skinmask/media/image.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

// By the sizes of a thousand images, and of all archives.
std::uint64_t ExpectedPixels(const Plan& plan) {
  constexpr std::size_t kSample = 1000;
  constexpr std::uint64_t kOfPipe = std::uint64_t{1} << 28;  // nobody knows, and archives are large
  const auto bytes_of = [&](std::uint32_t input, std::uint64_t unknown) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(plan.InputOf(input), error);
    return error ? unknown : size;
  };
  const std::size_t step = plan.images().size() / kSample + 1;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < plan.images().size(); i += step)
    bytes += step * bytes_of(plan.images()[i], 0);
  for (const std::uint32_t input : plan.archives()) bytes += bytes_of(input, kOfPipe);
  return kPixelsPerByte * bytes;
}

Detected Process(Task task, const DetectJob& job, const TakePixels& take) {
  if (IsDoneMeanwhile(task, job.options)) return {};
  for (const auto& [output, path] : task.outputs) RequireWritable(path, job.options.if_exists);
  const std::string bytes = ReadImageBytes(task.input, {.take = take});
  return DetectOne(task, bytes, job.detector, job.options, take);
}

void DetectImages(const DetectJob& job) {
  const std::vector<std::uint32_t>& images = job.plan.images();
  RunOrdered(
      images.size(), job.run, [&](std::size_t i) { return job.plan.InputOf(images[i]); },
      [&](std::size_t i, const TakePixels& take) {
        return Process(job.plan.TaskOf(images[i]), job, take);
      },
      [&](std::size_t, Detected&& result) {
        if (!result.note.empty()) job.run.note(result.note);
        if (!result.files.empty()) {
          job.made_with.Leave();
          job.Note(result.image);
        }
        for (std::size_t j = 0; j < result.files.size(); ++j)
          WriteFile(result.image.outputs[j], result.files[j], job.options.if_exists,
                    Survives::kProcess);
        job.run.finished();
        if (!result.files.empty()) job.done(result.image);
      });
}

}  // namespace

double DetectedImage::SkinFraction() const {
  return static_cast<double>(skin_pixels) /
         (static_cast<double>(size.area()) *
          static_cast<double>(std::max<std::int64_t>(1, frames)));
}

void Detect(const DetectOptions& options, const Detector& detector, const Run& given,
            const std::function<void(const DetectedImage&)>& done) {
  std::atomic<bool> all_well = true;
  Run run = given;
  run.problem = [&](const Problem& problem) {
    all_well = false;
    given.problem(problem);
  };
  MadeWith made_with(options, detector.model());  // refuses before millions of inputs are listed
  const Plan plan(options, run);
  if (options.made_with && plan.HasWork()) made_with.SetList(plan.Digest());
  plan.MakeFolders();
  if (!plan.images().empty() || !plan.archives().empty()) {
    const Detector of_run =
        DetectorOfRun(detector, options, options.pixels, ExpectedPixels(plan), options.region);
    const DetectJob job{plan, options, of_run, run, done, made_with};
    DetectImages(job);
    DetectArchives(job);
  }
  if (!plan.videos().empty() && !(run.stop && run.stop->load())) {
    // Of so many pixels that a table pays.
    const Detector of_run =
        DetectorOfRun(detector, options, options.video.pixels, PosteriorOptions().expected_pixels,
                      static_cast<bool>(options.video.frame));
    DetectVideos({plan, options, of_run, run, done, made_with});
  }
  std::error_code ignored;
  if (options.output_file.empty() && !fs::is_directory(options.output_folder, ignored))
    throw Error(options.output_folder.string(), "vanished while outputs were written to it");
  if (all_well && !(run.stop && run.stop->load())) made_with.TakeBackOthers();
}

}  // namespace skinmask
