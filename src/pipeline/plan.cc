#include "pipeline/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/folder.h"
#include "media/names.h"
#include "pipeline/bytes_as_text.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"

namespace skinmask {

namespace fs = std::filesystem;

namespace {

std::string_view NameOfMedia(Media media) {
  return media == Media::kImage ? "an image" : media == Media::kVideo ? "a video" : "a tar archive";
}

// An archive alone takes all kinds of outputs.
void RequireOneKind(const DetectOptions& options) {
  if (options.outputs.size() != 1 || options.video.png_frames)
    throw Error(options.output_file.string(),
                "takes one kind of output (a folder takes several, and frames)");
}

// Throws Error where the output file cannot be that of the inputs.
void CheckOutputFile(const InputList& inputs, const DetectOptions& options) {
  const fs::path& file = options.output_file;
  if (inputs.size() > 1)
    throw Error(file.string(),
                fmt::format("takes one image, video or archive, and there are {} (an "
                            "output folder takes them all)",
                            inputs.size()));
  if (inputs.empty()) return;
  const Media media = inputs.MediaOf(0);
  const NamedMedia named(file.native());
  const auto by_name = named.image     ? std::optional(Media::kImage)
                       : named.video   ? std::optional(Media::kVideo)
                       : named.archive ? std::optional(Media::kArchive)
                                       : std::nullopt;
  if (by_name && *by_name != media)
    throw Error(file.string(), fmt::format("is {} by its name, and {} is {}", NameOfMedia(*by_name),
                                           inputs.Path(0), NameOfMedia(media)));
  if (media != Media::kArchive) RequireOneKind(options);
}

InputList InputsOf(const DetectOptions& options, const Run& run) {
  PrepareOutput(options);
  const ListOptions list{.wanted = Inputs::kAll,
                         .excluded = options.output_folder,
                         .include = options.include,
                         .exclude = options.exclude,
                         .all_videos = options.video.raw.has_value(),
                         .stop = run.stop,
                         .problem = run.problem,
                         .passed_over = run.passed_over};
  InputList inputs = ListInputs(options.inputs, list, options.listed);
  if (!options.output_file.empty()) CheckOutputFile(inputs, options);
  return inputs;
}

std::vector<OutputSuffix> SuffixesOf(const DetectOptions& options) {
  std::vector<OutputSuffix> suffixes;
  for (const Output output : options.outputs)
    suffixes.push_back({KindOf(output).suffix, KindOf(output).video_suffix});
  return suffixes;
}

// The files behind the inputs.
class Originals {
 public:
  explicit Originals(const InputList& inputs) : inputs_(inputs), index_(inputs.size()) {
    for (std::size_t i = 0; i < inputs.size(); ++i) index_.Add(inputs.Identity(i), i);
    index_.Sort();
  }
  bool Have(const std::string& identity) const {
    return std::ranges::any_of(index_.Find(identity), [&](const HashIndex::Key& key) {
      return inputs_.Identity(key.index) == identity;
    });
  }

 private:
  const InputList& inputs_;
  HashIndex index_;
};

// What a run before has made, for one that resumes.
bool IsThere(const fs::path& output, EntryType type, const DetectOptions& options) {
  std::error_code ignored;
  return options.if_exists == IfExists::kKeep && output != kStandardOutput &&
         (type == EntryType::kFile ||
          (type == EntryType::kLink && fs::is_regular_file(output, ignored)));
}

// FileIdentity of outputs, which are mostly of one folder after the other, and no links.
class OutputIdentity {
 public:
  std::string Of(const fs::path& path, bool link) {
    if (link) return FileIdentity(path).string();
    const std::string_view name = NameOf(path.native());
    std::string folder = path.native().substr(0, path.native().size() - name.size());
    if (identity_.empty() || folder != folder_) {
      folder_ = std::move(folder);
      identity_ = FileIdentity(folder_.empty() ? "." : folder_).string();
    }
    return JoinPath(identity_, name);
  }

 private:
  std::string folder_, identity_;
};

}  // namespace

void PrepareOutput(const DetectOptions& options) {
  if (!options.output_file.empty()) {
    const NamedMedia named(options.output_file.native());
    if (named.image || named.video) RequireOneKind(options);
    RequireWritable(options.output_file, options.if_exists);
    return;
  }
  std::error_code error;
  fs::create_directories(options.output_folder, error);
  if (error)
    throw Error(options.output_folder.string(),
                "cannot be made as output folder: " + error.message());
  RequireWritable(options.output_folder / "mask.png", IfExists::kReplace);
}

Plan::Plan(const DetectOptions& options, const Run& run)
    : options_(options),
      inputs_(InputsOf(options, run)),
      paths_(inputs_, SuffixesOf(options), run.problem, options.video.png_frames) {
  const Originals originals(inputs_);
  for (const fs::path& file : options.other_files)
    if (!file.empty() && originals.Have(FileIdentity(file).string()))
      throw Error(file.string(), "is an input and is not written over");
  OutputIdentity identity;
  for (std::size_t i = options.shard - 1; i < inputs_.size(); i += options.shard_count) {
    const auto input = static_cast<std::uint32_t>(i);
    std::size_t there = 0, to_do = 0;
    for (const fs::path& path : PathsOf(input)) {
      const EntryType type = EntryTypeOf(path.c_str());
      if (originals.Have(identity.Of(path, type == EntryType::kLink))) {
        refused_.insert(path);
        run.problem(
            Problem(inputs_.Path(i), Error(path.string(), "is an input and is not written over")));
      } else {
        ++(IsThere(path, type, options) ? there : to_do);
      }
    }
    const Media media = inputs_.MediaOf(i);
    // Of an archive its images count, once they are known.
    if (media != Media::kArchive || to_do == 0)
      run.planned(inputs_.Path(i), there > 0 && to_do == 0);
    if (to_do > 0)
      (media == Media::kVideo     ? videos_
       : media == Media::kArchive ? archives_
                                  : images_)
          .push_back(input);
  }
}

std::vector<fs::path> Plan::PathsOf(std::uint32_t input) const {
  if (!options_.output_file.empty()) return {options_.output_file};
  std::vector<fs::path> paths = paths_[input];
  for (std::size_t j = 0; j < paths.size(); ++j) {
    paths[j] = options_.output_folder / paths[j];
    if (!options_.video.codec.empty() && inputs_.MediaOf(input) == Media::kVideo &&
        options_.outputs[j] == Output::kCutout)
      paths[j].replace_extension(TransparentExtension(options_.video.codec));
  }
  return paths;
}

Task Plan::TaskOf(std::uint32_t input) const {
  Task task{inputs_.Path(input), {}};
  const std::vector<fs::path> paths = PathsOf(input);
  for (std::size_t j = 0; j < paths.size(); ++j)
    if (!refused_.contains(paths[j])) task.outputs.emplace_back(options_.outputs[j], paths[j]);
  return task;
}

bool IsDoneMeanwhile(Task& task, const DetectOptions& options) {
  std::erase_if(task.outputs, [&](const auto& output) {
    return IsThere(output.second, EntryTypeOf(output.second.c_str()), options);
  });
  return task.outputs.empty();
}

std::string Plan::Digest() const {
  std::string names;
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    names.append(inputs_.Relative(i)).push_back('\0');
  return Sha256(names);
}

void Plan::MakeFolders() const {
  std::set<fs::path> folders;
  std::string last;
  for (const std::vector<std::uint32_t>* inputs : {&images_, &videos_, &archives_})
    for (const std::uint32_t input : *inputs) {
      const std::string relative = inputs_.Relative(input);
      if (FolderOf(relative) == last && !folders.empty()) continue;
      last = FolderOf(relative);
      folders.insert(PathsOf(input)[0].parent_path());
    }
  for (const fs::path& folder : folders) {
    std::error_code ignored;  // whatever belongs there says that its folder does not exist
    fs::create_directories(folder, ignored);
    RemoveOldUnfinished(folder);
  }
}

}  // namespace skinmask
