#include "programs/cli/context.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/stream.h"
#include "media/image_codec.h"
#include "pipeline/results_json.h"
#include "programs/cli/print.h"
#include "programs/cli/verb.h"
#include "skinmask/base/error.h"
#include "skinmask/base/version.h"
#include "skinmask/media/inputs.h"

namespace skinmask::cli {
namespace {

constexpr const char* kThere = "its outputs exist already";

// Throws Error if an output file is an input. Files in folders are checked later, by Run::written.
void RequireNoInput(const Access& access) {
  for (const std::filesystem::path& file : access.files)
    for (const std::filesystem::path& read : access.reads)
      if (!read.empty() && !IsSpecial(file) && FileIdentity(file) == FileIdentity(read))
        throw Error(file.string(), "is an input and is not written over");
}

}  // namespace

bool HasInputOrPart(const std::set<std::string>& inputs, const std::string& input) {
  const auto in_it = inputs.lower_bound(input + '/');
  return inputs.contains(input) || (in_it != inputs.end() && in_it->starts_with(input + '/'));
}

void RunRecord::Skip(const std::filesystem::path& file, const std::string& reason) {
  if (file.empty())
    ++nameless_;
  else
    skipped_.emplace_back(file.string(), reason);
}

std::set<std::string_view> RunRecord::Undone() const {
  std::set<std::string_view> undone = planned_.Set();
  for (std::size_t i = 0; i < left_out_.size(); ++i) undone.erase(left_out_[i]);
  return undone;
}

std::size_t RunRecord::Inputs() const {
  std::set<std::string_view> unplanned;  // for example images without a mask
  for (const Problem& problem : failed_)
    if (problem.tolerable && !problem.input.empty()) unplanned.insert(problem.input);
  if (unplanned.empty()) return planned_.size() + more_;
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    unplanned.erase(planned_[i]);
    // Images of an archive that is done already.
    const std::string within = std::string(planned_[i]) + '/';
    for (auto it = unplanned.lower_bound(within); it != unplanned.end() && it->starts_with(within);)
      it = unplanned.erase(it);
  }
  return planned_.size() + more_ + unplanned.size();
}

bool RunRecord::IsWithin(const FailureLimit& limit) const {
  const double inputs = static_cast<double>(Inputs());
  const double most = limit.percent ? limit.number / 100 * inputs : limit.number;
  return static_cast<double>(failed_.size()) <= most &&
         std::ranges::all_of(failed_, &Problem::tolerable);
}

std::string RunRecord::Line() const {
  const double seconds = SecondsSince(start_);
  const std::size_t skipped = skipped_.size() + nameless_ + left_out_.size() + more_;
  using fmt::group_digits;
  return fmt::format("{} failed, {} skipped, {} of {} done in {:.{}f} s{}",
                     group_digits(failed_.size()), group_digits(skipped), group_digits(done_),
                     group_digits(Inputs()), seconds, seconds < 9.95 ? 1 : 0,
                     StopFlag() ? " (interrupted)" : "");
}

void RunRecord::AddTo(Json& root, const std::set<std::string>& listed) const {
  Json& failed = root["failed"] = Json::array();
  for (const Problem& problem : failed_)
    failed.push_back(EntryOfInput(problem.input, WithFlags(problem.Reason())));
  Json& skipped = root["skipped"] = Json::array();
  const auto skip = [&](const std::string& input, const std::string& reason) {
    if (HasInputOrPart(listed, input)) return;  // the results list an archive by its images
    skipped.push_back(EntryOfInput(input, WithFlags(reason)));
  };
  for (const auto& [input, reason] : skipped_) skip(input, reason);
  for (std::size_t i = 0; i < left_out_.size(); ++i) skip(std::string(left_out_[i]), kThere);
  root["interrupted"] = StopFlag().load();
}

void Context::Confine(Access access) {
  access.reads.emplace_back(model);
  if (!json_to_stdout()) access.files.emplace_back(json);
  std::erase(access.files, std::filesystem::path());
  for (const std::filesystem::path& file : access.files) RequireWritable(file, if_exists());
  RequireNoInput(access);
  written = access.files;
  if (!verbose) SilenceLibraries();
  const Isolation isolation{IsolateFromName(isolate), max_seconds};
  IsolateBy(isolation);
  if (isolation.isolate != Isolate::kNone) PrepareDecoders();
  if (sandbox == "off") return;
  const std::string line = EnterSandbox(access);
  if (verbose) PrintLine(line);
}

Model LoadModel(const std::string& file) {
  if (file.empty()) return DefaultModel();
  const std::string text = ReadFile(file, {.most = kMaxModelBytes});
  // The error of the JSON parser, about the first byte of a photograph, would not help.
  if (const ImageCodec* const codec = CodecOf(text))
    throw Error(file, fmt::format("is a {} image (a model is JSON, which `skinmask train` writes)",
                                  codec->name));
  return ModelFromJson(text, file);
}

void Context::WriteJson(const std::string& text) const {
  if (json_to_stdout())
    PrintExactly(text, stdout);
  else if (!json.empty())
    WriteFile(json, text, if_exists());
}

void Context::WriteRecord(Json root, const std::set<std::string>& listed) const {
  if (json.empty()) return;
  record.AddTo(root, listed);
  root["version"] = kVersion;
  root["options"] = options;
  WriteJson(JsonText(root, 2) + "\n");
}

void Context::PrintSummary() const {
  if (record.any() && (!quiet || !record.failed().empty() || StopFlag()))
    PrintError("{}\n", record.Line());
}

void Context::CheckJsonName() const {
  if (NamedMedia(json).any())
    throw UsageError("--json {}: is an image, a video or an archive by its name (r.json, say)",
                     json);
}

void Context::CheckJson() const {
  if (!json.empty() && !json_to_stdout()) RequireWritable(json, if_exists());
}

Run Context::StartRun(const std::string& unit) {
  auto progress = std::make_shared<Progress>(unit, quiet);
  Run run;
  run.problem = [this](const Problem& problem) {
    record.Fail(problem);
    if (verbose && problem.shown) PrintLine(problem.line);
    const std::string line = problem.shown.value_or(problem.line);
    if (!line.empty()) PrintLine(line);
  };
  run.planned = [this](const std::string& input, bool there) { record.Plan(input, there); };
  run.planned_more = [this](std::size_t images) { record.PlanMore(images); };
  run.finished = [this] { record.Finish(); };
  run.left_out = [this](const std::string& input) { record.LeaveOut(input); };
  run.passed_over = [this](const std::filesystem::path& file, const std::string& reason) {
    record.Skip(json.empty() ? std::filesystem::path() : file, reason);
    if (verbose) PrintLine(Problem(file.string(), "is skipped: " + reason).line);
  };
  run.warning = [this](const std::string& line) {
    if (!quiet) PrintLine("warning: " + line);
  };
  run.note = [this](const std::string& line) {
    if (verbose) PrintLine(line);
  };
  run.progress = [progress](std::size_t done, std::size_t total, std::uint64_t pixels) {
    progress->Show(done, total, pixels);
  };
  run.counting = [progress](const std::string& what) { progress->Begin(what); };
  run.written = written;
  run.stop = &StopFlag();
  return run;
}

void KeepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // glibc's maximum
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

void PrintLine(const std::string& line) { PrintError("skinmask: {}\n", WithFlags(line)); }

}  // namespace skinmask::cli
