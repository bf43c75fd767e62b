#include "pipeline/plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

#include "base/folder.h"
#include "base/stream.h"
#include "media/names.h"
#include "media/picture_type.h"
#include "pipeline/bytes_as_text.h"
#include "pipeline/parts.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"

namespace skinmask {

namespace fs = std::filesystem;

namespace {

std::string_view NameOfMedia(Media media) {
  return media == Media::kImage ? "an image" : media == Media::kVideo ? "a video" : "a tar archive";
}

void RequireOutputs(const DetectOptions& options) {
  if (options.outputs.empty()) throw Error("outputs", "are none (one or more are wanted)");
  for (const Output output : options.outputs)
    if (std::ranges::count(options.outputs, output) > 1)
      throw Error("outputs", fmt::format("have '{}' more than once", KindOf(output).name));
  if (options.probability_bits != 8 && options.probability_bits != 16)
    throw Error(fmt::format("probability_bits {}", options.probability_bits),
                "is unknown (8 or 16)");
  StyleTable().Validate(options.style, "option");
}

// Only an archive can hold several kinds of outputs.
void RequireOneKind(const DetectOptions& options) {
  if (options.outputs.size() != 1 || options.video.png_frames)
    throw Error(options.output_file.string(),
                "takes one kind of output (a folder takes several, and frames)");
}

// Throws Error if the output file does not fit the inputs.
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
    throw Error(file.string(),
                fmt::format("is {} by its name, and {} is read as {}", NameOfMedia(*by_name),
                            inputs.Path(0), NameOfMedia(media)));
  if (media != Media::kArchive) RequireOneKind(options);
}

InputList InputsOf(const DetectOptions& options, const Run& run) {
  PrepareOutput(options);
  // A failed file counts as a planned input, of the first shard. For an unreadable folder the
  // number of its inputs is unknown, and the lists of all shards may differ.
  const auto problem = [&](const Problem& of) {
    if (of.tolerable && options.shard != 1) return;
    if (of.tolerable) run.planned(of.input, false);
    run.problem(of);
  };
  const ListOptions list{.wanted = Inputs::kAll,
                         .excluded = options.output_folder,
                         .include = options.include,
                         .exclude = options.exclude,
                         .all_videos = options.video.raw.has_value(),
                         .isolation = options.isolation,
                         .stop = run.stop,
                         .problem = problem,
                         .passed_over = run.passed_over};
  InputList inputs = ListInputs(options.inputs, list, options.listed);
  if (!options.output_file.empty()) CheckOutputFile(inputs, options);
  return inputs;
}

std::vector<OutputSuffix> SuffixesOf(const DetectOptions& options) {
  std::vector<OutputSuffix> suffixes;
  for (const Output output : options.outputs)
    suffixes.push_back({SuffixOf(output, options.style.format), KindOf(output).video_suffix});
  return suffixes;
}

// Checks outputs against the files that the run reads (the inputs, and the seed mask if there is
// one), and against its tables and records. Files are compared by FileIdentity.
class OutputCheck {
 public:
  // Throws Error if a table or a record would replace an input.
  OutputCheck(const DetectOptions& options, const InputList& inputs, const fs::path& seed_mask,
              const std::vector<fs::path>& written)
      : options_(options),
        inputs_(inputs),
        index_(inputs.size()),
        seed_(seed_mask.empty() ? "" : FileIdentity(seed_mask)) {
    for (std::size_t i = 0; i < inputs.size(); ++i) index_.Add(IdentityOf(i), i);
    index_.Sort();
    for (const fs::path& file : written) {
      if (IsSpecial(file)) continue;
      const std::string identity = FileIdentity(file);
      written_.insert(identity);
      if (IsRead(identity)) throw Error(file.string(), kIsInput);
    }
  }

  // Why `output` of the input must not be written; null if it may be. Throws Error if it is the
  // file of a table or a record.
  const char* WhyRefused(const fs::path& output, EntryType type, std::uint32_t input) {
    const std::string identity = of_outputs_.Of(output.native(), type == EntryType::kLink);
    if (written_.contains(identity))
      throw Error(output.string(), fmt::format("is what is made of {}, and a table or a record is "
                                               "to be written there, too",
                                               inputs_.Path(input)));
    const bool replaces = options_.if_exists == IfExists::kReplace;
    const bool has_frames = options_.video.png_frames && inputs_.MediaOf(input) == Media::kVideo;
    if (replaces && has_frames && IsFolder(output) && HoldsRead(output))
      return "holds an input, which a frame could replace";
    if (IsRead(identity) || (replaces && IsOneFile(output, type, inputs_.Path(input))))
      return kIsInput;
    return nullptr;
  }

 private:
  static constexpr const char* kIsInput = "is an input and is not written over";

  std::string IdentityOf(std::size_t i) {
    return of_inputs_.Of(inputs_.Path(i), inputs_.IsLink(i));
  }
  bool IsRead(const std::string& identity) {
    if (identity == seed_) return true;
    return std::ranges::any_of(index_.Find(identity), [&](const HashIndex::Key& key) {
      return IdentityOf(key.index) == identity;
    });
  }
  // True if one of the files is in this very folder.
  bool HoldsRead(const fs::path& folder) {
    const auto add = [&](const std::string& identity) {
      folders_.insert(identity.substr(0, identity.rfind('/')));
    };
    if (folders_.empty()) {
      add(seed_);
      for (std::size_t i = 0; i < inputs_.size(); ++i) add(IdentityOf(i));
    }
    return folders_.contains(FolderIdentity(folder));
  }

  // True if output and input are the same file under two names, as on file systems that ignore case
  // (A.PNG and A.png).
  static bool IsOneFile(const fs::path& output, EntryType type, const std::string& input) {
    std::error_code ignored;
    return type == EntryType::kFile && fs::equivalent(output, input, ignored);
  }

  const DetectOptions& options_;
  const InputList& inputs_;
  FileIdentities of_inputs_, of_outputs_;
  HashIndex index_;  // of the inputs
  const std::string seed_;
  std::set<std::string> written_;  // identities of tables and records
  std::set<std::string> folders_;  // of all that is read, once they are asked for
};

// True if the output exists as a regular file.
bool IsThere(const fs::path& output, EntryType type) {
  return output != kStandardOutput &&
         (type == EntryType::kFile || (type == EntryType::kLink && IsRegularFile(output)));
}

// Reports inputs whose outputs exist, in a run that replaces nothing. If there are many, people see
// one line for all.
void TellExisting(std::vector<Problem> existing, const DetectOptions& options, std::size_t inputs,
                  const ProblemSink& problem) {
  if (existing.size() > 1) {
    for (Problem& each : existing) each.shown = "";
    existing.back().shown =
        Error(options.output_folder.string(),
              fmt::format("has the outputs of {} of {} inputs already (`resume` does the rest, "
                          "`overwrite` replaces them)",
                          existing.size(), inputs))
            .what();
  }
  for (const Problem& each : existing) problem(each);
}

}  // namespace

void RequireFolders(const DetectOptions& options) {
  const auto is_file = [](const fs::path& input) {
    const NamedMedia named(input.native());
    return IsRegularFile(input) && (named.image || named.video);
  };
  for (const auto& [option, patterns] :
       {std::pair("`include`", &options.include), {"`exclude`", &options.exclude}})
    if (!patterns->empty() && std::ranges::all_of(options.inputs, is_file) &&
        std::ranges::all_of(options.listed, is_file))
      throw Error(option, "picks files of folders and archives, and there are none");
}

void PrepareOutput(const DetectOptions& options) {
  RequireOutputs(options);
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
                "cannot be made as output folder: " + (error == std::errc::file_exists
                                                           ? "a link in its path leads to nothing"
                                                           : error.message()));
  // A resumed run may have nothing to write.
  if (options.if_exists != IfExists::kKeep &&
      access(options.output_folder.c_str(), W_OK | X_OK) != 0)
    FailToWrite(options.output_folder, errno);
}

Plan::Plan(const DetectOptions& options, const fs::path& seed_mask, const MadeWith& made_with,
           const Run& run)
    : options_(options),
      inputs_(InputsOf(options, run)),
      paths_(
          inputs_, SuffixesOf(options),
          [this](const Problem& of) { conflicts_.emplace(of.input, of); },
          options.video.png_frames) {
  const Shard shard{options.shard, options.shard_count};
  RequireShard(shard);
  RequireScale(options.scale);
  OutputCheck check(options, inputs_, seed_mask, run.written);
  std::vector<Problem> existing;
  const std::size_t of_shard = SizeOf(shard, inputs_.size());
  for (std::size_t n = 0; n < of_shard; ++n) {
    const auto input = static_cast<std::uint32_t>(PlaceOf(shard, n));
    std::size_t there = 0, to_do = 0;
    std::optional<Problem> exists;
    const std::vector<fs::path> paths = PathsOf(input);
    for (const fs::path& path : paths) {
      const EntryType type = EntryTypeOf(path.c_str());
      if (const char* const why = check.WhyRefused(path, type, input)) {
        refused_.insert(path);
        run.problem(Problem(inputs_.Path(input), Error(path.string(), why)));
        continue;
      }
      const bool is_there = IsThere(path, type);
      if (is_there && options.if_exists == IfExists::kFail && !exists)
        exists.emplace(inputs_.Path(input),
                       Error(path.string(), "exists already (`overwrite` replaces it)"));
      ++(is_there && options.if_exists == IfExists::kKeep ? there : to_do);
    }
    Announce(input, to_do > 0, there > 0 && to_do == 0, made_with, run);
    if (paths.empty()) {
      run.problem(conflicts_.at(inputs_.Path(input)));
    } else if (exists) {
      exists->tolerable = inputs_.MediaOf(input) != Media::kArchive;
      existing.push_back(*std::move(exists));
    } else if (to_do > 0) {
      ListOf(inputs_.MediaOf(input)).push_back(input);
    }
  }
  TellExisting(std::move(existing), options, of_shard, run.problem);
}

// Tells the run of an input, and what failed in it before if an earlier run has done it.
void Plan::Announce(std::uint32_t input, bool has_work, bool is_done, const MadeWith& made_with,
                    const Run& run) const {
  const bool is_archive = inputs_.MediaOf(input) == Media::kArchive;
  // The inputs of an archive are its images, which are not known yet.
  if (!is_archive || !has_work) run.planned(inputs_.Path(input), is_done);
  if (is_done) TellEarlier(input, made_with, run);
}

void Plan::TellEarlier(std::uint32_t input, const MadeWith& made_with, const Run& run) const {
  const MadeWith::Earlier earlier = made_with.EarlierOf(PathsOf(input).front());
  if (inputs_.MediaOf(input) == Media::kArchive) run.planned_more(earlier.images - 1);
  for (const Problem& problem : earlier.failures) run.problem(problem);
}

bool Plan::HoldsOutputsOf(const std::set<std::string>& inputs) const {
  const auto exists = [](const fs::path& path) {
    return IsThere(path, EntryTypeOf(path.c_str())) || IsFolder(path);  // of frames
  };
  const auto holds = [&](std::uint32_t input) {
    return inputs.contains(inputs_.Path(input)) && std::ranges::any_of(PathsOf(input), exists);
  };
  return std::ranges::any_of(images_, holds) || std::ranges::any_of(videos_, holds) ||
         std::ranges::any_of(archives_, holds);
}

std::vector<fs::path> Plan::PathsOf(std::uint32_t input) const {
  if (!options_.output_file.empty()) return {options_.output_file};
  std::vector<fs::path> paths = paths_[input];
  for (std::size_t j = 0; j < paths.size(); ++j) {
    paths[j] = options_.output_folder / paths[j];
    if (!options_.video.codec.empty() && inputs_.MediaOf(input) == Media::kVideo &&
        KindOf(options_.outputs[j]).is_watched && TakesCodec(options_.outputs[j], options_.outputs))
      paths[j].replace_extension(KindOf(options_.outputs[j]).type == CV_8UC4
                                     ? TransparentExtension(options_.video.codec)
                                     : WatchedExtension(options_.video.codec));
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
    return options.if_exists == IfExists::kKeep &&
           IsThere(output.second, EntryTypeOf(output.second.c_str()));
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
    std::error_code ignored;  // each output in it will tell why it has no folder
    fs::create_directories(folder, ignored);
    RemoveOldUnfinished(folder.empty() ? "." : folder);
  }
}

}  // namespace skinmask
