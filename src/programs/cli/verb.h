// How verbs declare their options.
#pragma once

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
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

// One line, exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Runs `check`, which looks at options only: what it throws is the user's wording, not the world.
// `of` stands before it.
template <class Check>
auto AsUsage(const Check& check, const std::string& of = "") {
  try {
    return check();
  } catch (const Error& e) {
    throw UsageError(of + e.what());
  }
}

// Checks of what options are given. Their descriptions are empty: the help says it in words.

// One by a function, which returns what is wrong, or nothing, and may change the text.
inline CLI::Validator CheckedBy(std::function<std::string(std::string&)> function) {
  return CLI::Validator(std::move(function), "");
}
// Not "", as a script has where a variable is not set; `value` is wanted.
CLI::Validator NotEmpty(const std::string& value);
// A probability from 0 to 1.
CLI::Validator Probability();
// One of these words.
CLI::Validator OneOf(const std::vector<std::string>& words);
// Files whose extension, where they have one, is among these; `what` is what they are.
CLI::Validator NamedLike(const std::vector<std::string>& extensions, const std::string& what);
// Takes - for standard output under its name as a file, for what writes files.
CLI::Validator DashIsOutput();
std::string ExtensionOf(const std::filesystem::path& file);  // in lower case: ".png"
// Numbers of a range, ends included.
template <class T>
CLI::Validator Within(T least, T most) {
  const CLI::Range range(least, most);
  return CheckedBy([range, least, most](std::string& text) -> std::string {
    const auto number = ParseNumber<double>(text);
    const bool is_nan = number && std::isnan(*number);  // which the range takes
    if (!is_nan && range(text).empty()) return "";
    return fmt::format("'{}' is no {} from {} to {}", text,
                       std::is_integral_v<T> ? "whole number" : "number", least, most);
  });
}

// Of 64 bits, which CLI11 takes from -1, too.
inline CLI::Validator Whole() {
  return CheckedBy([](const std::string& text) {
    return ParseNumber<std::uint64_t>(text) ? "" : text + " is no whole number from 0 to 2^64 - 1";
  });
}

// Throws UsageError for what is no file that can be read again and again, as pipes cannot; `option`
// names them, or is empty.
void RequireFiles(const std::vector<std::string>& partials, const std::string& option);

// Throws UsageError where two options name one file. Empty names and "-" are no files.
void RequireApart(const std::filesystem::path& a, const std::string& option_a,
                  const std::filesystem::path& b, const std::string& option_b);
// The same of each of these outputs, with its option, and each file that `option` names.
using NamedOutput = std::pair<std::string, std::string>;
void RequireApart(std::initializer_list<NamedOutput> outputs, const std::vector<std::string>& files,
                  const std::string& option);
// The same where two of these outputs do, or where more than one goes to standard output.
void RequireApart(std::initializer_list<NamedOutput> outputs);

// Options of a table of the library (skinmask/base/options.h) that stand under this heading, or
// that have this name: each sets its member of `options`, which lives as long as the verb.
void AddTableOptions(CLI::App& verb, const std::vector<OptionRow>& rows, void* options,
                     std::string_view heading);
CLI::Option* AddTableOption(CLI::App& verb, const OptionRow& row, void* options);

// What a verb does with its flags where it is the one of the command line.
template <class Flags>
void SetAction(CLI::App& verb, Context& context, const std::shared_ptr<Flags>& flags,
               void (*act)(const Flags&, Context&)) {
  verb.callback([=, &context] { context.action = [=](Context& c) { act(*flags, c); }; });
}

// A verb with the options that all have. `examples` end its help.
CLI::App* AddVerb(CLI::App& app, const std::string& name, const std::string& summary,
                  const std::string& examples, Context& context);
// Options that several have.
void AddModelOption(CLI::App& verb, Context& context);
void AddJsonOption(CLI::App& verb, Context& context);
void AddForceOption(CLI::App& verb, Context& context);
void AddSandboxOption(CLI::App& verb, Context& context,
                      const std::string& text =
                          "Give up the network, and all files but inputs "
                          "and outputs, as far as the kernel has means");
// Of verbs that run over inputs: --force, --json, --max-failures, --sandbox, --isolate and
// --max-seconds.
void AddRunOptions(CLI::App& verb, Context& context);
CLI::Option* AddMaxPixelsOption(CLI::App& verb, std::int64_t& max_pixels);

// An option that changes no result: where results go, and how a run is done and watched. Parts and
// --resume take no notice of it. (CLI11 calls it not configurable; there are no files of options.)
inline CLI::Option* Aside(CLI::Option* option) { return option->configurable(false); }

// Options under one heading of the help.
class OptionGroup {
 public:
  OptionGroup(CLI::App& verb, std::string heading) : verb_(verb), heading_(std::move(heading)) {}

  // An option; in the help `value` stands for what it takes.
  template <class T>
  CLI::Option* Add(const std::string& names, T& variable, const std::string& value,
                   const std::string& text) const {
    return verb_.add_option(names, variable, text)
        ->type_name(value)
        ->group(heading_)
        ->check(NotEmpty(value));
  }
  // One whose default, that of the variable, is in the help.
  template <class T>
  CLI::Option* AddDefault(const std::string& names, T& variable, const std::string& value,
                          const std::string& text) const {
    return Add(names, variable, value, text)->capture_default_str();
  }
  // One that is repeated for each of its values.
  CLI::Option* AddEach(const std::string& names, std::vector<std::string>& variable,
                       const std::string& value, const std::string& text) const {
    return Add(names, variable, value, text)->allow_extra_args(false);
  }
  // One that takes one of some words.
  CLI::Option* AddChoice(const std::string& names, std::string& variable,
                         const std::vector<std::string>& words, const std::string& text) const {
    return AddDefault(names, variable, fmt::format("{}", fmt::join(words, "|")), text)
        ->check(OneOf(words));
  }
  CLI::Option* AddFlag(const std::string& names, bool& variable, const std::string& text) const {
    return verb_.add_flag(names, variable, text)->group(heading_);
  }

 private:
  CLI::App& verb_;
  std::string heading_;
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

// Parses the words of the program, runs the verb, and turns errors into lines and statuses
// (app.cc). Returns the exit status.
using AddVerbFunction = void (*)(CLI::App& app, Context& context);
int RunApp(int argc, char** argv, std::span<const AddVerbFunction> verbs_to_add);

// Which part of the inputs a run does, for all verbs that can be divided: --shard, 1/1 by default.
void AddShardOption(CLI::App& verb, std::string& text);
// "2/5". Throws UsageError for what is no shard.
Shard ShardOf(const std::string& text);
// Throws UsageError for a shard without a file of --partial, and where both a part and the whole
// are asked for.
void RequirePartial(const std::string& shard, const std::string& partial,
                    const std::vector<std::string>& partials);

}  // namespace skinmask::cli
