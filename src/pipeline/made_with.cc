#include "pipeline/made_with.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "base/json.h"
#include "base/printable.h"
#include "pipeline/bytes_as_text.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/media/inputs.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModel = "model";
constexpr const char* kList = "list";
constexpr const char* kReplaces = "replaces";

// What one run leaves: which kinds of outputs it made, of which list of inputs, and with what.
Json EntryOf(const DetectOptions& options, const Model& model, const std::string& list) {
  Json entry{{"outputs", Json::array()}, {kList, list}, {"made_with", Json::object()}};
  for (const Output output : options.outputs) entry["outputs"].push_back(KindOf(output).name);
  for (const auto& [name, value] : *options.made_with) entry["made_with"][name] = value;
  entry["made_with"][kModel] = Sha256(ModelToJson(model));
  return entry;
}

// What stood there of the same list and of kinds that are replaced is gone. (The file grows at its
// end alone, so that runs may share it, and die.)
void TakeBack(std::vector<Json>& entries, const Json& by) {
  for (Json& entry : entries) {
    if (entry.value(kList, Json()) != by.value(kList, Json())) continue;
    Json kept = Json::array();
    for (const Json& kind : entry["outputs"])
      if (std::ranges::find(by["outputs"], kind) == by["outputs"].end()) kept.push_back(kind);
    entry["outputs"] = std::move(kept);
  }
  std::erase_if(entries, [](const Json& entry) { return entry["outputs"].empty(); });
}

// The entries of all runs before; a line that was cut short, or is a stranger's, is none.
std::vector<Json> ReadEntries(const fs::path& file) {
  std::vector<Json> entries;
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(file, ignored))) return entries;
  const std::string text = ReadFile(file);
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    try {
      Json entry = ParseObject(std::string(line), file.string(), "a line about outputs");
      if (!entry.value("outputs", Json()).is_array() ||
          !entry.value("made_with", Json()).is_object())
        continue;
      if (entry.value(kReplaces, Json()) == true) TakeBack(entries, entry);
      entry.erase(kReplaces);
      entries.push_back(std::move(entry));
    } catch (const Error&) {
    }
  }
  return entries;
}

bool ShareAKind(const Json& a, const Json& b) {
  return std::ranges::any_of(a["outputs"], [&](const Json& kind) {
    return std::ranges::find(b["outputs"], kind) != b["outputs"].end();
  });
}

// The first option that differs, the model last, as other options give it another threshold.
std::string FirstDifference(const Json& a, const Json& b) {
  std::string difference;
  for (const auto& [all, other] : {std::pair(&a, &b), {&b, &a}})
    for (const auto& [name, value] : all->items())
      if ((!other->contains(name) || (*other)[name] != value) &&
          (difference.empty() || difference == kModel))
        difference = name;
  return difference;
}

// One write at the end of the file, so that runs that share a folder leave whole lines, each.
void Append(const fs::path& file, const std::string& line) {
  const int descriptor =
      open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  // A line that a full disk cut off ends here, and spoils no other.
  const off_t end = descriptor >= 0 ? lseek(descriptor, 0, SEEK_END) : 0;
  char last = '\n';
  const bool is_cut = end > 0 && pread(descriptor, &last, 1, end - 1) == 1 && last != '\n';
  const std::string text = is_cut ? "\n" + line : line;
  const bool written = descriptor >= 0 && write(descriptor, text.data(), text.size()) ==
                                              static_cast<ssize_t>(text.size());
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  if (!written)
    throw Error(file.string(), std::string("cannot be written: ") + std::strerror(error));
}

}  // namespace

MadeWith::MadeWith(const DetectOptions& options, const Model& model, const std::string& list)
    : file_(options.output_folder / kMadeWithFile) {
  if (!options.made_with || !options.output_file.empty()) return;
  Json entry = EntryOf(options, model, list);
  bool known = false, others = false;
  for (const Json& before : ReadEntries(file_)) {
    known |= before == entry;
    if (!ShareAKind(before, entry)) continue;
    const std::string name = FirstDifference(before["made_with"], entry["made_with"]);
    others |= !name.empty() && before.value(kList, Json()) == list;
    if (!name.empty() && options.if_exists == IfExists::kKeep)
      throw Error(
          options.output_folder.string(),
          fmt::format(
              "holds outputs that were made with another `{}`, as {} there tells (the same "
              "one resumes such a run; another folder takes other outputs, `overwrite` makes "
              "these anew; where none of them is left, remove that file)",
              Printable(name, 100), kMadeWithFile));
  }
  if (!known) line_ = JsonText(entry) + "\n";
  // Frames that are not within a part stay as they were.
  const VideoOutputOptions& video = options.video;
  const bool whole =
      options.shard_count == 1 && !(video.png_frames && (video.range.from || video.range.to));
  if (!others || !whole || options.if_exists != IfExists::kReplace) return;
  entry[kReplaces] = true;
  replacing_ = JsonText(entry) + "\n";
}

void MadeWith::Leave() const {
  if (!line_.empty()) Append(file_, line_);
  line_.clear();
}

void MadeWith::TakeBackOthers() const {
  if (!replacing_.empty()) Append(file_, replacing_);
}

std::map<std::string, std::string> MadeWithOf(const DetectorOptions& options, const Model& model) {
  const DetectorOptions defaults;
  std::map<std::string, std::string> made_with;
  for (const OptionRow& row : DetectorTable().rows()) {
    const std::string text = row.get(&options);
    if (!row.name.empty() && text != row.get(&defaults)) made_with[row.name] = text;
  }
  // Here it says more than not given.
  const bool insists = options.insist && options.adapt == DetectorOptions::Adapt::kAuto;
  if (insists && (options.has_seeds() || model.positive().name != "skin"))
    made_with["adapt"] = DetectorTable().Get(options, "adapt");
  return made_with;
}

}  // namespace skinmask
