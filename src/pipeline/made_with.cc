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

// What one run leaves: which kinds of outputs it made, and with what.
Json EntryOf(const DetectOptions& options, const Model& model) {
  Json entry{{"outputs", Json::array()}, {"made_with", Json::object()}};
  for (const Output output : options.outputs) entry["outputs"].push_back(KindOf(output).name);
  for (const auto& [name, value] : *options.made_with) entry["made_with"][name] = value;
  entry["made_with"][kModel] = Sha256(ModelToJson(model));
  return entry;
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
      if (entry.value("outputs", Json()).is_array() && entry.value("made_with", Json()).is_object())
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
      open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  const bool written = descriptor >= 0 && write(descriptor, line.data(), line.size()) ==
                                              static_cast<ssize_t>(line.size());
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  if (!written)
    throw Error(file.string(), std::string("cannot be written: ") + std::strerror(error));
}

}  // namespace

MadeWith::MadeWith(const DetectOptions& options, const Model& model)
    : file_(options.output_folder / kMadeWithFile) {
  if (!options.made_with || !options.output_file.empty()) return;
  const Json entry = EntryOf(options, model);
  bool known = false;
  for (const Json& before : ReadEntries(file_)) {
    known |= before == entry;
    if (options.if_exists != IfExists::kKeep || !ShareAKind(before, entry)) continue;
    const std::string name = FirstDifference(before["made_with"], entry["made_with"]);
    if (!name.empty())
      throw Error(
          options.output_folder.string(),
          fmt::format("holds outputs that were made with another `{}` (the same one resumes "
                      "such a run; another folder takes other outputs)",
                      Printable(name, 100)));
  }
  if (!known) line_ = JsonText(entry) + "\n";
}

void MadeWith::Leave() const {
  if (!line_.empty()) Append(file_, line_);
  line_.clear();
}

}  // namespace skinmask
