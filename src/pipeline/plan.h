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
// Makes the folders that the plan's outputs go to, as far as that can be done.
void MakeFolders(const Plan& plan);

}  // namespace skinmask
