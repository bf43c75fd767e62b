// The context of a verb: the options that all verbs have, the destination of messages, and the
// record of its inputs.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/elapsed.h"
#include "base/json.h"
#include "programs/cli/sandbox.h"
#include "skinmask/base/file.h"
#include "skinmask/base/problem.h"
#include "skinmask/media/isolation.h"
#include "skinmask/model/model.h"
#include "skinmask/pipeline/run.h"

namespace skinmask::cli {

// Exit statuses, as in docs/cli.md.
enum Exit : int { kDone = 0, kPartly = 1, kUsage = 2, kInterrupted = 130 };

// True after SIGINT, SIGTERM or SIGHUP. The first signal requests an orderly end; a second one ends
// the program at once. If a decoder does not return within a second of the first signal, the
// program ends with status 130 and removes its unfinished files.
const std::atomic<bool>& StopFlag();

// Makes malloc keep freed memory. Otherwise the system would take the pages back and clear them
// before the next use, which takes time.
void KeepFreedMemory();

// The number, or percentage, of inputs that may fail before the exit status is an error.
struct FailureLimit {
  double number = 0;
  bool percent = false;
};

// A list of many short texts, stored in one string.
class TextList {
 public:
  void Add(std::string_view text) {
    texts_ += text;
    ends_.push_back(texts_.size());
  }
  std::size_t size() const { return ends_.size(); }
  // Valid until the next Add.
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(texts_).substr(begin, ends_[i] - begin);
  }
  // The same for all, without repetition.
  std::set<std::string_view> Set() const {
    std::set<std::string_view> all;
    for (std::size_t i = 0; i < size(); ++i) all.insert((*this)[i]);
    return all;
  }

 private:
  std::string texts_;
  std::vector<std::size_t> ends_;
};

// The results of the inputs of a run, for the summary line and for --json.
class RunRecord {
 public:
  void Plan(const std::string& input, bool there) {
    planned_.Add(input);
    if (there) LeaveOut(input);
  }
  void LeaveOut(const std::string& input) { left_out_.Add(input); }
  // Counts more images of an archive that is done already.
  void PlanMore(std::size_t images) { more_ += images; }
  // Without a name the file is only counted.
  void Skip(const std::filesystem::path& file, const std::string& reason);
  void Fail(const Problem& problem) { failed_.push_back(problem); }
  void Finish() { ++done_; }

  // True if there were inputs or failures, or after ShowAlways.
  bool any() const { return always_ || planned_.size() > 0 || !failed_.empty(); }
  void ShowAlways() { always_ = true; }
  const std::vector<Problem>& failed() const { return failed_; }
  // The number of inputs, those that failed before they could be planned included.
  std::size_t Inputs() const;
  // The inputs that no earlier run has done. Valid until the next input is planned.
  std::set<std::string_view> Undone() const;
  bool IsWithin(const FailureLimit& limit) const;
  // The inputs in order, including those that are done already.
  const TextList& planned() const { return planned_; }
  // The inputs that are skipped because an earlier run has done them.
  const TextList& left_out() const { return left_out_; }

  // '3 failed, 12 skipped, 1,984 of 20,000 done in 44 s (interrupted)'. Inputs that were done
  // already count as skipped.
  std::string Line() const;
  // Adds "failed", "skipped" and "interrupted". Inputs in `listed`, which the results list, are not
  // listed as skipped.
  void AddTo(Json& root, const std::set<std::string>& listed) const;

 private:
  Clock::time_point start_ = Clock::now();
  TextList planned_, left_out_;
  std::vector<Problem> failed_;
  std::vector<std::pair<std::string, std::string>> skipped_;  // file and reason, without left_out_
  std::size_t nameless_ = 0;                                  // skipped files without a name
  std::size_t done_ = 0;
  std::size_t more_ = 0;  // images of archives that are done already, beside the first of each
  bool always_ = false;
};

// True if the inputs include this one or, for an archive, a file in it.
bool HasInputOrPart(const std::set<std::string>& inputs, const std::string& input);

struct Context {
  std::string model;
  int threads = 0;   // 0: all
  std::string json;  // empty: none; "-": standard output; else a file
  bool quiet = false;
  bool verbose = false;
  bool force = false;
  FailureLimit max_failures;
  bool resume = false;  // for detect: an interrupted run is completed
  std::string sandbox = "auto";
  std::string isolate = "auto";  // see IsolateFromName
  double max_seconds = Isolation().max_seconds;
  std::function<void(Context&)> action;  // runs the chosen verb
  // Returns the completions of `live` for a shell, if `live` is a separate program.
  std::function<std::string(const std::string& shell)> ask_live;
  RunRecord record;                // results of the inputs
  Json options = Json::object();   // the given options of the verb
  Json deciding = Json::object();  // those of them that determine the results
  // All options that determine results, with their defaults.
  std::map<std::string, std::string> deciding_defaults;
  std::vector<std::filesystem::path> written;  // output files, set by Confine; see Run::written

  bool json_to_stdout() const { return json == "-"; }
  // For all outputs and for the file of --json: a resumed run completes the record in that file.
  IfExists if_exists() const {
    return resume ? IfExists::kKeep : force ? IfExists::kReplace : IfExists::kFail;
  }
  // Sets the isolation of decoders and, unless --sandbox is off, enters the sandbox with the files
  // in `access` and those of the common options. Throws Error if an output file cannot be
  // written, or is an input.
  void Confine(Access access);
  // Writes text to the destination of --json.
  void WriteJson(const std::string& text) const;
  // Writes results to the same destination, with the inputs, version and options of the run. For
  // `listed` see RunRecord::AddTo.
  void WriteRecord(Json root, const std::set<std::string>& listed = {}) const;
  // Throws UsageError if the file of --json is named like a picture.
  void CheckJsonName() const;
  // Throws before the work if WriteJson would fail. The folder must exist, which `detect` may have
  // to make.
  void CheckJson() const;
  // Prints the summary line of a run that had inputs. With --quiet only if something failed.
  void PrintSummary() const;
  // Returns a Run that records the results, prints problems and warnings, draws a progress bar on a
  // terminal, and stops on a signal.
  Run StartRun(const std::string& unit);
};

// Reads a user's model, or returns the built-in one if no file is named.
Model LoadModel(const std::string& file);

// Prints a line to standard error, with option names as flags.
void PrintLine(const std::string& line);

}  // namespace skinmask::cli
