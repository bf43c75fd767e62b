#include <fmt/format.h>

#include <exception>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/stream.h"
#include "media/archive.h"
#include "media/image_codec.h"
#include "media/names.h"
#include "pipeline/ordered.h"
#include "pipeline/plan.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

struct ArchiveItem {
  Task task;  // paths in the archives: archive / name of the file
  bool is_image = true;
  std::string problem;  // why the file cannot be read, or empty
  std::string bytes;
  Detected detected;
};

class ArchiveRun {
 public:
  ArchiveRun(const Task& task, const DetectJob& job) : task_(task), job_(job) {}

  // Throws Error if the whole archive fails.
  void Go() {
    Stages stages;
    std::vector<ArchiveItem> items(stages.max_items);
    stages.next = [&](std::size_t place, const TakePixels& take) {
      return Read(items[place], take);
    };
    stages.stages = {
        {false, [&](std::size_t place, const TakePixels& take) { Detect(items[place], take); }}};
    stages.finish = [&](std::size_t place, std::exception_ptr failure) {
      Keep(std::exchange(items[place], {}), failure);
    };
    RunStages(stages, job_.run.stop);
    if (job_.run.Stopped()) return;  // an incomplete archive is not kept
    if (images_ == 0)
      throw Error(task_.input.string(), include_.empty() && exclude_.empty()
                                            ? "holds no image"
                                            : "holds no image that the patterns take");
    if (done_images_ == 0)
      throw Error(task_.input.string(), "becomes nothing: not one of its images could be done");
    job_.made_with.WriteRecord();
    job_.made_with.WriteFailures({output_}, failed_, images_);
    for (const DetectedImage& image : kept_) job_.Note(image);
    writer_.Finish();
    for (const DetectedImage& image : kept_) Tell(image);
  }

 private:
  bool Read(ArchiveItem& item, const TakePixels& take) {
    std::optional<ArchivedFile> file = NextFile(reader_);
    while (file && !PatternsTake(file->name)) file = NextFile(reader_);
    if (!file) return false;
    item.task.input = task_.input / file->name;
    item.is_image = IsImage(*file);
    if (!item.is_image) return true;
    const auto [other, fresh] = names_.emplace(file->key, file->name);
    if (!fresh)
      throw Error(task_.input.string(),
                  fmt::format("holds two images of one key, '{}' and '{}' (patterns of names "
                              "choose one of them)",
                              other->second, file->name));
    for (const Output output : job_.options.outputs)
      item.task.outputs.emplace_back(
          output, output_ / (file->key + (output == Output::kMask ? ".mask" : "") +
                             std::string(SuffixOf(output, job_.options.style.format))));
    item.problem = WhyNotRead(file->entry);
    if (!item.problem.empty()) return true;
    take(static_cast<std::int64_t>(file->entry.size / 4));
    // Of a file that is not an image only the first bytes are read; the decoder refuses it by them.
    item.bytes = reader_.Read([](std::string_view head) { return CodecOf(head) != nullptr; });
    return true;
  }

  // Tests the name and each folder above it as strings, because splitting a path object for each
  // pattern would be slow.
  bool PatternsTake(const std::string& name) const {
    for (std::size_t end = name.size(); end != name.npos && end > 0; end = name.rfind('/', end - 1))
      if (exclude_.Match(name.substr(0, end))) return false;
    return include_.empty() || include_.Match(name);
  }

  static bool IsImage(const ArchivedFile& file) {
    const bool one_extension = file.extension.find('.') == file.extension.npos;
    return !file.key.empty() && !file.key.ends_with('/') && one_extension &&
           NamedMedia(file.name).image;
  }

  void Detect(ArchiveItem& item, const TakePixels& take) const {
    if (!item.is_image) return;
    if (!item.problem.empty()) throw Error(item.task.input.string(), item.problem);
    const std::string bytes = std::move(item.bytes);
    item.detected = DetectOne(item.task, bytes, job_.detector, job_.options, take);
  }

  void Keep(ArchiveItem item, std::exception_ptr failure) {
    const Run& run = job_.run;
    if (!item.is_image)
      return run.passed_over(item.task.input, "is no image by its name, KEY.jpg and the like");
    const std::string input = item.task.input.string();
    std::optional<Problem> problem;
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const WaitStopped&) {
      return;  // an interrupt is not a failure of the image
    } catch (const std::exception& e) {
      problem.emplace(input, e);
    }
    ++images_;
    run.planned(input, false);
    if (problem) {
      run.problem(*problem);
      failed_.push_back(*problem);
    } else {
      Write(std::move(item.detected));
    }
    run.progress(images_, 0, pixels_);
  }

  void Write(Detected&& detected) {
    if (!detected.note.empty()) job_.run.note(detected.note);
    for (std::size_t j = 0; j < detected.files.size(); ++j)
      writer_.Add(detected.image.outputs[j].lexically_relative(output_).string(),
                  detected.files[j]);
    ++done_images_;
    pixels_ += detected.pixels;
    if (to_pipe_) {
      writer_.Flush();
      job_.Note(detected.image);
      Tell(detected.image);
    } else {
      kept_.push_back(std::move(detected.image));
    }
  }

  void Tell(const DetectedImage& image) const {
    job_.run.finished();
    job_.done(image);
  }

  const Task& task_;
  const DetectJob& job_;
  const fs::path output_ = task_.outputs.front().second;
  const Patterns include_{job_.options.include}, exclude_{job_.options.exclude};
  TarReader reader_{task_.input};
  TarWriter writer_{output_, job_.options.if_exists};
  const bool to_pipe_ = IsSpecial(output_);
  std::unordered_map<std::string, std::string> names_;  // of images, by their keys
  std::size_t images_ = 0, done_images_ = 0;            // images_ includes failed images
  std::uint64_t pixels_ = 0;
  std::vector<DetectedImage> kept_;
  std::vector<Problem> failed_;
};

}  // namespace

void DetectArchives(const DetectJob& job) {
  for (const std::uint32_t input : job.plan.archives()) {
    Task task = job.plan.TaskOf(input);
    if (job.run.Stopped()) return;
    try {
      if (IsDoneMeanwhile(task, job.options)) {
        job.made_with.Reread();
        job.run.planned(task.input.string(), true);
        job.plan.TellEarlier(input, job.made_with, job.run);
        continue;
      }
      job.run.counting("images of " + task.input.filename().string());
      ArchiveRun(task, job).Go();
    } catch (const WaitStopped&) {
      return;
    } catch (const std::exception& error) {
      // It counts as an input beside its images, so that no run has more failures than inputs.
      job.run.planned(task.input.string(), false);
      Problem problem(task.input.string(), error);
      problem.tolerable = false;
      job.run.problem(problem);
    }
  }
}

}  // namespace skinmask
