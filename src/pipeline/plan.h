// A detection run inside: the plan of its inputs and their outputs, and the work on images,
// archives and videos.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/made_with.h"
#include "pipeline/ordered.h"
#include "skinmask/detect/detector.h"
#include "skinmask/media/inputs.h"
#include "skinmask/media/output_paths.h"
#include "skinmask/media/video.h"
#include "skinmask/pipeline/detect_run.h"
#include "skinmask/pipeline/run.h"

namespace skinmask {

// One input and the paths of its outputs. A video whose frames become single images has one path,
// that of their folder, with the first kind of output. So has an archive, whose path is that of the
// output archive.
struct Task {
  std::filesystem::path input;
  std::vector<std::pair<Output, std::filesystem::path>> outputs;
};

// All inputs. Only their names are kept in memory; a task is made when it is started.
class Plan {
 public:
  // Prepares the output folder, lists the inputs, names their outputs, and skips inputs that need
  // no work; what had failed in these, by `made_with`, is reported again. `options` must outlive
  // the plan. No output replaces an input or the file `seed_mask`.
  Plan(const DetectOptions& options, const std::filesystem::path& seed_mask,
       const MadeWith& made_with, const Run& run);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  // Indices of the inputs that need work, in order.
  const std::vector<std::uint32_t>& images() const { return images_; }
  const std::vector<std::uint32_t>& videos() const { return videos_; }
  const std::vector<std::uint32_t>& archives() const { return archives_; }
  bool HasWork() const { return !images_.empty() || !videos_.empty() || !archives_.empty(); }
  std::string InputOf(std::uint32_t input) const { return inputs_.Path(input); }
  // Tells the run what failed in an input that an earlier or a concurrent run has done.
  void TellEarlier(std::uint32_t input, const MadeWith& made_with, const Run& run) const;
  // True if an output of one of these inputs exists.
  bool HoldsOutputsOf(const std::set<std::string>& inputs) const;
  Task TaskOf(std::uint32_t input) const;
  // A digest that identifies the list of all inputs, including those of other shards.
  std::string Digest() const;
  // Creates the folders of the outputs, where possible, and removes unfinished files that are older
  // than a day from them.
  void MakeFolders() const;

 private:
  std::vector<std::filesystem::path> PathsOf(std::uint32_t input) const;
  void Announce(std::uint32_t input, bool has_work, bool is_done, const MadeWith& made_with,
                const Run& run) const;
  std::vector<std::uint32_t>& ListOf(Media media) {
    return media == Media::kVideo ? videos_ : media == Media::kArchive ? archives_ : images_;
  }

  const DetectOptions& options_;
  const InputList inputs_;
  std::map<std::string, Problem> conflicts_;  // of inputs without outputs, by path
  const OutputPaths paths_;
  std::vector<std::uint32_t> images_, videos_, archives_;
  std::set<std::filesystem::path> refused_;  // outputs that would overwrite inputs
};

// In a resumed run, removes the outputs that a concurrent run has made since the task was planned.
// Returns true if no output is left to make.
bool IsDoneMeanwhile(Task& task, const DetectOptions& options);

// The arguments of the three parts of a run, which all use RunStages.
struct DetectJob {
  const Plan& plan;
  const DetectOptions& options;
  const Detector& detector;  // adjusted to the run
  const Run& run;
  const std::function<void(const DetectedImage&)>& done;
  MadeWith& made_with;

  // Reports an image or a video, before its outputs get their names.
  void Note(const DetectedImage& image) const {
    if (options.before_outputs) options.before_outputs(image);
  }
  // Those that an earlier run has made are outputs of the input, too.
  DetectedImage WithAllOutputs(DetectedImage image, std::uint32_t input) const {
    image.outputs.clear();
    for (const auto& [output, path] : plan.TaskOf(input).outputs) image.outputs.push_back(path);
    return image;
  }
};

struct Detected {
  std::uint64_t pixels = 0;  // of the picture; 0 if there was nothing to do
  DetectedImage image;
  std::string note;                // a note about the picture, or empty
  std::vector<std::string> files;  // encoded files, in the order of image.outputs
};

// Decodes `bytes`, the content of task.input, and returns the encoded outputs of the task. Neither
// reads nor writes files.
Detected DetectOne(const Task& task, std::string_view bytes, const Detector& detector,
                   const DetectOptions& options, const TakePixels& take);

// Processes the archives of the plan, one after the other. Each becomes one archive of outputs,
// which is written completely or not at all. `done` is called for the images of an archive when the
// output archive is complete; if it is written to a pipe, at once for each image. An image that
// fails is a problem, and the other images are processed.
void DetectArchives(const DetectJob& job);

// Processes the videos of the plan, one after the other. Decoding, classification and encoding
// overlap; frames stay in order.
void DetectVideos(const DetectJob& job);

// One output of one frame, upright.
struct Rendered {
  Output output;
  cv::Mat picture;    // CV_8UC1, 16UC1, 8UC3 or 8UC4; class indices for kClasses
  std::string bytes;  // the encoded file, if frames become files
};

// The destination of the outputs of one video: other videos, or folders of single images.
class VideoSink {
 public:
  explicit VideoSink(const DetectOptions& options) : options_(options) {}
  virtual ~VideoSink() = default;
  // The form in which the sink expects outputs.
  virtual OutputForm Form() const = 0;
  // Does the part of the work that does not depend on the order of frames. Thread-safe.
  virtual void Prepare(Rendered&) const {}
  // Called for the frames in order.
  virtual void Write(const VideoFrame& frame, const std::vector<Rendered>& outputs) = 0;
  // Completes the files; without this call incomplete files are removed. Returns warnings, for
  // example about sound, of outputs whose pictures are complete. Throws Error.
  virtual std::vector<std::string> Finish() { return {}; }

 protected:
  const DetectOptions& options_;
};

// Throws Error if an output exists already or cannot be written. `options` must outlive the sink.
// `size` is the upright size, `first` the timestamp of the first frame.
std::unique_ptr<VideoSink> MakeVideoSink(const Task& task, const DetectOptions& options,
                                         const VideoInfo& info, std::int64_t first,
                                         const cv::Size& size, std::size_t class_count);

}  // namespace skinmask
