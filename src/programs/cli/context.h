// What a verb is run with: the options that every verb has, and where its lines go.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "programs/cli/run_record.h"
#include "programs/cli/sandbox.h"
#include "skinmask/base/file.h"
#include "skinmask/media/isolation.h"
#include "skinmask/model/model.h"
#include "skinmask/pipeline/run.h"

namespace skinmask::cli {

// Exit statuses, as in docs/cli.md.
enum Exit : int { kDone = 0, kPartly = 1, kUsage = 2, kInterrupted = 130 };

// Keeps memory that is freed with the process. The system would take its pages, and clear them
// before it gives them out again, which takes time.
void KeepFreedMemory();

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
  RunRecord record;                         // what became of the inputs
  Json options = Json::object();            // of the verb, as given on the command line,
  Json deciding = Json::object();           // and of these the ones that decide the results,
  std::vector<std::string> deciding_names;  // which are among these

  bool json_to_stdout() const { return json == "-"; }
  // Of all outputs, and of the file that --json names: a run that resumes completes the record in
  // it.
  IfExists if_exists() const {
    return resume ? IfExists::kKeep : force ? IfExists::kReplace : IfExists::kFail;
  }
  // Says which images are decoded in processes of their own, and enters the sandbox, unless
  // --sandbox says no, with the files of the options that all verbs have beside what the verb
  // needs.
  void Confine(Access access) const;
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
