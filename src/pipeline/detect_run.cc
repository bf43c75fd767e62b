#include "skinmask/pipeline/detect_run.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/folder.h"
#include "base/stream.h"
#include "media/image_codec.h"
#include "pipeline/expected_pixels.h"
#include "pipeline/made_with.h"
#include "pipeline/ordered.h"
#include "pipeline/plan.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

std::uint64_t PixelsOf(const Plan& plan) {
  const auto pixels_of = [&](const std::vector<std::uint32_t>& inputs, std::uint64_t unknown) {
    return ExpectedPixels(inputs.size(), unknown,
                          [&](std::size_t i) { return plan.InputOf(inputs[i]); });
  };
  return pixels_of(plan.images(), 0) + pixels_of(plan.archives(), kLargeInput);
}

// The detector for a run of `expected_pixels`. Pictures that are scaled down are classified by BGR,
// because they are averages of BGR. `regions`: the region of each picture is requested.
Detector DetectorOfRun(const Detector& detector, const DetectOptions& options,
                       FramePosterior::Pixels pixels, std::uint64_t expected_pixels, bool regions) {
  DetectorOptions of_run = detector.options();
  of_run.pixels = options.scale == 1 ? pixels : FramePosterior::Pixels::kBgr;
  of_run.expected = {.expected_pixels = expected_pixels,
                     .mask = true,
                     .probability = regions || Any(options.outputs, &OutputKind::of_probability)};
  return detector.With(of_run);
}

// A mask with a 0 byte before each row, so that EncodePng need not copy it.
cv::Mat MaskIn(Scratch& bytes, const cv::Size& size) {
  const auto rows = static_cast<std::size_t>(size.height);
  cv::Mat wider(size.height, size.width + 1, CV_8UC1,
                bytes.Get(rows * (static_cast<std::size_t>(size.width) + 1)));
  wider.col(0).setTo(0);
  return wider.colRange(1, wider.cols);
}

void DetectImages(const DetectJob& job) {
  const std::vector<std::uint32_t>& images = job.plan.images();
  RunOrdered(
      images.size(), job.run, [&](std::size_t i) { return job.plan.InputOf(images[i]); },
      [&](std::size_t i, const TakePixels& take) -> Detected {
        Task task = job.plan.TaskOf(images[i]);
        if (IsDoneMeanwhile(task, job.options)) return {};
        for (const auto& [output, path] : task.outputs)
          RequireWritable(path, job.options.if_exists);
        const std::string bytes = ReadImageBytes(task.input, {.take = take});
        return DetectOne(task, bytes, job.detector, job.options, take);
      },
      [&](std::size_t i, Detected&& result) {
        if (!result.note.empty()) job.run.note(result.note);
        job.made_with.WriteRecord();  // also if another run has made the outputs in the meantime
        if (result.files.empty()) return job.run.left_out(job.plan.InputOf(images[i]));
        const DetectedImage whole = job.WithAllOutputs(result.image, images[i]);
        job.Note(whole);
        for (std::size_t j = 0; j < result.files.size(); ++j)
          WriteFile(result.image.outputs[j], result.files[j], job.options.if_exists,
                    Survives::kProcess);
        job.run.finished();
        job.done(whole);
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
  std::set<std::string> failed;  // inputs, which may have outputs of an earlier run
  bool all_tried = true;
  Run run = given;
  run.problem = [&](const Problem& problem) {
    failed.insert(problem.input);
    all_tried = all_tried && problem.tolerable;
    given.problem(problem);
  };
  MadeWith made_with(options, detector.model());  // throws before millions of inputs are listed
  const Plan plan(options, detector.options().seed_mask, made_with, run);
  if (options.made_with && plan.HasWork()) made_with.SetList(plan.Digest());
  plan.MakeFolders();
  if (!plan.images().empty() || !plan.archives().empty()) {
    const Detector of_run =
        DetectorOfRun(detector, options, options.pixels, PixelsOf(plan), options.region);
    const DetectJob job{plan, options, of_run, run, done, made_with};
    DetectImages(job);
    DetectArchives(job);
  }
  if (!plan.videos().empty() && !run.Stopped()) {
    // The expected number of pixels is large enough for a table to be worth its time.
    const Detector of_run =
        DetectorOfRun(detector, options, options.video.pixels, PosteriorOptions().expected_pixels,
                      static_cast<bool>(options.video.frame));
    DetectVideos({plan, options, of_run, run, done, made_with});
  }
  if (options.output_file.empty() && !IsFolder(options.output_folder))
    run.problem(Problem(
        options.output_folder.string(),
        WriteError(options.output_folder.string(), "vanished while outputs were written to it")));
  if (all_tried && !run.Stopped() && !plan.HoldsOutputsOf(failed)) made_with.CancelReplaced();
}

// As in videos, a picture without adaptation is classified by its planes, if it has them, even if
// BGR is available, because the mask must not depend on which other outputs are requested.
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
  std::vector<Output> outputs;
  for (const auto& [output, path] : task.outputs) outputs.push_back(output);
  const bool draws = Any(outputs, &OutputKind::is_photograph);
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
  const bool probability = Any(outputs, &OutputKind::of_probability);
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
  if (!note.empty()) tags.icc.clear();  // the profile does not fit these pixels or is damaged
  for (const auto& [output, path] : task.outputs) {
    const cv::Mat drawn = Draw(output, judgement, form);
    try {
      result.files.push_back(
          EncodeOutput(output, drawn, detector.model().classes.size(), options.style, tags));
    } catch (const Error& e) {
      throw Error(path.string(), e.what());
    }
    result.image.outputs.push_back(path);
  }
  if (!note.empty()) result.note = name + ": " + note;
  return result;
}

}  // namespace skinmask
