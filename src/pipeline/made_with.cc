#include "pipeline/made_with.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "base/folder.h"
#include "base/parse.h"
#include "base/printable.h"
#include "base/stream.h"
#include "pipeline/bytes_as_text.h"
#include "pipeline/results_json.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/media/inputs.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModel = "model";
constexpr const char* kList = "list";
constexpr const char* kReplaces = "replaces";
constexpr const char* kFailed = "failed";
constexpr const char* kImages = "images";

// True if the run of the record made outputs of this kind.
bool HasOutput(const Json& entry, const Json& kind) {
  return std::ranges::find(entry["outputs"], kind) != entry["outputs"].end();
}

// The records of all earlier runs. Truncated and foreign lines are skipped.
struct Records {
  std::vector<Json> entries;
  // By the name of the output: what failed although it exists, and the images of an archive.
  std::map<std::string, Json> told;
};

using Replaced = std::map<std::string, std::set<std::string>>;  // kinds of outputs, by list

// Reads lines from the last one to the first, so that each needs one step: what a later line
// replaces is known. (The file itself is only appended to, so that concurrent and killed runs do
// not damage it.)
void ReadLine(Json line, Records& records, Replaced& by_list) {
  const Json outputs = line.value("outputs", Json());
  const auto is_text = [](const Json& output) { return output.is_string(); };
  if (!outputs.is_array() || !std::ranges::all_of(outputs, is_text)) return;
  if (AreFailures(line.value(kFailed, Json()))) {
    const Json told{{kFailed, line[kFailed]}, {kImages, line.value(kImages, Json())}};
    for (const Json& output : outputs) records.told.emplace(output.get<std::string>(), told);
    return;
  }
  if (!line.value("made_with", Json()).is_object()) return;
  std::set<std::string>& replaced = by_list[JsonText(line.value(kList, Json()))];
  Json kept = Json::array();
  for (const Json& kind : outputs)
    if (!replaced.contains(kind.get<std::string>())) kept.push_back(kind);
  if (line.value(kReplaces, Json()) == true)
    for (const Json& kind : outputs) replaced.insert(kind.get<std::string>());
  if (kept.empty()) return;
  line["outputs"] = std::move(kept);
  line.erase(kReplaces);
  records.entries.push_back(std::move(line));
}

Records ReadRecords(const fs::path& file) {
  if (EntryTypeOf(file.c_str()) != EntryType::kFile) return {};
  Records records;
  Replaced replaced;
  std::vector<std::string> lines = Parts(ReadFile(file), '\n');
  for (; !lines.empty(); lines.pop_back())
    if (Json line = ObjectOf(lines.back()); !line.is_null())
      ReadLine(std::move(line), records, replaced);
  std::ranges::reverse(records.entries);
  return records;
}

// True if the option changes an output that both runs made.
bool IsShared(std::string_view option, const Json& a, const Json& b) {
  const auto is_given = [&](const char* other) {
    return a["made_with"].contains(other) || b["made_with"].contains(other);
  };
  return std::ranges::any_of(OutputKinds(), [&](const OutputKind& kind) {
    if (option == "outlier" && kind.output == Output::kMask && !is_given("abstain")) return false;
    const bool is_lossy = option == "quality" && is_given("codec");
    return (is_lossy || Changes(option, kind)) && HasOutput(a, kind.name) &&
           HasOutput(b, kind.name);
  });
}

// The name of the first option in which two runs differ. The model comes last, because other
// options change the threshold and so the model's digest. `seek` comes first, because `from` may be
// recorded only beside it.
std::string FirstDifference(const Json& a, const Json& b) {
  std::string difference;
  const Json &of_a = a["made_with"], &of_b = b["made_with"];
  for (const auto& [all, other] : {std::pair(&of_a, &of_b), {&of_b, &of_a}})
    for (const auto& [name, value] : all->items())
      if ((!other->contains(name) || (*other)[name] != value) && IsShared(name, a, b) &&
          (difference.empty() || difference == kModel || name == "seek"))
        difference = name;
  return difference;
}

// The SHA-256 of the file's content: a file may change between two runs, or have another name. The
// name itself if it is no file that can be read (again).
std::string DigestOr(const std::string& name) {
  if (EntryTypeOf(name.c_str()) != EntryType::kFile) return name;
  try {
    return Sha256(ReadFile(name));
  } catch (const Error&) {
    return name;
  }
}

// The options, by name, whose value differs both from the default and from the one that absence is
// equivalent to; those that name a file with its digest.
std::map<std::string, std::string> UnusualOptions(const std::vector<OptionRow>& rows,
                                                  const void* options, const void* defaults) {
  std::map<std::string, std::string> unusual;
  for (const OptionRow& row : rows) {
    const std::string text = row.get(options);
    const bool is_usual = text == row.get(defaults) || (!text.empty() && text == row.usual);
    if (row.name.empty() || is_usual) continue;
    unusual[row.name] = row.names_file ? DigestOr(text) : text;
  }
  return unusual;
}

Descriptor OpenToAppend(const fs::path& file, int more) {
  return Descriptor(open(file.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | more, 0666));
}

// Appends with one write, so that concurrent runs produce whole lines.
void Append(const fs::path& file, const std::string& line) {
  const Descriptor open_file = OpenToAppend(file, O_CREAT);
  const int descriptor = open_file.get();
  if (descriptor < 0) FailToWrite(file, errno);
  // If the last line was truncated by a full disk, it is ended first, so that only that line is
  // lost.
  const off_t end = lseek(descriptor, 0, SEEK_END);
  char last = '\n';
  const bool is_cut = end > 0 && pread(descriptor, &last, 1, end - 1) == 1 && last != '\n';
  const std::string text = is_cut ? "\n" + line : line;
  const ssize_t written = write(descriptor, text.data(), text.size());
  if (written < 0) FailToWrite(file, errno);
  // On a full disk a short write succeeds without an error.
  if (written != static_cast<ssize_t>(text.size())) FailToWrite(file, ENOSPC);
}

}  // namespace

MadeWith::MadeWith(const DetectOptions& options, const Model& model)
    : options_(options), file_(options.output_folder / kMadeWithFile) {
  if (!options.made_with || !options.output_file.empty()) return;
  entry_ = {{"outputs", Json::array()}, {kList, ""}, {"made_with", *options.made_with}};
  for (const Output output : options.outputs) entry_["outputs"].push_back(KindOf(output).name);
  // Costs change the classes alone, and are compared as an option.
  Model compared = model;
  if (options.made_with->contains("class_costs")) compared.class_costs.clear();
  entry_["made_with"][kModel] = Sha256(ModelToJson(compared));
  Compare();
}

void MadeWith::Compare() {
  before_.clear();
  Records records = ReadRecords(file_);
  told_ = std::move(records.told);
  for (Json& before : records.entries) {
    const auto ours = [&](const Json& kind) { return HasOutput(entry_, kind); };
    if (std::ranges::none_of(before["outputs"], ours)) continue;
    const std::string name = FirstDifference(before, entry_);
    if (!name.empty() && options_.if_exists == IfExists::kKeep)
      throw Error(
          options_.output_folder.string(),
          fmt::format(
              "holds outputs that were made with another `{}`, as {} there tells (the same "
              "one resumes such a run; another folder takes other outputs, `overwrite` makes "
              "these anew; where none of them is left, remove that file)",
              Printable(name, 100), kMadeWithFile));
    before_.push_back(std::move(before));
  }
}

void MadeWith::SetList(const std::string& list) {
  if (entry_.is_null()) return;
  entry_[kList] = list;
  if (std::ranges::find(before_, entry_) == before_.end()) {
    line_ = JsonText(entry_) + "\n";
    // Checked early, because otherwise every image would fail.
    if (OpenToAppend(file_, 0).get() < 0 && errno != ENOENT)
      throw WriteError(
          file_.string(),
          fmt::format("cannot be written: {} (it tells runs that resume what the outputs "
                      "were made with)",
                      std::strerror(errno)));
  }
  const bool others = std::ranges::any_of(before_, [&](const Json& before) {
    return before.value(kList, Json()) == list && !FirstDifference(before, entry_).empty();
  });
  // With single frames of a part of a video, the frames outside of the part are not replaced.
  const VideoOutputOptions& video = options_.video;
  const bool whole =
      options_.shard_count == 1 && !(video.png_frames && (video.range.from || video.range.to));
  if (!others || !whole || options_.if_exists != IfExists::kReplace) return;
  Json replacing = entry_;
  replacing[kReplaces] = true;
  replacing_ = JsonText(replacing) + "\n";
}

void MadeWith::WriteRecord() {
  if (line_.empty()) return;
  // A concurrent run may have written its record since this run began. The first record wins. (On
  // file systems without locks both may be written.)
  const Descriptor file = OpenToAppend(file_, O_CREAT);
  if (file.get() >= 0) flock(file.get(), LOCK_EX);
  Compare();
  if (std::ranges::find(before_, entry_) == before_.end()) Append(file_, line_);
  line_.clear();
}

std::string MadeWith::NameOf(const fs::path& output) const {
  const std::string name = output.lexically_relative(options_.output_folder).string();
  // JSON replaces bytes that are no UTF-8, so that names may become equal.
  return IsUtf8(name) ? name : fmt::format("{} ({})", ReadAgain(name), Base64(name));
}

void MadeWith::WriteFailures(const std::vector<fs::path>& outputs,
                             const std::vector<Problem>& failed, std::size_t images) {
  if (entry_.is_null()) return;
  Json line{{"outputs", Json::array()}, {kFailed, Json::array()}};
  bool before = false;
  for (const fs::path& output : outputs) {
    line["outputs"].push_back(NameOf(output));
    before |= !EarlierOf(output).failures.empty();
  }
  if (failed.empty() && !before && images == 0) return;
  if (images > 0) line[kImages] = images;
  for (const Problem& problem : failed)
    line[kFailed].push_back(EntryOfInput(problem.input, problem.Reason()));
  Append(file_, JsonText(line) + "\n");
}

MadeWith::Earlier MadeWith::EarlierOf(const fs::path& output) const {
  Earlier earlier;
  const auto told = told_.empty() ? told_.end() : told_.find(NameOf(output));
  if (told == told_.end()) return earlier;
  for (const Json& failure : told->second[kFailed])
    earlier.failures.push_back(
        FailedBefore(BytesOfInput(failure).value_or(failure["input"]), failure["reason"]));
  if (const Json& images = told->second[kImages]; images.is_number_unsigned())
    earlier.images = std::max(images.get<std::size_t>(), std::size_t{1});
  return earlier;
}

void MadeWith::CancelReplaced() const {
  if (!replacing_.empty()) Append(file_, replacing_);
}

std::map<std::string, std::string> MadeWithOf(const DetectorOptions& options, const Model& model) {
  const DetectorOptions defaults;
  std::map<std::string, std::string> made_with =
      UnusualOptions(DetectorTable().rows(), &options, &defaults);
  // An explicit `adapt` of the default value has an effect in these cases.
  const bool insists = options.insist && options.adapt == DetectorOptions::Adapt::kAuto;
  if (insists && (options.has_seeds() || model.positive().name != "skin"))
    made_with["adapt"] = DetectorTable().Get(options, "adapt");
  return made_with;
}

std::map<std::string, std::string> MadeWithOf(const DetectOptions& options,
                                              const DetectorOptions& detector, const Model& model) {
  std::map<std::string, std::string> made_with = MadeWithOf(detector, model);
  if (detector.outlier && detector.outlier == UsualOutlier(detector, options.outputs))
    made_with.erase("outlier");
  const OutputStyle defaults;
  made_with.merge(UnusualOptions(StyleTable().rows(), &options.style, &defaults));
  if (options.scale != 1) made_with["scale"] = fmt::format("1/{}", options.scale);
  if (options.probability_bits != 8)
    made_with["depth"] = fmt::format("{}", options.probability_bits);
  if (options.pixels == FramePosterior::Pixels::kYuv) made_with["pixels"] = "yuv";
  return made_with;
}

}  // namespace skinmask
