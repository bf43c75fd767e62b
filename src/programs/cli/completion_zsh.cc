#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "programs/cli/completion.h"
#include "programs/cli/option_words.h"

namespace skinmask::cli {
namespace {

constexpr const char* kZshTail = R"zsh(
_skinmask "$@"
)zsh";

// Within single quotes, in a specification of _arguments.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'') {
      escaped += "'\\''";
      continue;
    }
    if (c == '\\' || c == '[' || c == ']' || c == ':') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// What is done to complete a value; nothing is offered where nothing is known.
std::string ActionOf(const Offer& offer) {
  std::string files;
  if (!offer.files.empty()) files = fmt::format("_files -g \"{}\"", fmt::join(offer.files, " "));
  if (offer.files == std::vector<std::string>{"*"}) files = "_files";
  if (offer.files.empty() && offer.folders) files = "_files -/";
  if (offer.words.empty()) return files.empty() ? " " : files;
  const std::string words = fmt::format("{}", fmt::join(offer.words, " "));
  if (files.empty() && !offer.list) return "(" + words + ")";
  const std::string add = offer.list ? "_values -s , value " + words : "compadd -- " + words;
  return "{" + add + (files.empty() ? "" : "; " + files) + "}";
}

// What is no longer offered beside the option: itself, where it comes once, and what it excludes.
std::string Without(const CLI::Option& option) {
  std::set<std::string> names = ExcludedBy(option);
  if (option.get_expected_max() > 1) return "*";
  for (const std::string& flag : FlagsOf(option)) names.insert(flag);
  return fmt::format("({})", fmt::join(names, " "));
}

std::string Argument(const CLI::App& verb, const CLI::Option& option) {
  return fmt::format(" \\\n    '{}:{}:{}'", option.get_expected_max() > 1 ? "*" : "",
                     Escaped(option.get_type_name()), ActionOf(OfferOf(verb, option)));
}

std::string ZshFlag(const std::string& flag, const CLI::App& verb, const CLI::Option& option) {
  const Offer offer = OfferOf(verb, option);
  const std::string name = option.get_type_name();
  std::string text = fmt::format(" \\\n    '{}{}{}[{}]", Without(option), flag,
                                 !offer.value             ? ""
                                 : flag.starts_with("--") ? "="
                                                          : "+",
                                 Escaped(BriefOf(option)));
  if (offer.value)
    text +=
        fmt::format("{}:{}:{}", name.starts_with('[') ? ":" : "", Escaped(name), ActionOf(offer));
  return text + "'";
}

std::string Flags(const CLI::App& verb) {
  std::string text;
  for (const auto& [heading, options] : GroupsOf(verb))
    for (const CLI::Option* option : options)
      for (const std::string& flag : FlagsOf(*option)) text += ZshFlag(flag, verb, *option);
  return text;
}

std::string ZshHead(const CLI::App& app) {
  std::string verbs;
  for (const CLI::App* verb : VerbsOf(app))
    verbs += fmt::format("    '{}:{}'\n", verb->get_name(), Escaped(verb->get_description()));
  return fmt::format(R"zsh(#compdef skinmask
# Completion of skinmask in zsh, as `skinmask help --as zsh` makes it.

_skinmask() {{
  local verb=$words[2]
  local -a verbs=(
{}  )
  if (( CURRENT == 2 )); then
    _describe -t verbs verb verbs
    _arguments{}
  elif (( $+functions[_skinmask_$verb] )); then
    words[2]=() ; (( CURRENT-- ))
    _skinmask_$verb
  fi
}}
)zsh",
                     verbs, Flags(app));
}

std::string ZshPart(const CLI::App& verb) {
  std::string text = Flags(verb);
  const std::vector<const CLI::Option*> arguments = ArgumentsOf(verb);
  for (const CLI::Option* option : arguments) text += Argument(verb, *option);
  if (arguments.empty() && AnyTakesSeveral(verb)) text += " \\\n    '*: :_files'";
  return fmt::format("\n_skinmask_{}() {{\n  _arguments -S :{}\n}}\n", verb.get_name(), text);
}

}  // namespace

const Shell kZsh{"zsh", ZshHead, ZshPart, kZshTail};

}  // namespace skinmask::cli
