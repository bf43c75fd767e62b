// Helpers by which verbs declare their options.
#pragma once

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/parse.h"
#include "programs/cli/context.h"
#include "skinmask/base/error.h"
#include "skinmask/base/options.h"
#include "skinmask/pipeline/collect_samples.h"

namespace skinmask::cli {

// A wrong command line: printed in one line, exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  template <class... Values>
  explicit UsageError(fmt::format_string<Values...> line, Values&&... values)
      : runtime_error(fmt::format(line, std::forward<Values>(values)...)) {}
};

// Runs `check`, which depends on options only, and converts its Error to UsageError, with the
// prefix `of`.
template <class Check>
auto AsUsage(const Check& check, const std::string& of = "") {
  try {
    return check();
  } catch (const Error& e) {
    throw UsageError(of + e.what());
  }
}

// Validators for the values of options. Their descriptions are empty, because the help describes
// values in words.

// A validator from a function that returns the problem, or "", and may change the text.
inline CLI::Validator CheckedBy(std::function<std::string(std::string&)> function) {
  return CLI::Validator(std::move(function), "");
}
// Refuses "", which scripts pass for an unset variable; `value` is named in the message.
CLI::Validator NotEmpty(const std::string& value);
// Accepts one of these words.
CLI::Validator OneOf(const std::vector<std::string>& words);
// Accepts file names with one of these extensions or without an extension; `what` describes the
// file.
CLI::Validator NamedLike(const std::vector<std::string>& extensions, const std::string& what);
// Replaces - by the path of a standard stream, for code that reads and writes files.
CLI::Validator DashIs(const char* stream);
std::string ExtensionOf(const std::filesystem::path& file);  // in lower case: ".png"
// Accepts numbers from `least` to `most`, inclusive.
template <class T>
CLI::Validator Within(T least, T most) {
  return CheckedBy([least, most](const std::string& text) -> std::string {
    const auto number = ParseNumber<T>(text);
    if (number && *number >= least && *number <= most) return "";
    return fmt::format("'{}' is no {} from {} to {}", text,
                       std::is_integral_v<T> ? "whole number" : "number", least, most);
  });
}

// Accepts whole numbers of 64 bits. (CLI11 also accepts -1.)
inline CLI::Validator Whole() {
  return CheckedBy([](const std::string& text) {
    return ParseNumber<std::uint64_t>(text) ? "" : text + " is no whole number from 0 to 2^64 - 1";
  });
}

// Removes zeros before a number, which CLI11 would take for an octal one.
CLI::Validator WithoutZeros();

// The file of an output, and its option. Empty names and "-" are ignored below.
using NamedOutput = std::pair<std::string, std::string>;
// Throws UsageError if one of these outputs is one of the files of `option`. (Context::Confine
// throws Error for every output that is an input.)
void RequireApart(const std::vector<NamedOutput>& outputs, const std::vector<std::string>& files,
                  const std::string& option);
// Throws UsageError if two of these outputs are the same file, or go to standard output.
void RequireApart(const std::vector<NamedOutput>& outputs);

// Add the options of a table of the library (skinmask/base/options.h) with this heading, or one
// option. Each sets its member of `options`, which must outlive the verb.
void AddTableOptions(CLI::App& verb, const std::vector<OptionRow>& rows, void* options,
                     std::string_view heading);
CLI::Option* AddTableOption(CLI::App& verb, const OptionRow& row, void* options);

// Adds a verb with the common options. `examples` end its help.
CLI::App* AddVerb(CLI::App& app, const std::string& name, const std::string& summary,
                  const std::string& examples, Context& context);
// The same for a verb that is run by `act`. Also returns its flags, which options set.
template <class Flags>
std::pair<CLI::App&, Flags&> AddVerb(CLI::App& app, const std::string& name,
                                     const std::string& summary, const std::string& examples,
                                     Context& context, void (*act)(const Flags&, Context&)) {
  CLI::App* const verb = AddVerb(app, name, summary, examples, context);
  const auto flags = std::make_shared<Flags>();
  verb->callback([=, &context] { context.action = [=](Context& c) { act(*flags, c); }; });
  return {*verb, *flags};
}

// Options that several verbs have.
void AddModelOption(CLI::App& verb, Context& context);
void AddJsonOption(CLI::App& verb, Context& context);
void AddForceOption(CLI::App& verb, Context& context);
void AddSandboxOption(CLI::App& verb, Context& context,
                      const std::string& text =
                          "Give up the network, and all files but inputs "
                          "and outputs, as far as the kernel has means");
// For verbs that process many inputs: --force, --json, --max-failures, --sandbox, --isolate and
// --max-seconds.
void AddRunOptions(CLI::App& verb, Context& context);
void AddMaxPixelsOption(CLI::App& verb, std::int64_t& max_pixels, bool changes_no_result = false);

// Of an option that changes no result: the destination of results, or how a run is done and
// watched. Parts and --resume ignore it. (CLI11 calls it not configurable; this program has no
// configuration files.)
inline constexpr bool kChangesNoResult = true;

// Options under one heading of the help.
class OptionGroup {
 public:
  OptionGroup(CLI::App& verb, std::string heading, bool changes_no_result = false)
      : verb_(verb), heading_(std::move(heading)), decides_(!changes_no_result) {}

  // Adds an option; in the help `value` is the placeholder of its value.
  template <class T>
  CLI::Option* Add(const std::string& names, T& variable, const std::string& value,
                   const std::string& text) const {
    CLI::Option* const option = verb_.add_option(names, variable, text);
    if constexpr (std::is_integral_v<typename OptionValue<T>::Type>)
      option->transform(WithoutZeros());
    return option->type_name(value)->group(heading_)->configurable(decides_)->check(
        NotEmpty(value));
  }
  // Adds an option whose default, the value of the variable, is shown in the help.
  template <class T>
  CLI::Option* AddDefault(const std::string& names, T& variable, const std::string& value,
                          const std::string& text) const {
    return Add(names, variable, value, text)->capture_default_str();
  }
  // Adds an option whose text `set` parses, which throws UsageError.
  CLI::Option* AddParsed(const std::string& name, std::function<void(const std::string&)> set,
                         const std::string& value, const std::string& text) const {
    CLI::Option* const option = verb_.add_option_function<std::string>(name, std::move(set), text);
    return option->type_name(value)->group(heading_)->configurable(decides_)->check(
        NotEmpty(value));
  }
  // Adds an option that is repeated for each of its values.
  CLI::Option* AddEach(const std::string& names, std::vector<std::string>& variable,
                       const std::string& value, const std::string& text) const {
    return Add(names, variable, value, text)->allow_extra_args(false);
  }
  // Adds an option whose value is one of some words.
  CLI::Option* AddChoice(const std::string& names, std::string& variable,
                         const std::vector<std::string>& words, const std::string& text) const {
    return AddDefault(names, variable, fmt::format("{}", fmt::join(words, "|")), text)
        ->check(OneOf(words));
  }
  CLI::Option* AddFlag(const std::string& names, bool& variable, const std::string& text) const {
    return verb_.add_flag(names, variable, text)->group(heading_)->configurable(decides_);
  }

 private:
  CLI::App& verb_;
  std::string heading_;
  bool decides_;
};

// The verbs, each in a file of its own name: flags, and a call of the library.
void AddSample(CLI::App& app, Context& context);
void AddTrain(CLI::App& app, Context& context);
void AddCalibrate(CLI::App& app, Context& context);
void AddCompare(CLI::App& app, Context& context);
void AddDetect(CLI::App& app, Context& context);
void AddEvaluate(CLI::App& app, Context& context);
void AddShow(CLI::App& app, Context& context);
void AddVersion(CLI::App& app, Context& context);
void AddHelp(CLI::App& app, Context& context);

struct VerbRow {
  std::string_view name;
  void (*add)(CLI::App& app, Context& context);
};
// Parses the command line, runs the verb, and turns errors into messages and exit statuses
// (app.cc). Returns the exit status.
int RunApp(int argc, char** argv, std::span<const VerbRow> verbs);

// --shard, for all verbs that can divide their inputs: the part that a run processes.
void AddShardOption(CLI::App& verb, Shard& shard,
                    const std::string& help = "Do only every N-th input, beginning with the I-th");

}  // namespace skinmask::cli
