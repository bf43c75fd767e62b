// What a verb is run with: the options that every verb has, and where its lines go.
#pragma once

#include <functional>
#include <string>

#include "programs/cli/sandbox.h"
#include "skinmask/base/file.h"
#include "skinmask/model/model.h"
#include "skinmask/pipeline/run.h"

namespace skinmask::cli {

// Exit statuses, as in docs/cli.md.
enum Exit : int { kDone = 0, kPartly = 1, kUsage = 2, kInterrupted = 130 };

struct Context {
  std::string model;
  int threads = 0;   // 0: all
  std::string json;  // empty: none; "-": standard output; else a file
  bool quiet = false;
  bool verbose = false;
  bool force = false;
  std::string sandbox = "auto";
  std::function<void(Context&)> action;  // of the verb chosen on the command line
  bool failed = false;                   // some file could not be done

  bool json_to_stdout() const { return json == "-"; }
  Overwrite overwrite() const { return force ? Overwrite::kYes : Overwrite::kNo; }
  // Enters the sandbox, unless --sandbox says no, with the files of the options that all verbs have
  // beside what the verb needs.
  void Confine(Access access) const;
  // The model of --model, or the built-in one.
  Model LoadModel() const;
  // Writes text to where --json says.
  void WriteJson(const std::string& text) const;
  // Refuses early, before the work, what WriteJson could not write.
  void CheckJson() const;
  // A run that prints problems and warnings, draws progress on a terminal and stops on a signal.
  Run StartRun(const std::string& unit);
};

// One line on standard error, with the flags that help.
void PrintLine(const std::string& line);

}  // namespace skinmask::cli
