#include "programs/cli/detect_record.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <fstream>
#include <utility>

#include "base/blocking_call.h"
#include "base/folder.h"
#include "base/stream.h"
#include "pipeline/bytes_as_text.h"
#include "pipeline/results_json.h"
#include "programs/cli/print.h"
#include "skinmask/base/error.h"
#include "skinmask/media/inputs.h"

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

// Throws Error if the file to which --resume adds lines does not have such lines.
void RequireLines(const std::string& file) {
  constexpr std::string_view kBegin = R"({"input":)";
  std::ifstream lines(file);
  std::string first;
  if (!std::getline(lines, first)) return;
  if (!first.starts_with(kBegin) && !(lines.eof() && kBegin.starts_with(first)))
    throw Error(file,
                "is no file of detect --jsonl (--resume adds lines to one; --force replaces it)");
}

// True if the file ends within a line, as after a full disk.
bool EndsWithinALine(const std::string& file) {
  std::ifstream text(file, std::ios::ate | std::ios::binary);
  return text.tellg() > 0 && text.seekg(-1, std::ios::end).get() != '\n';
}

}  // namespace

DetectRecord::DetectRecord(const RecordFlags& flags, Context& context)
    : flags_(flags),
      context_(context),
      completes_(context.resume && !context.force),
      tables_(flags.tables, FrameTables::Of::kDetect, context.if_exists(), context.force) {
  if (completes_ && !context.json_to_stdout()) earlier_.ReadRecord(context.json);
  if (!context.json.empty() && !context.json_to_stdout() && !IsSpecial(context.json)) {
    journal_.emplace(context.json, context.force ? IfExists::kReplace : context.if_exists());
    earlier_.ReadJournal(journal_->earlier());
  }
  if (!flags.jsonl.empty()) {
    RequireWritable(flags.jsonl, context.if_exists());
    RequireNoMedia(flags.jsonl);
  }
  if (completes_ && !IsSpecial(flags.jsonl) && IsRegularFile(flags.jsonl))
    RequireLines(flags.jsonl);
}

// Opened with the first line, when it is known that the file is not an input.
void DetectRecord::OpenLines() {
  if (flags_.jsonl == kStandardOutput) {
    jsonl_ = {stdout, [](std::FILE* file) { return std::fflush(file); }};
    return;
  }
  const BlockingCall waiting;  // opening a named pipe waits for its reader
  const bool is_cut = completes_ && IsRegularFile(flags_.jsonl) && EndsWithinALine(flags_.jsonl);
  const std::string before = is_cut ? ReadFile(flags_.jsonl) : "";
  const std::size_t whole = Journal::WholeLines(before);
  const bool lacks_end_alone = is_cut && IsEntry(ObjectOf(before.substr(whole)));
  const bool is_special = IsSpecial(flags_.jsonl);
  const IfExists if_exists = completes_   ? IfExists::kKeep
                             : is_special ? IfExists::kReplace
                                          : context_.if_exists();
  // A new file, because the old one may be an input by another name (a hard link).
  if (if_exists == IfExists::kReplace && !is_special && IsRegularFile(flags_.jsonl) &&
      unlink(RealPath(flags_.jsonl).c_str()) != 0)
    FailToWrite(flags_.jsonl, errno);
  // A link may lead to a file that does not exist yet.
  jsonl_.reset(OpenToWrite(is_special ? flags_.jsonl : RealPath(flags_.jsonl).string(), if_exists));
  if (!jsonl_ && errno == EEXIST) RequireWritable(flags_.jsonl, if_exists);  // says so
  if (!jsonl_ || (is_cut && !lacks_end_alone &&
                  ftruncate(fileno(jsonl_.get()), static_cast<off_t>(whole)) != 0))
    FailToWrite(flags_.jsonl, errno);
  if (lacks_end_alone) std::fputc('\n', jsonl_.get());
}

void DetectRecord::Begin(const Detector& detector, const DetectOptions& detect) {
  const Model& model = detector.model();
  context_.record.ShowAlways();  // a shard may have no input
  detector_ = &detector;
  by_faces_ = detector.options().by_faces() && detector.adapter();
  if (detect.video.png_frames) tables_.Each(&FrameTable::ReplaceByFrame);
  results_to_stdout_ = detect.output_file == kStandardOutput;
  is_one_file_ = !detect.output_file.empty();
  digest_ = Sha256(ModelToJson(model));
  earlier_.RequireSame(context_, model, digest_);
}

Run DetectRecord::Recording(Run run) {
  run.problem = [this, problem = run.problem](const Problem& p) {
    Problem told = p;
    // A full disk gives one line for all inputs that could not be noted.
    if (!unnoted_.empty()) {
      told.shown = unnoted_ == told_unnoted_ ? "" : unnoted_;
      told_unnoted_ = std::exchange(unnoted_, "");
    }
    problem(told);
    // The noted input, or an image of the noted archive, failed after all: its rows are removed.
    if (noted_ == p.input || noted_.starts_with(p.input + '/')) {
      tables_.Each(&FrameTable::CutToMark);
      video_.clear();
    }
    Json entry = EntryOfInput(p.input);
    entry["failed"] = WithFlags(p.Reason());
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
  if (std::exchange(video_, noted_) != noted_) tables_.Each(&FrameTable::Bracket);
  tables_.Add(
      {.frame = frame.index,
       .seconds = frame.seconds,
       .skin_fraction = static_cast<double>(frame.skin_pixels) / static_cast<double>(frame.pixels),
       .region = frame.region,
       .measured = &frame.measured,
       .any_skin = frame.any_skin,
       .input = noted_});
}

Json DetectRecord::EntryOf(const DetectedImage& image) const {
  Json json = EntryOfInput(image.input.string());
  json["outputs"] = Json::array();
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
  const std::string frames =
      image.frames > 0 ? fmt::format(" of {} frame{}", image.frames, image.frames > 1 ? "s" : "")
                       : "";
  const std::string how =
      context_.verbose && detector_->adapter() ? " (" + HowText(image) + ")" : "";
  std::vector<std::string> shown;
  for (const std::filesystem::path& output : image.outputs)
    shown.push_back(Printable(output.native(), kMaxOfName));
  Print("{}: {:.1f} % {}{}{} -> {}\n", image.input.string(), 100 * image.SkinFraction(),
        detector_->model().positive().name, frames, how, fmt::join(shown, " "));
}

void DetectRecord::WriteLine(const Json& entry) {
  try {
    if (!jsonl_ && !lines_problem_) OpenLines();
  } catch (const Error&) {
    lines_problem_ = std::current_exception();  // which Finish tells
  }
  if (lines_problem_) return;
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
  if (!std::exchange(video_, "").empty()) tables_.Each(&FrameTable::Bracket);
  if (tables_.any() && image.frames == 0)
    tables_.Add({.skin_fraction = image.SkinFraction(),
                 .region = image.region,
                 .measured = &*image.measured,
                 .any_skin = image.adaptation.any_skin,
                 .input = noted_});
  try {
    tables_.Flush();
    if (journal_) WriteJournal(EntryOf(image));
  } catch (const Error& e) {
    unnoted_ = e.what();
    throw WriteError(noted_, unnoted_);
  }
}

void DetectRecord::Add(const DetectedImage& image) {
  noted_.clear();
  if (image.frames == 0) faces_.Add(image.adaptation);
  tables_.Each(&FrameTable::Mark);
  if (!flags_.jsonl.empty() || !context_.json.empty()) {
    Json entry = EntryOf(image);
    if (!flags_.jsonl.empty()) WriteLine(entry);
    if (!context_.json.empty())
      (image.frames > 0 ? videos_ : images_)[image.input.string()] = std::move(entry);
  }
  if (!context_.quiet && !stdout_is_taken()) PrintResult(image);
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

void DetectRecord::Finish() {
  const std::set<std::string_view> undone = context_.record.Undone();
  std::set<std::string> failed;  // now; an earlier run may have done them
  for (const Problem& problem : context_.record.failed())
    if (const std::string& input = problem.input;
        undone.contains(input) && !images_.contains(input) && !videos_.contains(input))
      failed.insert(input);
  earlier_.Settle(undone, failed);
  for (const Problem& problem : earlier_.Failures(context_.record)) {
    context_.record.Fail(problem);
    PrintLine(problem.line);
  }
  if (is_one_file_ && context_.record.left_out().size() == 1)
    if (const auto n = earlier_.ImagesOf(context_.record.left_out()[0]))
      context_.record.PlanMore(n - 1);
  tables_.Each(&FrameTable::DropEarlier, failed);
  tables_.Each(&FrameTable::DropKilled,
               [&](const std::string& input) { return undone.contains(input); });
  if (context_.resume) TellMissingRows();
  if (by_faces_ && faces_.images > 0 && !context_.quiet && !stdout_is_taken())
    Print("{}\n", faces_.Text());
  if (StopFlag()) tables_.Each(&FrameTable::CutToMark);
  // A file that cannot be written does not keep the others from being so.
  std::exception_ptr problem;
  const auto attempt = [&](const auto& write) {
    try {
      write();
    } catch (const Error& error) {
      if (problem) PrintLine(error.what());
      if (!problem) problem = std::current_exception();
    }
  };
  tables_.Each([&](FrameTable& table) { attempt([&] { table.Finish(); }); });
  attempt([&] {
    if (lines_problem_) std::rethrow_exception(lines_problem_);
    if (!flags_.jsonl.empty() && !jsonl_) OpenLines();
    if (jsonl_ && jsonl_.get() != stdout && std::ferror(jsonl_.get()))
      throw Error(flags_.jsonl,
                  "cannot be written whole (is the disk full? `resume` does not complete it)");
  });
  if (!context_.json.empty()) attempt([&] { WriteJson(); });
  if (problem) std::rethrow_exception(problem);
}

void DetectRecord::WriteJson() {
  Json root{{"threshold", detector_->model().decision.threshold},
            {"images", earlier_.Completed(context_.record, images_, "images")},
            {"videos", earlier_.Completed(context_.record, videos_, "videos")}};
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
  root["model"] = {{"name", context_.model.empty() ? "default" : context_.model},
                   {"sha256", digest_}};
  context_.WriteRecord(std::move(root), listed);
  if (journal_) journal_->Remove();
}

}  // namespace skinmask::cli
