// What a run of detection does, input by input.
#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include "skinmask/pipeline/detect_run.h"
#include "skinmask/pipeline/run.h"

namespace skinmask {

// The work on one input: what to read, and which outputs to write where. A video whose frames
// become single images has one output, the first, whose path is their folder.
struct Task {
  std::filesystem::path input;
  std::vector<std::pair<Output, std::filesystem::path>> outputs;
};

struct Plan {
  std::vector<Task> images, videos;
};

// Prepares the output, lists inputs, names outputs, and leaves out what is not to be done.
Plan PlanTasks(const DetectOptions& options, const Run& run);
// With `resume`: leaves out the outputs that another run has made since the task was planned. True
// where none is left.
bool IsDoneMeanwhile(Task& task, const DetectOptions& options);
// What another run makes between that and the end is of the same bytes.
inline Overwrite OverwriteOf(const DetectOptions& options) {
  return options.resume ? Overwrite::kYes : options.overwrite;
}
// Makes the folders that the plan's outputs go to, as far as that can be done, and removes what
// runs left there that were killed a day ago or more.
void MakeFolders(const Plan& plan);

}  // namespace skinmask
