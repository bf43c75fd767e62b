// What a verb is run with: the options that every verb has, where its lines go, and the record of
// its inputs.
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

// True once SIGINT, SIGTERM or SIGHUP came. The first one asks for an orderly end, a second one
// kills. Where a decoder does not come back within a second of the first, the run ends there, with
// status 130 and without the files that it had begun.
const std::atomic<bool>& StopFlag();

// Keeps memory that is freed with the process. The system would take its pages, and clear them
// before it gives them out again, which takes time.
void KeepFreedMemory();

// How many inputs may fail before the exit status tells: so many, or so many of a hundred.
struct FailureLimit {
  double number = 0;
  bool percent = false;
};

// "10" or "5%"; how CLI11 reads an option of this type.
bool lexical_cast(const std::string& text, FailureLimit& limit);

// Many short texts in one piece of memory.
class TextList {
 public:
  void Add(std::string_view text) {
    texts_ += text;
    ends_.push_back(texts_.size());
  }
  std::size_t size() const { return ends_.size(); }
  // Until the next Add.
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(texts_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string texts_;
  std::vector<std::size_t> ends_;
};

// What became of the inputs of a run: for its last line, and for --json.
class RunRecord {
 public:
  void Plan(const std::string& input, bool there) {
    planned_.Add(input);
    if (there) left_out_.Add(input);
  }
  // Without a name it is counted alone.
  void Skip(const std::filesystem::path& file, const std::string& reason);
  void Fail(const Problem& problem) { failed_.push_back(problem); }
  void Finish() { ++done_; }

  // Whether there was anything to do, or what there was is told in any case.
  bool any() const { return always_ || planned_.size() > 0 || !failed_.empty(); }
  void TellAlways() { always_ = true; }
  bool all_well() const { return failed_.empty(); }
  bool IsWithin(const FailureLimit& limit) const;
  // The inputs in order, those that are there already included.
  const TextList& planned() const { return planned_; }
  // Of those the ones that are left out, since a run before has done them.
  const TextList& left_out() const { return left_out_; }
  // Of inputs that the results list, AddTo does not say that they were skipped.
  void Drop(const std::set<std::string>& listed) { listed_ = listed; }

  // '3 failed, 12 skipped, 1,984 of 20,000 done in 44 s (interrupted)'. Inputs that were there
  // already count as skipped.
  std::string Line() const;
  // Adds "failed", "skipped" and "interrupted".
  void AddTo(Json& root) const;

 private:
  Clock::time_point start_ = Clock::now();
  TextList planned_, left_out_;
  std::vector<Problem> failed_;
  std::vector<std::pair<std::string, std::string>> skipped_;  // and why; but for left_out_,
  std::size_t nameless_ = 0;                                  // and for those without a name
  std::size_t done_ = 0;
  bool always_ = false;
  std::set<std::string> listed_;
};

struct Context {
  std::string model;
  int threads = 0;   // 0: all
  std::string json;  // empty: none; "-": standard output; else a file
  bool quiet = false;
  bool verbose = false;
  bool force = false;
  FailureLimit max_failures;
  bool resume = false;  // of detect: a run that ended before its time is completed
  std::string sandbox = "auto";
  std::string isolate = "auto";  // as IsolateFromName has it
  double max_seconds = Isolation().max_seconds;
  std::function<void(Context&)> action;  // of the verb chosen on the command line
  // The part of `live` in completions for a shell, where that verb is a program of its own.
  std::function<std::string(const std::string& shell)> ask_live;
  RunRecord record;                // what became of the inputs
  Json options = Json::object();   // of the verb, as given on the command line,
  Json deciding = Json::object();  // and of these the ones that decide the results,
  std::map<std::string, std::string> deciding_defaults;  // which are among these
  std::vector<std::filesystem::path> written;  // files, once Confine knows them: Run::written

  bool json_to_stdout() const { return json == "-"; }
  // Of all outputs, and of the file that --json names: a run that resumes completes the record in
  // it.
  IfExists if_exists() const {
    return resume ? IfExists::kKeep : force ? IfExists::kReplace : IfExists::kFail;
  }
  // Says which images are decoded in processes of their own, and enters the sandbox, unless
  // --sandbox says no, with the files of the options that all verbs have beside what the verb
  // needs. Throws Error where a file of the outputs is one of the inputs, as the model is unless
  // the verb `replaces_model`.
  void Confine(Access access, bool replaces_model = false);
  // The model of --model, or the built-in one.
  Model LoadModel() const;
  // Writes text to where --json says.
  void WriteJson(const std::string& text) const;
  // Writes results likewise, with what is known of the run: its inputs, version and options.
  void WriteRecord(Json root) const;
  // Refuses early, before the work, what WriteJson could not write.
  void CheckJson() const;
  // Prints the last line of a run that had inputs. With --quiet only if something went wrong.
  void PrintSummary() const;
  // A run that is recorded, prints problems and warnings, draws progress on a terminal and stops on
  // a signal.
  Run StartRun(const std::string& unit);
};

// One line on standard error, with the flags that help.
void PrintLine(const std::string& line);

}  // namespace skinmask::cli
