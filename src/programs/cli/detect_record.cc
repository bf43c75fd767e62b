#include "programs/cli/detect_record.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <utility>

#include "base/blocking_call.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/stream.h"
#include "pipeline/bytes_as_text.h"
#include "pipeline/made_with.h"
#include "pipeline/results_json.h"
#include "programs/cli/print.h"
#include "skinmask/base/error.h"

namespace skinmask::cli {
namespace {

Json RegionJson(const std::optional<Region>& region) {
  if (!region) return {};
  return {{"x", region->centroid.x},
          {"y", region->centroid.y},
          {"semi_major", region->semi_major},
          {"semi_minor", region->semi_minor},
          {"angle_degrees", region->angle_degrees}};
}

std::string HowText(const DetectedImage& image) {
  if (image.frames == 0) return TextOf(image.adaptation);
  return fmt::format("{} of them fitted to faces or seeds, {} to the frame itself",
                     image.frames_by_seeds, image.frames_by_image);
}

// True for a valid entry of an input, as far as entries are read again.
bool IsEntry(const Json& entry) {
  const auto is_text = [](const Json& value) { return value.is_string(); };
  if (!entry.is_object() || !is_text(entry.value("input", Json()))) return false;
  const Json outputs = entry.value("outputs", Json::array());
  const Json adaptation = entry.value("adaptation", Json::object());
  return outputs.is_array() && std::ranges::all_of(outputs, is_text) && adaptation.is_object() &&
         adaptation.value("faces", Json(0)).is_number() && is_text(entry.value("failed", Json("")));
}

// Null for text that is not JSON, or that exceeds the limits of a record.
Json ObjectOf(const std::string& text, std::size_t most_values = kMaxValues) {
  try {
    return ParseObject(text, "", "", most_values);
  } catch (const Error&) {
    return {};
  }
}

// The record of an earlier `detect --json` in the file; null if there is none.
Json ReadEarlier(const std::string& file) {
  if (!IsRegularFile(file)) return {};
  // A record can have millions of values.
  constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  Json record = ObjectOf(ReadFile(file), kAny);
  const auto is_list = [&](const char* key) {
    return record.contains(key) && record[key].is_array() &&
           std::ranges::all_of(record[key], IsEntry);
  };
  const auto may_be_object = [&](const char* key) {
    return !record.contains(key) || record[key].is_object();
  };
  const auto tells_failures = [&] {
    const Json failed = record.value("failed", Json::array());
    return failed.is_array() && std::ranges::all_of(failed, [](const Json& failure) {
             return failure.is_object() && failure.value("input", Json("")).is_string() &&
                    failure.value("reason", Json("")).is_string();
           });
  };
  if (!record.is_object() || !is_list("images") || !is_list("videos") ||
      !may_be_object("options") || !may_be_object("model") || !tells_failures())
    throw Error(file,
                "is no record of detect --json (--resume completes one; --force replaces it)");
  return record;
}

// Throws Error if the file to which --resume adds lines does not have such lines.
void RequireLines(const std::string& file) {
  std::ifstream lines(file);
  std::string first;
  if (std::getline(lines, first) && !IsEntry(ObjectOf(first)))
    throw Error(file,
                "is no file of detect --jsonl (--resume adds lines to one; --force replaces it)");
}

// True if the file ends within a line, as after a full disk.
bool EndsWithinALine(const std::string& file) {
  std::ifstream text(file, std::ios::ate | std::ios::binary);
  return text.tellg() > 0 && text.seekg(-1, std::ios::end).get() != '\n';
}

std::set<std::string_view> SetOf(const TextList& texts) {
  std::set<std::string_view> all;
  for (std::size_t i = 0; i < texts.size(); ++i) all.insert(texts[i]);
  return all;
}

}  // namespace

DetectRecord::DetectRecord(const RecordFlags& flags, Context& context)
    : flags_(flags),
      context_(context),
      completes_(context.resume && !context.force),
      tables_(flags.tables, FrameTables::Of::kDetect, context.if_exists(), context.force) {
  if (completes_ && !context.json_to_stdout()) earlier_ = ReadEarlier(context.json);
  if (!context.json.empty() && !context.json_to_stdout() && !IsSpecial(context.json)) {
    journal_.emplace(context.json, completes_);
    ReadJournal();
  }
  if (!flags.jsonl.empty() && flags.jsonl != "-") RequireWritable(flags.jsonl, context.if_exists());
  if (completes_ && IsRegularFile(flags.jsonl)) RequireLines(flags.jsonl);
}

// Reads the journal. Its first line has the model and the options of the run.
void DetectRecord::ReadJournal() {
  std::istringstream lines(journal_->earlier());
  for (std::string line; std::getline(lines, line);) {
    Json entry = ObjectOf(line);
    if (entry.is_null()) continue;  // not a line of a journal
    if (IsEntry(entry))
      killed_.push_back(std::move(entry));
    else if (earlier_.is_null() && entry.value("options", Json()).is_object() &&
             entry.value("model", Json()).is_object())
      earlier_ = {{"images", Json::array()},
                  {"videos", Json::array()},
                  {"options", entry["options"]},
                  {"model", entry["model"]}};
  }
  if (earlier_.is_null()) killed_.clear();
}

// Opened with the first line, when it is known that the file is not an input.
void DetectRecord::OpenLines() {
  if (flags_.jsonl == "-") {
    jsonl_ = {stdout, [](std::FILE* file) { return std::fflush(file); }};
    return;
  }
  const BlockingCall waiting;  // opening a named pipe waits for its reader
  const bool is_cut = completes_ && IsRegularFile(flags_.jsonl) && EndsWithinALine(flags_.jsonl);
  const std::string before = is_cut ? ReadFile(flags_.jsonl) : "";
  const std::size_t whole = Journal::WholeLines(before);
  const bool lacks_end_alone = is_cut && IsEntry(ObjectOf(before.substr(whole)));
  jsonl_.reset(OpenToWrite(flags_.jsonl, completes_));
  if (!jsonl_ || (is_cut && !lacks_end_alone &&
                  ftruncate(fileno(jsonl_.get()), static_cast<off_t>(whole)) != 0))
    throw Error(flags_.jsonl, std::string("cannot be written: ") + std::strerror(errno));
  if (lacks_end_alone) std::fputc('\n', jsonl_.get());
}

void DetectRecord::Begin(const Detector& detector, const DetectOptions& detect) {
  const Model& model = detector.model();
  context_.record.TellAlways();  // a shard may have no input
  detector_ = &detector;
  by_faces_ = detector.options().by_faces() && detector.adapter();
  if (detect.video.png_frames) tables_.ReplaceByFrame();
  results_to_stdout_ = detect.output_file == kStandardOutput;
  digest_ = Sha256(ModelToJson(model));
  if (earlier_.contains("model") &&
      earlier_["model"].value("sha256", Json(digest_)) != Json(digest_))
    throw Error(
        context_.json,
        "is the record of a run with another model or threshold (the same ones complete it)");
  if (!earlier_.contains("options")) return;
  const Json& before = earlier_["options"];
  const auto values_before = DetectorOptionsIn(before, model);
  const auto values = DetectorOptionsIn(context_.options, model);
  // (An explicit default of --adapt counts as another value.)
  const auto value = [](const std::map<std::string, std::string>& all, const std::string& name,
                        const std::string& default_value) {
    const auto found = all.find(name);
    return found != all.end() ? found->second : name == "adapt" ? "" : default_value;
  };
  for (const auto& [name, default_value] : context_.deciding_defaults) {
    const OptionRow* const row = DetectorRowOf(name);
    const bool same = row ? value(values, row->name, default_value) ==
                                value(values_before, row->name, default_value)
                          : before.value(name, Json(default_value)) ==
                                context_.options.value(name, Json(default_value));
    if (!same)
      throw Error(
          context_.json,
          fmt::format("is the record of a run with another --{} (the same one completes it)",
                      name));
  }
}

Run DetectRecord::Watch(Run run) {
  run.problem = [this, problem = run.problem](const Problem& p) {
    Problem told = p;
    // A full disk gives one line for all inputs that could not be noted.
    if (!unnoted_.empty()) {
      told.shown = unnoted_ == told_unnoted_ ? "" : unnoted_;
      told_unnoted_ = std::exchange(unnoted_, "");
    }
    problem(told);
    // The noted input, or an image of the noted archive, failed after all: its rows are removed.
    if (noted_ == p.input || noted_.starts_with(p.input + '/')) tables_.CutToMark();
    const Json entry{{"input", p.input}, {"failed", WithFlags(p.Reason())}};
    if (!flags_.jsonl.empty()) WriteLine(entry);
    if (!journal_) return;
    try {
      WriteJournal(entry);
    } catch (const Error&) {
      // A resumed run processes the input again.
    }
  };
  return run;
}

void DetectRecord::Add(const DetectedFrame& frame) {
  noted_ = frame.input.string();
  tables_.Add(
      {.frame = frame.index,
       .seconds = frame.seconds,
       .skin_fraction = static_cast<double>(frame.skin_pixels) / static_cast<double>(frame.pixels),
       .region = frame.region,
       .measured = &frame.measured,
       .input = noted_});
}

Json DetectRecord::EntryOf(const DetectedImage& image) const {
  Json json{{"input", image.input.string()}, {"outputs", Json::array()}};
  for (const std::filesystem::path& output : image.outputs)
    json["outputs"].push_back(output.string());
  json["width"] = image.size.width;
  json["height"] = image.size.height;
  Json adaptation;
  if (image.frames > 0) {
    json["frames"] = image.frames;
    json["rate"] = fmt::format("{}/{}", image.rate.num, image.rate.den);
    adaptation = {{"frames_by_seeds", image.frames_by_seeds},
                  {"frames_by_image", image.frames_by_image}};
  }
  json["skin_pixels"] = image.skin_pixels;
  json["skin_fraction"] = image.SkinFraction();
  if (image.frames == 0) {
    json["region"] = RegionJson(image.region);
    json["means"] = JsonOf(image.measured->skin);
    json["faces"] = Json::array();
    for (const MeasuredFace& face : image.measured->faces) json["faces"].push_back(JsonOf(face));
    adaptation = JsonOf(image.adaptation);
  }
  if (detector_->adapter()) json["adaptation"] = adaptation;
  return json;
}

void DetectRecord::PrintResult(const DetectedImage& image) const {
  const std::string frames = image.frames > 0 ? fmt::format(" of {} frames", image.frames) : "";
  const std::string how =
      context_.verbose && detector_->adapter() ? " (" + HowText(image) + ")" : "";
  std::vector<std::string> shown;
  for (const std::filesystem::path& output : image.outputs)
    shown.push_back(Printable(output.native(), kMaxOfName));
  Print("{}: {:.1f} % {}{}{} -> {}\n", image.input.string(), 100 * image.SkinFraction(),
        detector_->model().positive().name, frames, how, fmt::join(shown, " "));
}

void DetectRecord::WriteLine(const Json& entry) {
  if (!jsonl_) OpenLines();
  if (std::ferror(jsonl_.get())) return;  // the last line may be incomplete
  const AboveBar above(jsonl_.get());
  PrintExactly(JsonText(entry) + "\n", jsonl_.get());
  Flush(jsonl_.get());  // finished inputs are recorded even if the run is killed
}

void DetectRecord::WriteJournal(const Json& entry) {
  const std::size_t before = journal_->size();
  if (before == 0 && journal_->earlier().empty())
    journal_->Write(JsonText({{"model", {{"sha256", digest_}}}, {"options", context_.options}}) +
                    "\n");
  journal_->Write(JsonText(entry) + "\n");
  try {
    journal_->RequireWritten();
  } catch (const Error&) {
    journal_->CutTo(before);  // an incomplete line would spoil the next one
    throw;
  }
}

void DetectRecord::Note(const DetectedImage& image) {
  noted_ = image.input.string();
  if (tables_.any() && image.frames == 0)
    tables_.Add({.skin_fraction = image.SkinFraction(),
                 .region = image.region,
                 .measured = &*image.measured,
                 .input = noted_});
  try {
    tables_.Flush();
    if (journal_) WriteJournal(EntryOf(image));
  } catch (const Error& e) {
    unnoted_ = e.what();
    throw Error(noted_, unnoted_);
  }
}

void DetectRecord::Add(const DetectedImage& image) {
  noted_.clear();
  if (image.frames == 0) faces_.Add(image.adaptation);
  tables_.Mark();
  if (!flags_.jsonl.empty() || !context_.json.empty()) {
    Json entry = EntryOf(image);
    if (!flags_.jsonl.empty()) WriteLine(entry);
    if (!context_.json.empty())
      (image.frames > 0 ? videos_ : images_)[image.input.string()] = std::move(entry);
  }
  if (!context_.quiet && !stdout_is_taken()) PrintResult(image);
}

Json DetectRecord::Completed(const std::map<std::string, Json>& entries, const char* key) const {
  const TextList& planned = context_.record.planned();
  Json list = Json::array();
  std::map<std::string, Json> all = entries;
  if (!earlier_.is_null()) {
    const std::set<std::string_view> inputs = SetOf(planned);
    for (const Json& entry : earlier_[key]) {
      const std::string input = entry["input"];
      if (!inputs.contains(input)) list.push_back(entry);  // for example of another shard
      all.try_emplace(input, entry);
    }
  }
  for (std::size_t i = 0; i < planned.size(); ++i)
    if (const auto entry = all.find(std::string(planned[i])); entry != all.end())
      list.push_back(entry->second);
  return list;
}

void DetectRecord::TakeOverKilled() {
  std::map<std::string, std::map<std::string, Json>> lists;
  for (const Json& entry : killed_) {
    const std::string input = entry["input"];
    if (entry.contains("failed"))
      earlier_["failed"].push_back({{"input", input}, {"reason", entry["failed"]}});
    else if (!IsUndone(input))
      lists[entry.contains("frames") ? "videos" : "images"][input] = entry;
  }
  for (const auto& [key, killed] : lists) {
    Json all = Json::array();
    for (const auto& [input, entry] : killed) all.push_back(entry);
    for (const Json& entry : earlier_[key])
      if (!killed.contains(entry["input"])) all.push_back(entry);
    earlier_[key] = std::move(all);
  }
}

void DetectRecord::RestoreNames() {
  std::map<std::string, std::string> names;
  const TextList& planned = context_.record.planned();
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const std::string name(planned[i]);
    if (std::string read = ReadAgain(name); read != name) names.emplace(std::move(read), name);
  }
  const auto restore = [&](Json& entry) {
    if (const auto name = names.find(entry.value("input", "")); name != names.end())
      entry["input"] = name->second;
  };
  std::ranges::for_each(killed_, restore);
  for (const char* key : {"images", "videos", "failed"})
    if (earlier_.contains(key)) std::ranges::for_each(earlier_[key], restore);
}

void DetectRecord::DropFailed() {
  std::set<std::string> failed;
  for (const Problem& problem : context_.record.failed())
    if (IsUndone(problem.input) && !images_.contains(problem.input) &&
        !videos_.contains(problem.input))
      failed.insert(problem.input);
  tables_.DropEarlier(failed);
  if (earlier_.is_null()) return;
  for (const char* key : {"images", "videos"}) {
    Json kept = Json::array();
    for (Json& entry : earlier_[key])
      if (!failed.contains(entry["input"])) kept.push_back(std::move(entry));
    earlier_[key] = std::move(kept);
  }
}

void DetectRecord::TakeOverEarlier() {
  for (const auto& [key, entries] : {std::pair("images", &images_), {"videos", &videos_}})
    for (const Json& entry : earlier_[key]) {
      const auto now = entries->find(entry["input"]);
      if (now == entries->end() || !entry.contains("outputs")) continue;
      Json outputs = entry["outputs"];
      for (const Json& output : now->second["outputs"])
        if (std::ranges::find(outputs, output) == outputs.end()) outputs.push_back(output);
      now->second["outputs"] = outputs;
    }
  const std::set<std::string_view> left_out = SetOf(context_.record.left_out());
  std::set<std::string> failed;
  for (const Problem& problem : context_.record.failed()) failed.insert(problem.input);
  for (const Json& failure : earlier_.value("failed", Json::array())) {
    const std::string input = failure.value("input", "");
    // The input itself, or the archive that contains it.
    std::string_view there = input;
    while (!there.empty() && !left_out.contains(there))
      there = there.substr(0, there.rfind('/') == there.npos ? 0 : there.rfind('/'));
    if (there.empty() || failed.contains(input)) continue;
    const Problem problem = FailedBefore(input, failure.value("reason", ""));
    context_.record.Fail(problem);
    PrintLine(problem.line);
  }
}

// Warns of inputs whose outputs exist, but whose rows are missing because the earlier run was
// killed.
void DetectRecord::TellMissingRows() const {
  const TextList& left_out = context_.record.left_out();
  std::size_t of_pictures = 0;
  for (std::size_t i = 0; i < left_out.size(); ++i)
    of_pictures += tables_.PicturesLack(std::string(left_out[i]));
  const std::size_t of_faces = tables_.FacesLackAll() ? left_out.size() : 0;
  for (const auto& [file, missing] :
       {std::pair(flags_.tables.csv, of_pictures), {flags_.tables.faces_csv, of_faces}})
    if (missing > 0 && !context_.quiet)
      PrintLine(fmt::format(
          "warning: {}: has no rows of {} of the inputs that are done already (a run without "
          "--resume, into another folder, makes them)",
          file, missing));
}

bool DetectRecord::IsUndone(const std::string& input) {
  if (undone_.empty()) {
    undone_ = SetOf(context_.record.planned());
    for (const std::string_view done : SetOf(context_.record.left_out())) undone_.erase(done);
    undone_.insert("");
  }
  return undone_.contains(input);
}

void DetectRecord::Finish() {
  if (!earlier_.is_null()) {
    RestoreNames();
    TakeOverKilled();
  }
  DropFailed();
  TakeOverEarlier();
  tables_.DropKilled([this](const std::string& input) { return IsUndone(input); });
  if (context_.resume) TellMissingRows();
  if (!flags_.jsonl.empty() && !jsonl_) OpenLines();
  if (by_faces_ && faces_.images > 0 && !context_.quiet && !stdout_is_taken())
    Print("{}\n", faces_.Text());
  if (StopFlag()) tables_.CutToMark();
  tables_.Finish();
  if (jsonl_ && jsonl_.get() != stdout && std::ferror(jsonl_.get()))
    throw Error(flags_.jsonl,
                "cannot be written whole (is the disk full? `resume` does not complete it)");
  if (context_.json.empty()) return;
  Json root{{"threshold", detector_->model().decision.threshold},
            {"images", Completed(images_, "images")},
            {"videos", Completed(videos_, "videos")}};
  if (detector_->adapter()) root["finder"] = detector_->adapter()->finder_names();
  if (by_faces_) {
    const auto has_faces = [](const Json& entry) {
      return entry.contains("adaptation") && entry["adaptation"].value("faces", 0) > 0;
    };
    root["images_with_faces"] = std::ranges::count_if(root["images"], has_faces);
  }
  std::set<std::string> listed;
  for (const char* key : {"images", "videos"})
    for (const Json& entry : root[key]) listed.insert(entry["input"]);
  context_.record.Drop(listed);
  root["model"] = {{"name", context_.model.empty() ? "default" : context_.model},
                   {"sha256", digest_}};
  context_.WriteRecord(std::move(root));
  if (journal_) journal_->Remove();
}

}  // namespace skinmask::cli
