#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "programs/cli/completion.h"
#include "programs/cli/option_words.h"

namespace skinmask::cli {
namespace {

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\\' || c == '\'') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

// A line of the script for the verb; without one for the words before a verb.
std::string Line(const std::string& verb, const std::string& rest) {
  return fmt::format("complete -c skinmask -n '__skinmask_verb_is {}' {}\n",
                     verb.empty() ? "\"\"" : verb, rest);
}

// What completes a value.
std::string ArgumentsFor(const Offer& offer) {
  std::vector<std::string> parts;
  const std::string words = fmt::format("{}", fmt::join(offer.words, " "));
  if (!words.empty()) parts.push_back(offer.list ? "(__fish_append , " + words + ")" : words);
  std::string extensions;
  bool all = false;
  for (const std::string& pattern : offer.files) {
    all |= pattern == "*";
    extensions += " " + pattern.substr(1);
  }
  if (!all && !extensions.empty()) parts.push_back("(__skinmask_files" + extensions + ")");
  if (offer.files.empty() && offer.folders) parts.emplace_back("(__fish_complete_directories)");
  std::string text = all ? " -F" : " -f";
  if (!parts.empty())
    text += fmt::format(" -a {}", Quoted(fmt::format("{}", fmt::join(parts, " "))));
  return text;
}

std::string FishFlag(const std::string& name, const CLI::App& verb, const CLI::Option& option) {
  const Offer offer = OfferOf(verb, option);
  std::string text;
  for (const std::string& letter : option.get_snames()) text += "-s " + letter + " ";
  for (const std::string& word : option.get_lnames()) text += "-l " + word + " ";
  text += "-d " + Quoted(BriefOf(option));
  if (!offer.value) return Line(name, text);
  const bool optional = option.get_type_name().starts_with('[');
  return Line(name, text + (optional ? "" : " -r") + ArgumentsFor(offer));
}

std::string Flags(const std::string& name, const CLI::App& verb) {
  std::string text;
  for (const auto& [heading, options] : GroupsOf(verb))
    for (const CLI::Option* option : options) text += FishFlag(name, verb, *option);
  return text;
}

std::string FishHead(const CLI::App& app) {
  std::string text = R"fish(# Completion of skinmask in fish, as `skinmask help --as fish` makes it.

function __skinmask_verb_is
    set -l words (commandline -opc)
    test "$words[2]" = "$argv[1]"
end

# Files of such an extension, and folders.
function __skinmask_files
    set -l word (commandline -ct | string replace -r '^--[^=]*=' '')
    for extension in $argv
        complete -C "'' $word" | string match -r '^.*(?:/|\Q'$extension'\E)(?:\t.*)?$'
    end
end

complete -c skinmask -f
)fish";
  for (const CLI::App* verb : VerbsOf(app))
    text += Line("", fmt::format("-a {} -d {}", verb->get_name(), Quoted(verb->get_description())));
  return text + Flags("", app);
}

std::string FishPart(const CLI::App& verb) {
  const std::string name = verb.get_name();
  std::string text = "\n" + Flags(name, verb);
  const std::vector<const CLI::Option*> arguments = ArgumentsOf(verb);
  for (const CLI::Option* option : arguments)
    text += Line(name, ArgumentsFor(OfferOf(verb, *option)).substr(1));
  if (arguments.empty() && AnyTakesSeveral(verb)) text += Line(name, "-F");
  return text;
}

}  // namespace

const Shell kFish{"fish", FishHead, FishPart, ""};

}  // namespace skinmask::cli
