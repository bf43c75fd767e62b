#include "pipeline/plan.h"

#include <set>

#include "skinmask/base/error.h"
#include "skinmask/base/file.h"

namespace skinmask {

namespace fs = std::filesystem;

void MakeOutputFolder(const DetectOptions& options) {
  const fs::path folder = FileIdentity(options.output_folder);
  for (const fs::path& input : options.inputs)
    if (FileIdentity(input) == folder)
      throw Error(options.output_folder.string(),
                  "is the input folder too; its masks would be the next run's photographs (another "
                  "output folder, or one inside it)");
  std::error_code error;
  fs::create_directories(options.output_folder, error);
  if (error)
    throw Error(options.output_folder.string(),
                "cannot be made as output folder: " + error.message());
  RequireWritable(options.output_folder / "mask.png", Overwrite::kYes);
}

Plan PlanTasks(const DetectOptions& options, const Run& run) {
  MakeOutputFolder(options);
  const std::vector<InputFile> inputs =
      ListInputs(options.inputs, options.output_folder, Inputs::kImagesAndVideos, run.problem);
  const std::vector<std::vector<fs::path>> paths =
      OutputPaths(inputs, options.outputs, run.problem, options.video.png_frames);
  std::set<fs::path> originals;
  for (const InputFile& input : inputs) originals.insert(FileIdentity(input.path));
  Plan plan;
  for (std::size_t i = options.shard - 1; i < inputs.size(); i += options.shard_count) {
    Task task{inputs[i].path, {}};
    for (std::size_t j = 0; j < paths[i].size(); ++j) {
      const fs::path path = options.output_folder / paths[i][j];
      std::error_code ignored;
      if (originals.count(FileIdentity(path)))
        run.problem(Error(path.string(), "is an input and is not written over").what());
      else if (!options.resume || !fs::exists(path, ignored) || fs::is_directory(path, ignored))
        task.outputs.emplace_back(options.outputs[j], path);
    }
    if (!task.outputs.empty())
      (inputs[i].video ? plan.videos : plan.images).push_back(std::move(task));
  }
  return plan;
}

void MakeFolders(const Plan& plan) {
  std::set<fs::path> folders;
  for (const std::vector<Task>* tasks : {&plan.images, &plan.videos})
    for (const Task& task : *tasks)
      for (const auto& [output, path] : task.outputs) folders.insert(path.parent_path());
  for (const fs::path& folder : folders) {
    std::error_code ignored;  // whatever belongs there says that its folder does not exist
    fs::create_directories(folder, ignored);
  }
}

}  // namespace skinmask
