#include "pipeline/detect_shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/stream.h"
#include "media/archive.h"
#include "media/image_format.h"
#include "media/patterns.h"
#include "pipeline/detect_one.h"
#include "pipeline/ordered.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

// An image of a shard.
struct ShardImage {
  Task task;  // its paths are those of the archives, and in them its own
  std::string bytes;
  std::string problem;  // why there are none, or empty
};

class ShardRun {
 public:
  ShardRun(const Task& task, const DetectOptions& options, const FramePosterior& posterior,
           double threshold, const Run& run, const std::function<void(const DetectedImage&)>& done)
      : task_(task),
        output_(task.outputs.front().second),
        options_(options),
        posterior_(posterior),
        threshold_(threshold),
        run_(run),
        done_(done),
        include_(options.include),
        exclude_(options.exclude),
        reader_(task.input),
        writer_(output_, OverwriteOf(options)),
        to_pipe_(IsSpecial(output_)) {}

  // Throws Error where the whole shard cannot be done.
  void Go() {
    Run run = run_;
    run.problem = [this](const Problem& problem) {
      TellPassedOver();
      ++images_;
      run_.planned(problem.input, false);
      run_.problem(problem);
    };
    RunOrderedFrom([this](const TakePixels& take) { return Next(take); }, 0, run,
                   [](const ShardImage& image) { return image.task.input.string(); },
                   [this](ShardImage& image, const TakePixels& take) { return Work(image, take); },
                   [this](ShardImage&, Detected&& detected) { Keep(std::move(detected)); });
    TellPassedOver();
    if (failure_) std::rethrow_exception(failure_);
    if (run_.stop && run_.stop->load()) return;  // half of it is nothing
    if (images_ == 0)
      throw Error(task_.input.string(), include_.empty() && exclude_.empty()
                                            ? "holds no image"
                                            : "holds no image that the patterns take");
    if (done_images_ == 0)
      throw Error(task_.input.string(), "becomes nothing: not one of its images could be done");
    writer_.Finish();
    for (const DetectedImage& image : kept_) Tell(image);
  }

 private:
  std::optional<ShardImage> Next(const TakePixels& take) {
    while (!failed_) {
      const std::optional<ArchivedFile> file = NextFile(reader_);
      if (!file) break;
      if (!Takes(*file)) continue;
      const auto [other, fresh] = names_.emplace(file->key, file->name);
      if (!fresh)
        throw Error(task_.input.string(),
                    fmt::format("holds two images of one key, '{}' and '{}' (patterns of names "
                                "choose one of them)",
                                other->second, file->name));
      return Read(*file, take);
    }
    return std::nullopt;
  }

  // Readers are other threads than those who are told.
  void TellPassedOver() {
    std::vector<fs::path> files;
    {
      const std::lock_guard lock(mutex_);
      files.swap(passed_over_);
    }
    for (const fs::path& file : files)
      run_.passed_over(file, "is no image by its name, KEY.jpg and the like");
  }

  bool Takes(const ArchivedFile& file) {
    // Its folders, too. (Paths as such would be taken apart for each of them.)
    for (std::size_t end = file.name.size(); end != file.name.npos && end > 0;
         end = file.name.rfind('/', end - 1))
      if (exclude_.Match(file.name.substr(0, end))) return false;
    if (!include_.empty() && !include_.Match(file.name)) return false;
    const bool one_extension = file.extension.find('.') == file.extension.npos;
    if (!file.key.empty() && !file.key.ends_with('/') && one_extension &&
        NamedMedia(file.name).image)
      return true;
    const std::lock_guard lock(mutex_);
    passed_over_.push_back(task_.input / file.name);
    return false;
  }

  ShardImage Read(const ArchivedFile& file, const TakePixels& take) {
    ShardImage image{{task_.input / file.name, {}}, {}, {}};
    for (const Output output : options_.outputs)
      image.task.outputs.emplace_back(
          output, output_ / (file.key + (output == Output::kMask ? ".mask" : "") +
                             std::string(OutputSuffix(output))));
    image.problem = WhyNotRead(file.entry);
    if (!image.problem.empty()) return image;
    take(static_cast<std::int64_t>(file.entry.size / 4));
    // What is no image is refused when it is decoded, by its first bytes.
    image.bytes = reader_.Read([](std::string_view head) { return FormatOf(head).has_value(); });
    return image;
  }

  Detected Work(ShardImage& image, const TakePixels& take) const {
    if (!image.problem.empty()) throw Error(image.task.input.string(), image.problem);
    const std::string bytes = std::move(image.bytes);
    return DetectOne(image.task, bytes, posterior_, threshold_, options_, take);
  }

  void Keep(Detected&& detected) {
    if (failed_) return;
    TellPassedOver();
    ++images_;
    ++done_images_;
    run_.planned(detected.image.input.string(), false);
    try {
      for (std::size_t j = 0; j < detected.files.size(); ++j)
        writer_.Add(detected.image.outputs[j].lexically_relative(output_).string(),
                    detected.files[j]);
    } catch (const std::exception&) {
      failure_ = std::current_exception();  // and no more is read
      failed_ = true;
      return;
    }
    if (to_pipe_)
      Tell(detected.image);
    else
      kept_.push_back(std::move(detected.image));
  }

  void Tell(const DetectedImage& image) const {
    run_.finished();
    done_(image);
  }

  const Task& task_;
  const fs::path output_;
  const DetectOptions& options_;
  const FramePosterior& posterior_;
  const double threshold_;
  const Run& run_;
  const std::function<void(const DetectedImage&)>& done_;
  const Patterns include_, exclude_;
  TarReader reader_;
  TarWriter writer_;
  const bool to_pipe_;
  std::unordered_map<std::string, std::string> names_;  // of images, by their keys
  std::size_t images_ = 0, done_images_ = 0;            // the first with those that failed
  std::vector<DetectedImage> kept_;
  std::mutex mutex_;  // of the next
  std::vector<fs::path> passed_over_;
  std::exception_ptr failure_;        // of the writer
  std::atomic<bool> failed_ = false;  // likewise, for those that read
};

// Of a pipe nobody knows, and a shard is large.
PosteriorOptions ExpectedOfArchives(const Plan& plan, const DetectOptions& options) {
  constexpr std::uint64_t kOfPipe = std::uint64_t{1} << 30;
  PosteriorOptions expected{.expected_pixels = 0, .mask = true, .probability = false};
  for (const std::uint32_t input : plan.archives()) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(plan.TaskOf(input).input, error);
    expected.expected_pixels += error ? kOfPipe : kPixelsPerByte * size;
  }
  expected.probability =
      options.region || std::ranges::count(options.outputs, Output::kProbability) > 0;
  return expected;
}

}  // namespace

void DetectShards(const Plan& plan, const DetectOptions& options, const Model& model,
                  const Run& run, const std::function<void(const DetectedImage&)>& done) {
  const FramePosterior posterior(model, ImagePixels(options), ExpectedOfArchives(plan, options));
  for (const std::uint32_t input : plan.archives()) {
    Task task = plan.TaskOf(input);
    if (run.stop && run.stop->load()) return;
    if (IsDoneMeanwhile(task, options)) {
      run.planned(task.input.string(), true);
      continue;
    }
    run.counting("images of " + task.input.filename().string());
    try {
      ShardRun(task, options, posterior, model.decision.threshold, run, done).Go();
    } catch (const WaitStopped&) {
      return;
    } catch (const std::exception& error) {
      Problem problem(task.input.string(), error);
      problem.tolerable = false;
      run.problem(problem);
    }
  }
}

}  // namespace skinmask
