#include "programs/cli/earlier_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/folder.h"
#include "media/names.h"
#include "pipeline/results_json.h"
#include "programs/cli/detector_flags.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/detect/outputs.h"

namespace skinmask::cli {

constexpr const char* kLists[] = {"images", "videos"};

bool IsEntry(const Json& entry) {
  const auto is_text = [](const Json& value) { return value.is_string(); };
  if (!entry.is_object() || !is_text(entry.value("input", Json()))) return false;
  const Json outputs = entry.value("outputs", Json::array());
  const Json adaptation = entry.value("adaptation", Json::object());
  return outputs.is_array() && std::ranges::all_of(outputs, is_text) && adaptation.is_object() &&
         adaptation.value("faces", Json(0)).is_number() && is_text(entry.value("failed", Json("")));
}

void EarlierRun::ReadRecord(const std::string& file) {
  if (!IsRegularFile(file)) return;
  // A record can have millions of values.
  constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  record_ = ObjectOf(ReadFile(file), kAny);
  const auto is_list = [&](const char* key) {
    return record_.contains(key) && record_[key].is_array() &&
           std::ranges::all_of(record_[key], IsEntry);
  };
  const auto may_be_object = [&](const char* key) {
    return !record_.contains(key) || record_[key].is_object();
  };
  if (!record_.is_object() || !std::ranges::all_of(kLists, is_list) || !may_be_object("options") ||
      !may_be_object("model") || !AreFailures(record_.value("failed", Json::array())))
    throw Error(file,
                "is no record of detect --json (--resume completes one; --force replaces it)");
}

void EarlierRun::ReadJournal(const std::string& journal) {
  std::istringstream lines(journal);
  for (std::string line; std::getline(lines, line);) {
    Json entry = ObjectOf(line);
    if (entry.is_null()) continue;  // not a line of a journal
    if (IsEntry(entry))
      killed_.push_back(std::move(entry));
    else if (record_.is_null() && entry.value("options", Json()).is_object() &&
             entry.value("model", Json()).is_object())
      record_ = {{"images", Json::array()},
                 {"videos", Json::array()},
                 {"options", entry["options"]},
                 {"model", entry["model"]}};
  }
  if (record_.is_null()) killed_.clear();
}

void EarlierRun::RequireSame(const Context& context, const Model& model,
                             const std::string& digest) const {
  if (record_.contains("options")) RequireSameOptions(context, model);
  // The model comes last, because options change its threshold and so its digest.
  if (record_.contains("model") && record_["model"].value("sha256", Json(digest)) != Json(digest))
    throw Error(context.json,
                "is the record of a run with another model (the same one completes it)");
}

void EarlierRun::RequireSameOptions(const Context& context, const Model& model) const {
  const Json& before = record_["options"];
  // In the same folder, options of some kinds of outputs are compared for these kinds (MadeWith).
  const auto folder_in = [](const Json& options) { return options.value("o", Json("")); };
  const Json folder = folder_in(before), now = folder_in(context.options);
  const bool is_same_folder =
      folder.is_string() && now.is_string() && IsFolder(folder.get<std::string>()) &&
      FolderIdentity(folder.get<std::string>()) == FolderIdentity(now.get<std::string>());
  const auto is_free = [&](std::string_view option) {
    const auto changes = [&](const OutputKind& kind) { return Changes(option, kind); };
    return is_same_folder && !std::ranges::all_of(OutputKinds(), changes);
  };
  const auto values_before = DetectorOptionsIn(before, model);
  const auto values = DetectorOptionsIn(context.options, model);
  // (An explicit default of --adapt counts as another value.)
  const auto value = [](const std::map<std::string, std::string>& all, const std::string& name,
                        const std::string& default_value) {
    const auto found = all.find(name);
    return found != all.end() ? found->second : name == "adapt" ? "" : default_value;
  };
  for (const auto& [name, default_value] : context.deciding_defaults) {
    const OptionRow* const row = DetectorRowOf(name);
    const bool same = row ? value(values, row->name, default_value) ==
                                value(values_before, row->name, default_value)
                          : before.value(name, Json(default_value)) ==
                                context.options.value(name, Json(default_value));
    if (!same && !is_free(row ? row->name : name))
      throw Error(
          context.json,
          fmt::format("is the record of a run with another --{} (the same one completes it)",
                      name));
  }
}

void EarlierRun::RestoreNames() {
  const auto restore = [](Json& entry) {
    if (const std::optional<std::string> bytes = BytesOfInput(entry)) entry["input"] = *bytes;
  };
  std::ranges::for_each(killed_, restore);
  for (const char* const key : {"images", "videos", "failed"})
    if (record_.contains(key)) std::ranges::for_each(record_[key], restore);
}

void EarlierRun::Settle(const std::set<std::string_view>& undone,
                        const std::set<std::string>& failed) {
  if (record_.is_null()) return;
  RestoreNames();
  std::map<std::string, std::map<std::string, Json>> lists;
  for (const Json& entry : killed_) {
    const std::string input = entry["input"];
    if (entry.contains("failed"))
      record_["failed"].push_back({{"input", input}, {"reason", entry["failed"]}});
    else if (!undone.contains(input))
      lists[entry.contains("frames") ? "videos" : "images"][input] = entry;
  }
  for (const char* const key : kLists) {
    Json all = Json::array();
    for (const auto& [input, entry] : lists[key]) all.push_back(entry);
    for (const Json& entry : record_[key])
      if (!lists[key].contains(entry["input"]) && !failed.contains(entry["input"]))
        all.push_back(entry);
    record_[key] = std::move(all);
  }
}

namespace {

// The input itself or the archive that contains it, if that is one of `names`; otherwise empty.
std::string_view SelfOrArchive(std::string_view input, const std::set<std::string_view>& names) {
  while (!input.empty() && !names.contains(input)) input = FolderOf(input);
  return input;
}

// The path of an output, also of a name that is not UTF-8, however it is spelled.
std::filesystem::path PathIn(const Json& output) {
  return std::filesystem::absolute(ReadAgain(output)).lexically_normal();
}

}  // namespace

Json EarlierRun::Completed(const RunRecord& now, std::map<std::string, Json> entries,
                           const char* key) const {
  Json list = Json::array();
  std::map<std::string, std::vector<Json>> of_archives;
  if (!record_.is_null()) {
    const std::set<std::string_view> inputs = now.planned().Set();
    for (const Json& earlier : record_[key]) {
      const std::string input = earlier["input"];
      if (const std::string archive(SelfOrArchive(input, inputs)); archive.empty())
        list.push_back(earlier);  // for example of another shard
      else if (archive != input)
        of_archives[archive].push_back(earlier);
      const auto [entry, is_of_earlier] = entries.try_emplace(input, earlier);
      if (is_of_earlier || !earlier.contains("outputs")) continue;
      Json outputs = earlier["outputs"];
      for (const Json& output : entry->second["outputs"])
        if (std::ranges::find(outputs, PathIn(output), PathIn) == outputs.end())
          outputs.push_back(output);
      entry->second["outputs"] = std::move(outputs);
    }
  }
  for (std::size_t i = 0; i < now.planned().size(); ++i) {
    const std::string input(now.planned()[i]);
    if (const auto entry = entries.find(input); entry != entries.end())
      list.push_back(entry->second);
    for (Json& earlier : of_archives[input]) list.push_back(std::move(earlier));
  }
  return list;
}

std::vector<Problem> EarlierRun::Failures(const RunRecord& now) const {
  std::vector<Problem> failures;
  if (!record_.contains("failed")) return failures;
  const std::set<std::string_view> left_out = now.left_out().Set();
  std::set<std::string> reported, entries;
  for (const Problem& problem : now.failed()) reported.insert(problem.input);
  for (const char* const key : kLists)
    for (const Json& entry : record_[key]) entries.insert(entry["input"].get<std::string>());
  for (const Json& failure : record_["failed"]) {
    const std::string input = failure["input"];
    const std::string_view there = SelfOrArchive(input, left_out);
    // A video or an archive that failed may have outputs all the same; an image has none, so those
    // that it has now are of a later run.
    const bool mended = there == input && !HasInputOrPart(entries, input);
    if (!there.empty() && !mended && !reported.contains(input))
      failures.push_back(FailedBefore(input, failure["reason"]));
  }
  return failures;
}

std::size_t EarlierRun::ImagesOf(std::string_view archive) const {
  const std::string within = std::string(archive) + '/';
  std::size_t images = 0;
  for (const char* const key : {"images", "failed"})
    if (record_.contains(key))
      images += static_cast<std::size_t>(std::ranges::count_if(record_[key], [&](const Json& one) {
        return one["input"].get_ref<const std::string&>().starts_with(within);
      }));
  return images;
}

}  // namespace skinmask::cli
