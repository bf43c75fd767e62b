#include "pipeline/plan.h"

#include <fmt/format.h>

#include <set>

#include "skinmask/base/error.h"
#include "skinmask/base/file.h"

namespace skinmask {

namespace fs = std::filesystem;

namespace {

std::vector<InputFile> InputsOf(const DetectOptions& options, const Run& run) {
  const ListOptions list{.wanted = Inputs::kImagesAndVideos,
                         .excluded = options.output_folder,
                         .include = options.include,
                         .exclude = options.exclude,
                         .all_videos = options.video.raw.has_value(),
                         .stop = run.stop,
                         .problem = run.problem,
                         .passed_over = run.passed_over};
  return ListInputs(options.inputs, list, options.listed);
}

// Throws Error where the output file cannot be that of the inputs.
void CheckOutputFile(const std::vector<InputFile>& inputs, const DetectOptions& options) {
  const fs::path& file = options.output_file;
  if (inputs.size() > 1)
    throw Error(file.string(), fmt::format("takes one image or video, and there are {} (an output "
                                           "folder takes them all)",
                                           inputs.size()));
  if (inputs.empty()) return;
  const bool video = inputs[0].video;
  if (video ? HasImageExtension(file) : HasVideoExtension(file))
    throw Error(file.string(),
                fmt::format("is {} by its name, and {} is {}", video ? "an image" : "a video",
                            inputs[0].path.string(), video ? "a video" : "an image"));
}

// Where the outputs of each input go.
std::vector<std::vector<fs::path>> PathsOf(const std::vector<InputFile>& inputs,
                                           const DetectOptions& options, const Run& run) {
  if (!options.output_file.empty()) {
    CheckOutputFile(inputs, options);
    return {{options.output_file}};
  }
  std::vector<std::vector<fs::path>> paths =
      OutputPaths(inputs, options.outputs, run.problem, options.video.png_frames);
  const bool transparent = !options.video.codec.empty();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (std::size_t j = 0; j < paths[i].size(); ++j) {
      paths[i][j] = options.output_folder / paths[i][j];
      if (transparent && inputs[i].video && options.outputs[j] == Output::kCutout)
        paths[i][j].replace_extension(TransparentExtension(options.video.codec));
    }
  return paths;
}

}  // namespace

void PrepareOutput(const DetectOptions& options) {
  if (!options.output_file.empty()) {
    if (options.outputs.size() != 1 || options.video.png_frames)
      throw Error(options.output_file.string(),
                  "takes one kind of output (a folder takes several, and frames)");
    return RequireWritable(options.output_file,
                           options.resume ? Overwrite::kYes : options.overwrite);
  }
  const fs::path folder = FileIdentity(options.output_folder);
  for (const std::vector<fs::path>* inputs : {&options.inputs, &options.listed})
    for (const fs::path& input : *inputs)
      if (FileIdentity(input) == folder)
        throw Error(options.output_folder.string(),
                    "is the input folder too; its masks would be the next run's photographs "
                    "(another output folder, or one inside it)");
  std::error_code error;
  fs::create_directories(options.output_folder, error);
  if (error)
    throw Error(options.output_folder.string(),
                "cannot be made as output folder: " + error.message());
  RequireWritable(options.output_folder / "mask.png", Overwrite::kYes);
}

Plan PlanTasks(const DetectOptions& options, const Run& run) {
  PrepareOutput(options);
  const std::vector<InputFile> inputs = InputsOf(options, run);
  const std::vector<std::vector<fs::path>> paths = PathsOf(inputs, options, run);
  std::set<fs::path> originals;
  for (const InputFile& input : inputs) originals.insert(FileIdentity(input.path));
  for (const fs::path& file : options.other_files)
    if (!file.empty() && originals.count(FileIdentity(file)))
      throw Error(file.string(), "is an input and is not written over");
  Plan plan;
  for (std::size_t i = options.shard - 1; i < inputs.size(); i += options.shard_count) {
    Task task{inputs[i].path, {}};
    bool there = false;
    for (std::size_t j = 0; j < paths[i].size(); ++j) {
      const fs::path& path = paths[i][j];
      std::error_code ignored;
      if (originals.count(FileIdentity(path)))
        run.problem(Problem(inputs[i].path.string(),
                            Error(path.string(), "is an input and is not written over")));
      else if (options.resume && path != kStandardOutput && fs::is_regular_file(path, ignored))
        there = true;
      else
        task.outputs.emplace_back(options.outputs[j], path);
    }
    run.planned(task.input.string(), there && task.outputs.empty());
    if (!task.outputs.empty())
      (inputs[i].video ? plan.videos : plan.images).push_back(std::move(task));
  }
  return plan;
}

bool IsDoneMeanwhile(Task& task, const DetectOptions& options) {
  if (!options.resume) return false;
  std::erase_if(task.outputs, [](const auto& output) {
    std::error_code ignored;
    return output.second != kStandardOutput && fs::is_regular_file(output.second, ignored);
  });
  return task.outputs.empty();
}

void MakeFolders(const Plan& plan) {
  std::set<fs::path> folders;
  for (const std::vector<Task>* tasks : {&plan.images, &plan.videos})
    for (const Task& task : *tasks)
      for (const auto& [output, path] : task.outputs) folders.insert(path.parent_path());
  for (const fs::path& folder : folders) {
    std::error_code ignored;  // whatever belongs there says that its folder does not exist
    fs::create_directories(folder, ignored);
    RemoveStaleParts(folder);
  }
}

}  // namespace skinmask
