#include "programs/cli/verb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest.h"
#include "programs/cli/print.h"
#include "skinmask/base/file.h"

namespace skinmask::cli {

CLI::Option* AddTableOption(CLI::App& verb, const OptionRow& row, void* options) {
  const std::string flag = FlagOf(row.name);
  const auto set = [&row, options](const std::vector<std::string>& values) {
    AsUsage([&] { SetOption(row, options, fmt::format("{}", fmt::join(values, ","))); });
  };
  if (row.kind == OptionRow::Kind::kSwitch && row.words == std::vector<std::string>{"off", "on"})
    return verb
        .add_flag_callback(
            flag, [set] { set({"on"}); }, row.help)
        ->group(row.heading);
  CLI::Option* const option =
      row.is_list ? verb.add_option_function<std::vector<std::string>>(flag, set, row.help)
                  : verb.add_option_function<std::string>(
                        flag, [set](const std::string& value) { set({value}); }, row.help);
  if (!row.is_list) option->default_str(row.usual.empty() ? row.get(options) : row.usual);
  return option->type_name(row.value)->group(row.heading)->check(NotEmpty(row.value));
}

void AddTableOptions(CLI::App& verb, const std::vector<OptionRow>& rows, void* options,
                     std::string_view heading) {
  for (const OptionRow& row : rows)
    if (!row.name.empty() && row.heading == heading) AddTableOption(verb, row, options);
}

CLI::App* AddVerb(CLI::App& app, const std::string& name, const std::string& summary,
                  const std::string& examples, Context& context) {
  CLI::App* verb = app.add_subcommand(name, summary);
  verb->group("Verbs");
  verb->footer("Examples:\n" + examples);
  const OptionGroup options(*verb, "General", kChangesNoResult);
  verb->get_help_ptr()->group("General");
  options.AddDefault("--threads", context.threads, "N", "Threads to use; 0 means all")
      ->check(Within(0, 4096));
  options.AddFlag("-q,--quiet", context.quiet, "No results per file, no warnings, no progress");
  options.AddFlag("-v,--verbose", context.verbose, "Say what is done and how long it took");
  return verb;
}

void AddModelOption(CLI::App& verb, Context& context) {
  OptionGroup(verb, "Model", kChangesNoResult)
      .Add("--model", context.model, "MODEL", "Model file (default: the built-in model)");
}

void AddJsonOption(CLI::App& verb, Context& context) {
  OptionGroup(verb, "Output", kChangesNoResult)
      .Add("--json", context.json, "[FILE]",
           "Results as JSON: to standard output, or to FILE (FILE.json or --json=FILE)");
}

void AddForceOption(CLI::App& verb, Context& context) {
  OptionGroup(verb, "Output", kChangesNoResult)
      .AddFlag("--force", context.force, "Replace files that exist");
}

void AddSandboxOption(CLI::App& verb, Context& context, const std::string& text) {
  OptionGroup(verb, "General", kChangesNoResult)
      .AddChoice("--sandbox", context.sandbox, {"auto", "off"}, text);
}

void AddRunOptions(CLI::App& verb, Context& context) {
  AddForceOption(verb, context);
  AddJsonOption(verb, context);
  const OptionGroup group(verb, "Input", kChangesNoResult);
  const auto set_limit = [&context](const std::string& text) {
    const bool percent = text.ends_with('%');
    const auto value = ParseNumber<double>(percent ? text.substr(0, text.size() - 1) : text);
    const bool whole = value && *value == std::floor(*value);
    if (!value || !std::isfinite(*value) || *value < 0 || (percent ? *value > 100 : !whole))
      throw UsageError("--max-failures: '{}' is no number of inputs, nor a share as 1%", text);
    context.max_failures = {*value, percent};
  };
  group.AddParsed("--max-failures", set_limit, "N|P%",
                  "Keep exit status 0 if at most N inputs, or P % of them, fail (default: 0)");
  AddSandboxOption(verb, context);
  group.AddChoice(
      "--isolate", context.isolate, {"none", "auto", "all"},
      "Decode files in separate processes, so that a crash of a decoder concerns one "
      "file only: none; images other than JPEG and PNG (auto); all images and videos (all)");
  group
      .AddDefault("--max-seconds", context.max_seconds, "S",
                  "Give up an image, or a frame of a video, if its decoder in a separate process "
                  "needs more than S seconds of CPU time")
      ->check(Within(0.01, 1e6));
}

void AddMaxPixelsOption(CLI::App& verb, std::int64_t& max_pixels, bool changes_no_result) {
  OptionGroup(verb, "Input", changes_no_result)
      .AddDefault("--max-pixels", max_pixels, "N",
                  "Refuse images of more pixels, by what their headers say")
      ->check(Within<std::int64_t>(1, std::int64_t{1} << 30));
}

CLI::Validator NotEmpty(const std::string& value) {
  return CheckedBy([value](const std::string& text) {
    return text.empty() ? "is empty (" + value + " is wanted)" : std::string();
  });
}

CLI::Validator WithoutZeros() {
  return CheckedBy([](std::string& text) {
    if (ParseNumber<std::uint64_t>(text))
      text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
    return std::string();
  });
}

CLI::Validator OneOf(const std::vector<std::string>& words) {
  return CheckedBy([words](const std::string& text) {
    const bool known = std::ranges::find(words, text) != words.end();
    return known ? std::string() : "'" + text + "' " + UnknownAmong(text, words);
  });
}

CLI::Validator NamedLike(const std::vector<std::string>& extensions, const std::string& what) {
  return CheckedBy([extensions, what](const std::string& file) {
    const std::string own = ExtensionOf(file);
    if (file == "-" || file == kStandardOutput)
      return "standard output does not take " + what + " (give a file)";
    if (own.empty() || extensions.empty() || std::ranges::find(extensions, own) != extensions.end())
      return std::string();
    return fmt::format("'{}' is no name of {} (FILE{})", file, what,
                       fmt::join(extensions, " or FILE"));
  });
}

CLI::Validator DashIs(const char* stream) {
  return CheckedBy([stream](std::string& file) {
    if (file == "-") file = stream;
    return std::string();
  });
}

std::string ExtensionOf(const std::filesystem::path& file) {
  return LowerCase(file.extension().native());
}

void RequireApart(const std::vector<NamedOutput>& outputs, const std::vector<std::string>& files,
                  const std::string& option) {
  const auto is_file = [](const std::string& name) {
    return !name.empty() && name != "-" && name != "/dev/null";
  };
  for (const std::string& file : files)
    for (const auto& [output, flag] : outputs)
      if (is_file(output) && is_file(file) && FileIdentity(output) == FileIdentity(file))
        throw UsageError("{} and {} are the same file, {}", flag, option, output);
}

void RequireApart(const std::vector<NamedOutput>& outputs) {
  std::vector<std::string> to_stdout;
  for (const auto& [output, flag] : outputs)
    if (output == "-" || output == kStandardOutput) to_stdout.push_back(flag);
  if (to_stdout.size() > 1)
    throw UsageError("standard output takes one of {}", fmt::join(to_stdout, " and "));
  for (auto a = outputs.begin(); a != outputs.end(); ++a)
    for (auto b = a + 1; b != outputs.end(); ++b) RequireApart({*a}, {b->first}, b->second);
}

void AddShardOption(CLI::App& verb, Shard& shard, const std::string& help) {
  const auto set = [&shard](const std::string& text) {
    const auto numbers = ParseNumbers<std::size_t>(text, '/');
    if (!numbers || numbers->size() != 2 || (*numbers)[0] < 1 || (*numbers)[0] > (*numbers)[1])
      throw UsageError("--shard '{}' is not I/N with I from 1 to N", text);
    shard = {(*numbers)[0], (*numbers)[1]};
  };
  OptionGroup(verb, "Input", kChangesNoResult)
      .AddParsed("--shard", set, "I/N", help)
      ->default_str("1/1");
}

}  // namespace skinmask::cli
