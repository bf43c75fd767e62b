// What all verbs share: options, manners, and where lines go.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/data/samples.h"
#include "skinmask/learn/decision.h"
#include "skinmask/model/model.h"
#include "skinmask/pipeline/collect_samples.h"
#include "skinmask/pipeline/run.h"

namespace skinmask::cli {

// Exit statuses, as in docs/cli.md.
enum Exit : int { kDone = 0, kPartly = 1, kUsage = 2, kInterrupted = 130 };

// A wrong command line: one line, exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Runs `check`, which looks at options only: what it throws is the user's wording, not the world.
template <class Check>
auto AsUsage(const Check& check) {
  try {
    return check();
  } catch (const Error& e) {
    throw UsageError(e.what());
  }
}

// Options that every verb has, and what the verb chosen on the command line will do.
struct Context {
  std::string model;
  int threads = 0;   // 0: all
  std::string json;  // empty: none; "-": standard output; else a file
  bool quiet = false;
  bool verbose = false;
  bool force = false;
  std::function<void(Context&)> action;
  bool failed = false;  // some file could not be done

  bool json_to_stdout() const { return json == "-"; }
  Overwrite overwrite() const { return force ? Overwrite::kYes : Overwrite::kNo; }
  // The model of --model, or the built-in one.
  Model LoadModel() const;
  // Writes text to the place that --json names.
  void WriteJson(const std::string& text) const;
  // Refuses early, before the work, what WriteJson could not write.
  void CheckJson() const;
  // A run that prints problems and warnings, draws progress on a terminal and stops on a signal.
  Run StartRun(const std::string& unit);
};

// One verb each: flags, and a call of the library. `AddVerb` gives what all have.
CLI::App* AddVerb(CLI::App& app, const std::string& name, const std::string& summary,
                  const std::string& examples, Context& context);
void AddModelOption(CLI::App& verb, Context& context);
void AddJsonOption(CLI::App& verb, Context& context);
void AddForceOption(CLI::App& verb, Context& context);
void AddSample(CLI::App& app, Context& context);
void AddTrain(CLI::App& app, Context& context);
void AddCompare(CLI::App& app, Context& context);
void AddDetect(CLI::App& app, Context& context);
void AddEvaluate(CLI::App& app, Context& context);
void AddShow(CLI::App& app, Context& context);
void AddVersion(CLI::App& app, Context& context);

// --image-name, --mask-name, --label, --ignore, --invert, --whole.
void AddPairOptions(CLI::App& verb, PairOptions& pairs);
// Throws UsageError for patterns and labels that cannot be meant.
void CheckPairOptions(const PairOptions& pairs);

// --threshold, --max-f1, --max-fpr, --min-recall, --cost; each excludes the others.
struct DecisionOptions {
  std::optional<double> threshold, max_fpr, min_recall;
  bool max_f1 = false;
  std::string cost;
};
void AddDecisionOptions(CLI::App& verb, DecisionOptions& options, const std::string& default_rule);
// The rule that was asked for, if any. Throws UsageError for costs that cannot be meant.
std::optional<DecisionRule> RuleOf(const DecisionOptions& options);

// A probability from 0 to 1, as a check for options.
CLI::Validator Probability();
// Finite numbers, above 0 and not below it.
CLI::Validator Positive();
CLI::Validator NotNegative();
// Throws UsageError where two options name one file. Empty names and "-" are no files.
void RequireApart(const std::filesystem::path& a, const std::string& option_a,
                  const std::filesystem::path& b, const std::string& option_b);

// Prints a result on standard output. Failures show at the end, where they blame no photograph.
template <class... Arguments>
void Print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

// Reads --samples files and adds them up.
Samples ReadAllSamples(const std::vector<std::string>& files);
// Checks that exactly one of the sources is given, --samples, or --images with its masks, and that
// no option would go unused.
void CheckSource(const std::vector<std::string>& samples, const PairOptions& pairs,
                 const std::string& masks_option, bool pair_options_used_elsewhere = false);

// True once SIGINT or SIGTERM came. The first one asks for an orderly end, a second one kills.
const std::atomic<bool>& StopFlag();
void InstallSignalHandlers();

}  // namespace skinmask::cli
