#include "programs/cli/part_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/printable.h"
#include "programs/cli/command_checks.h"
#include "programs/cli/command_line.h"
#include "programs/cli/usage_error.h"
#include "skinmask/base/error.h"

namespace skinmask::cli {
namespace {

constexpr std::string_view kBeside[] = {"force", "json",    "max-failures", "partial", "partials",
                                        "quiet", "report",  "sandbox",      "shard",   "threads",
                                        "title", "verbose", "write"};

// All that may stand in a part, which may be anybody's; an option that is added to `evaluate` or
// `compare` and decides their result belongs here.
constexpr std::string_view kOfParts[] = {
    "abstain",   "adapt",     "allow-missing", "by",         "channels", "cost",       "covariance",
    "faces",     "folds",     "ignore",        "image-name", "images",   "invert",     "kinds",
    "label",     "mask-name", "masks",         "max-f1",     "max-fpr",  "max-pixels", "min-recall",
    "model",     "models",    "positive",      "predicted",  "refine",   "samples",    "seed",
    "seed-mask", "seed-rect", "select",        "shrinkage",  "spaces",   "step",       "take",
    "threshold", "truth",     "whole"};

// "--name=value", for each value.
std::vector<std::string> WordsOf(const std::string& name, const Json& value) {
  if (value == true) return {"--" + name};
  std::vector<std::string> words;
  for (const Json& one : value.is_array() ? value : Json::array({value}))
    words.push_back(fmt::format("--{}={}", name, one.get<std::string>()));
  return words;
}

// Throws UsageError unless the parser took every option for the one that was looked at, and its
// values as they are: the order alone may differ.
void RequireSame(const Json& parsed, const Json& options) {
  for (const auto& [name, value] : options.items())
    if (!parsed.contains(name) || parsed[name] != value)
      throw UsageError(fmt::format("--{} is another option or value than it says", name));
  if (parsed.size() != options.size()) throw UsageError("there are more than those that are named");
}

}  // namespace

Json DecidingOptions(const Json& given) {
  Json deciding = Json::object();
  for (const auto& [name, value] : given.items())
    if (std::ranges::find(kBeside, name) == std::end(kBeside)) deciding[name] = value;
  return deciding;
}

void RequirePartsAlone(const Json& given, const std::vector<std::string>& allowed) {
  for (const char* name : {"shard", "partial"})
    if (given.contains(name))
      throw UsageError(fmt::format("--{} makes a part, and --partials the whole of all", name));
  const Json deciding = DecidingOptions(given);
  for (const auto& [name, ignored] : deciding.items())
    if (std::ranges::find(allowed, name) == allowed.end())
      throw UsageError(
          fmt::format("--partials takes its options from the parts (leave out --{})", name));
}

void RequireDeciding(const Json& options, const std::string& file) {
  for (const auto& [name, ignored] : options.items())
    if (std::ranges::find(kOfParts, name) == std::end(kOfParts))
      throw Error(file, fmt::format("holds the option '{}', which no part has (a part says what "
                                    "decides the result, not where it goes)",
                                    name));
}

void RequirePlainPaths(const std::vector<std::filesystem::path>& paths, const std::string& file) {
  for (const std::filesystem::path& path : paths) {
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(path, ignored);
    if (path.empty() || !std::filesystem::exists(status)) continue;
    if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_directory(status))
      throw Error(file, fmt::format("names '{}', which is no file or folder", path.string()));
    if (std::filesystem::equivalent(path, "/", ignored))
      throw Error(file, fmt::format("names '{}', all of the machine (a folder is expected)",
                                    path.string()));
  }
}

std::string NamesOf(const std::vector<std::filesystem::path>& paths) {
  std::string names;
  constexpr std::size_t kMaxOfFolder = 400;  // so that none pushes another out of the line
  for (const std::filesystem::path& path : paths)
    if (!path.empty())
      names +=
          (names.empty() ? "" : ", ") + Printable(path.lexically_normal().string(), kMaxOfFolder);
  return names;
}

Json ParseOptions(const std::function<CLI::App*(CLI::App&)>& add, const Json& options,
                  const std::string& file) {
  CLI::App app;
  const CLI::App& verb = *add(app);
  try {
    std::vector<std::string> words{verb.get_name()};
    for (const auto& [name, value] : options.items())
      for (std::string& word : WordsOf(name, value)) words.push_back(std::move(word));
    std::ranges::reverse(words);  // as CLI11 wants them
    app.parse(words);
    RequireNoVoidOption(verb);
    Json parsed = GivenOptions(verb);
    RequireSame(parsed, options);
    return DecidingOptions(parsed);
  } catch (const std::exception& e) {
    throw Error(file,
                fmt::format("holds options that are none of {}: {}", verb.get_name(), e.what()));
  }
}

}  // namespace skinmask::cli
