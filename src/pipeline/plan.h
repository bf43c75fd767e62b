// What a run of detection does, input by input.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
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
#include "skinmask/pipeline/detect_run.h"
#include "skinmask/pipeline/run.h"

namespace skinmask {

// The work on one input: what to read, and which outputs to write where. A video whose frames
// become single images has one output, the first, whose path is their folder; so has an archive,
// whose path is that of the archive that it becomes.
struct Task {
  std::filesystem::path input;
  std::vector<std::pair<Output, std::filesystem::path>> outputs;
};

// All inputs, of which the names alone are kept: tasks are made when they are begun.
class Plan {
 public:
  // Prepares the output, lists inputs, names outputs, and leaves out what is not to be done.
  // `options` outlive the plan.
  Plan(const DetectOptions& options, const Run& run);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  // Numbers of the inputs that there is something to do for, in order.
  const std::vector<std::uint32_t>& images() const { return images_; }
  const std::vector<std::uint32_t>& videos() const { return videos_; }
  const std::vector<std::uint32_t>& archives() const { return archives_; }
  bool HasWork() const { return !images_.empty() || !videos_.empty() || !archives_.empty(); }
  std::string InputOf(std::uint32_t input) const { return inputs_.Path(input); }
  Task TaskOf(std::uint32_t input) const;
  // Tells the list of all inputs, those of other shards, too, from any other.
  std::string Digest() const;
  // Makes the folders that the outputs go to, as far as that can be done, and removes what runs
  // left there that were killed a day ago or more.
  void MakeFolders() const;

 private:
  std::vector<std::filesystem::path> PathsOf(std::uint32_t input) const;

  const DetectOptions& options_;
  const InputList inputs_;
  const OutputPaths paths_;
  std::vector<std::uint32_t> images_, videos_, archives_;
  std::set<std::filesystem::path> refused_;  // outputs that are inputs
};

// A run that resumes leaves out the outputs that another run has made since the task was planned.
// True where no output is left to make.
bool IsDoneMeanwhile(Task& task, const DetectOptions& options);

// What the parts of a run, which all go by RunStages, are given.
struct DetectJob {
  const Plan& plan;
  const DetectOptions& options;
  const Detector& detector;  // of such a run
  const Run& run;
  const std::function<void(const DetectedImage&)>& done;
  MadeWith& made_with;
  void Note(const DetectedImage& image) const {
    if (options.before_outputs) options.before_outputs(image);
  }
};

struct Detected {
  std::uint64_t pixels = 0;  // of the picture; 0: nothing was to be done
  DetectedImage image;
  std::string note;                // what is odd about it, or empty
  std::vector<std::string> files;  // encoded, as image.outputs
};

// Decodes the bytes of task.input, which is not read, and makes the task's outputs, which are not
// written.
Detected DetectOne(const Task& task, std::string_view bytes, const Detector& detector,
                   const DetectOptions& options, const TakePixels& take);

// The archives of the plan, one after the other. Each becomes one of outputs, all of it or nothing.
// `done` is called for the images of an archive when that is in its place, and at once where it
// goes to a pipe. An image that cannot be done is a problem, and the others are done.
void DetectArchives(const DetectJob& job);

// The videos of the plan, one after the other. Decoding, the posterior and encoding overlap, frames
// stay in order.
void DetectVideos(const DetectJob& job);

}  // namespace skinmask
