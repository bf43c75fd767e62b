#include "programs/cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/nearest.h"
#include "programs/cli/option_words.h"
#include "programs/cli/verb.h"

namespace skinmask::cli {
namespace {

std::string Suggestion(const std::string& word, const std::vector<std::string>& words) {
  const std::string nearest = Nearest(word, words);
  return nearest.empty() ? "" : ", did you mean " + nearest + "?";
}

std::vector<std::string> OptionsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace

std::string NameOf(const CLI::Option& option) {
  const std::vector<std::string>& names =
      option.get_lnames().empty() ? option.get_snames() : option.get_lnames();
  return names.empty() ? option.get_name() : names.front();
}

Json GivenOptions(const CLI::App& verb, Which which) {
  Json given = Json::object();
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() == 0) continue;
    if (which == Which::kDeciding && !option->get_configurable()) continue;
    const std::vector<std::string>& values = option->results();
    Json& value = given[NameOf(*option)];
    if (option->get_expected_max() == 0)
      value = true;  // a flag
    else if (values.size() == 1 && option->get_expected_max() == 1)
      value = values.front();
    else
      value = values;
  }
  return given;
}

// --json takes a file only as --json=FILE or where the next word cannot be an input of the verb;
// otherwise `detect --json a.jpg` would take the photograph for the place to write to.
CommandLine ReadCommandLine(int argc, char** argv) {
  CommandLine line{{argv + 1, argv + argc}, {}};
  std::vector<std::string>& words = line.words;
  if (!words.empty() && (words[0] == "--version" || words[0] == "-V")) words[0] = "version";
  const bool positional =
      !words.empty() && (words[0] == "detect" || words[0] == "show" || words[0] == "live");
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") break;
    if (words[i] != "--json") continue;
    const bool word = i + 1 < words.size() && !words[i + 1].starts_with('-');
    const bool file = word && (!positional || words[i + 1].ends_with(".json"));
    if (word && !file) line.after_json = words[i + 1];
    words[i] = file ? "--json=" + words[i + 1] : "--json=-";
    if (file) words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return line;
}

void RequireVerb(const CLI::App& app, const std::string& word) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : VerbsOf(app)) verbs.push_back(verb->get_name());
  if (std::ranges::find(verbs, word) != verbs.end()) return;
  std::error_code ignored;
  const bool file = std::filesystem::exists(word, ignored);
  throw UsageError(fmt::format(
      "there is no verb '{}'{}", word,
      file ? ", but a file of that name (detect makes masks of files)" : Suggestion(word, verbs)));
}

std::string ProblemOf(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  for (const CLI::App* const part : {&app, &command})
    for (const std::string& word : part->remaining()) {
      if (!word.starts_with('-') || word == "--") continue;
      const std::string option = word.substr(0, word.find('='));
      return fmt::format("there is no option {}{}{}", option,
                         part == &command ? "" : " before the verb",
                         Suggestion(option, OptionsOf(*part)));
    }
  const std::vector<std::string> words = command.remaining();
  if (!words.empty() && dynamic_cast<const CLI::ExtrasError*>(&error))
    return fmt::format("'{}' is one word too many", words.front());
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error))
    for (const CLI::Option* option : command.get_options())
      if (option->get_expected_max() == 1 && option->count() > 1)
        return fmt::format("{} is given {} times (once)", option->get_name(), option->count());
  return error.what();
}

}  // namespace skinmask::cli
