// Completions for shells.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "programs/cli/help.h"

namespace skinmask::cli {

namespace {

// The first words of an option's description, for lists with one line for each option.
std::string BriefOf(const CLI::Option& option) {
  const std::string& text = option.get_description();
  return text.substr(0, std::min(text.find("; "), text.find(" (")));
}

// True if an option takes several words. Shells other than bash take words that follow such an
// option for arguments, and do not recognise them as values of the option.
bool AnyTakesSeveral(const CLI::App& verb) {
  return std::ranges::any_of(verb.get_options(), [&verb](const CLI::Option* option) {
    return OfferOf(verb, *option).several;
  });
}

// The text with a backslash before each of these characters.
std::string Escaped(std::string_view text, std::string_view characters) {
  std::string escaped;
  for (const char c : text) {
    if (characters.find(c) != characters.npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// The part of a verb sets these variables for the option $1 or, if that is empty, for arguments:
// takes, words, list, several, files, folders; and flags, the options of the verb.
constexpr const char* kBashTail = R"bash(
# What fits the option $2 of the verb $1.
_skinmask_look() {
  takes='' words='' list='' several='' files=() folders=''
  "_skinmask_$1" "$2"
}

# Fills COMPREPLY with what begins as $cur does.
_skinmask_reply() {
  local pattern word before='' left=''
  [[ $list && $cur == *,* ]] && before=${cur%,*},
  for word in $words; do  # none that the list has already
    [[ ,$before == *,"$word",* ]] || left+=" $word"
  done
  words=$left
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "${cur#"$before"}")
  [[ $folders || ${#files[@]} -gt 0 ]] || return 0
  compopt -o filenames 2>/dev/null
  mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(
    compgen -d -- "$cur"
    for pattern in "${files[@]}"; do compgen -f -X "!$pattern" -- "$cur"; done)
}

_skinmask() {
  local cur=$2 verb=${COMP_WORDS[1]} open='' i
  local takes words list several files folders flags
  [[ $cur == = ]] && cur=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    words=$_skinmask_verbs list='' folders='' files=()
    _skinmask_reply
    return
  fi
  declare -F "_skinmask_$verb" >/dev/null && [[ " $_skinmask_verbs " == *" $verb "* ]] || return 0
  # The option whose value comes next. --option=value is three words here.
  for ((i = 2; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
      =) ;;
      -?*)
        open=${COMP_WORDS[i]}
        _skinmask_look "$verb" "$open"
        [[ $takes ]] || open='' ;;
      *) [[ $several ]] || open='' ;;
    esac
  done
  _skinmask_look "$verb" "$open"
  if [[ $cur == -* ]]; then
    words=$flags list='' files=() folders=''
  fi
  _skinmask_reply
}

complete -F _skinmask skinmask
)bash";

std::string FlagsOfAll(const CLI::App& verb) {
  std::vector<std::string> flags;
  for (const auto& [heading, options] : GroupsOf(verb))
    for (const CLI::Option* option : options)
      for (const std::string& flag : FlagsOf(*option)) flags.push_back(flag);
  return CLI::detail::join(flags, " ");
}

std::string BashHead(const CLI::App& app) {
  std::string verbs;
  for (const CLI::App* verb : VerbsOf(app)) verbs += verb->get_name() + " ";
  return fmt::format(
      "# Completion of skinmask in bash, as `skinmask help --as bash` makes it.\n\n"
      "_skinmask_verbs='{}{}'\n",
      verbs, FlagsOfAll(app));
}

std::string Case(const std::string& names, const CLI::App& verb, const CLI::Option& option) {
  const Offer offer = OfferOf(verb, option);
  std::string text = fmt::format("    {}) takes={}", names, offer.value ? "1" : "''");
  if (!offer.words.empty()) text += fmt::format(" words='{}'", fmt::join(offer.words, " "));
  if (!offer.files.empty()) text += fmt::format(" files=('{}')", fmt::join(offer.files, "' '"));
  if (offer.folders) text += " folders=1";
  if (offer.list) text += " list=1";
  if (offer.several) text += " several=1";
  return text + " ;;\n";
}

std::string BashPart(const CLI::App& verb) {
  std::string cases;
  for (const CLI::Option* option : ArgumentsOf(verb)) cases += Case("''", verb, *option);
  for (const auto& [heading, options] : GroupsOf(verb))
    for (const CLI::Option* option : options)
      cases += Case(CLI::detail::join(FlagsOf(*option), " | "), verb, *option);
  return fmt::format("\n_skinmask_{}() {{\n  flags='{}'\n  case $1 in\n{}  esac\n}}\n",
                     verb.get_name(), FlagsOfAll(verb), cases);
}

// Escapes text for single quotes in a specification of _arguments.
std::string ZshEscaped(std::string_view text) {
  return CLI::detail::find_and_replace(Escaped(text, "\\[]:"), "'", "'\\''");
}

// The zsh action that completes a value; a blank if nothing is known.
std::string ActionOf(const Offer& offer) {
  std::string files;
  if (!offer.files.empty()) files = fmt::format("_files -g \"{}\"", fmt::join(offer.files, " "));
  if (offer.files == std::vector<std::string>{"*"}) files = "_files";
  if (offer.files.empty() && offer.folders) files = "_files -/";
  if (offer.words.empty()) return files.empty() ? " " : files;
  const std::string words = CLI::detail::join(offer.words, " ");
  if (files.empty() && !offer.list) return "(" + words + ")";
  const std::string add = offer.list ? "_values -s , value " + words : "compadd -- " + words;
  return "{" + add + (files.empty() ? "" : "; " + files) + "}";
}

// The options that are no longer offered after this option: itself, unless it is repeatable, and
// those that it excludes.
std::string Without(const CLI::Option& option) {
  std::set<std::string> names = ExcludedBy(option);
  if (option.get_expected_max() > 1) return "*";
  for (const std::string& flag : FlagsOf(option)) names.insert(flag);
  return fmt::format("({})", fmt::join(names, " "));
}

std::string ZshFlag(const std::string& flag, const CLI::App& verb, const CLI::Option& option) {
  const Offer offer = OfferOf(verb, option);
  const std::string name = option.get_type_name();
  const char* const sign = !offer.value ? "" : flag.starts_with("--") ? "=" : "+";
  std::string text =
      fmt::format(" \\\n    '{}{}{}[{}]", Without(option), flag, sign, ZshEscaped(BriefOf(option)));
  if (offer.value)
    text += fmt::format("{}:{}:{}", name.starts_with('[') ? ":" : "", ZshEscaped(name),
                        ActionOf(offer));
  return text + "'";
}

std::string ZshFlags(const CLI::App& verb) {
  std::string text;
  for (const auto& [heading, options] : GroupsOf(verb))
    for (const CLI::Option* option : options)
      for (const std::string& flag : FlagsOf(*option)) text += ZshFlag(flag, verb, *option);
  return text;
}

std::string ZshHead(const CLI::App& app) {
  std::string verbs;
  for (const CLI::App* verb : VerbsOf(app))
    verbs += fmt::format("    '{}:{}'\n", verb->get_name(), ZshEscaped(verb->get_description()));
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
                     verbs, ZshFlags(app));
}

std::string ZshPart(const CLI::App& verb) {
  std::string text = ZshFlags(verb);
  const std::vector<const CLI::Option*> arguments = ArgumentsOf(verb);
  for (const CLI::Option* option : arguments)
    text += fmt::format(" \\\n    '{}:{}:{}'", option->get_expected_max() > 1 ? "*" : "",
                        ZshEscaped(option->get_type_name()), ActionOf(OfferOf(verb, *option)));
  if (arguments.empty() && AnyTakesSeveral(verb)) text += " \\\n    '*: :_files'";
  return fmt::format("\n_skinmask_{}() {{\n  _arguments -S :{}\n}}\n", verb.get_name(), text);
}

std::string FishQuoted(std::string_view text) { return "'" + Escaped(text, "\\'") + "'"; }

// A line of the script for a verb or, without one, for the words before a verb.
std::string FishLine(const std::string& verb, const std::string& rest) {
  return fmt::format("complete -c skinmask -n '__skinmask_verb_is {}' {}\n",
                     verb.empty() ? "\"\"" : verb, rest);
}

// The arguments of `complete` for a value.
std::string ArgumentsFor(const Offer& offer) {
  std::vector<std::string> parts;
  const std::string words = CLI::detail::join(offer.words, " ");
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
  if (!parts.empty()) text += fmt::format(" -a {}", FishQuoted(CLI::detail::join(parts, " ")));
  return text;
}

std::string FishFlag(const std::string& name, const CLI::App& verb, const CLI::Option& option) {
  const Offer offer = OfferOf(verb, option);
  std::string text;
  for (const std::string& letter : option.get_snames()) text += "-s " + letter + " ";
  for (const std::string& word : option.get_lnames()) text += "-l " + word + " ";
  text += "-d " + FishQuoted(BriefOf(option));
  if (!offer.value) return FishLine(name, text);
  const bool optional = option.get_type_name().starts_with('[');
  return FishLine(name, text + (optional ? "" : " -r") + ArgumentsFor(offer));
}

std::string FishFlags(const std::string& name, const CLI::App& verb) {
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
    text += FishLine(
        "", fmt::format("-a {} -d {}", verb->get_name(), FishQuoted(verb->get_description())));
  return text + FishFlags("", app);
}

std::string FishPart(const CLI::App& verb) {
  const std::string name = verb.get_name();
  std::string text = "\n" + FishFlags(name, verb);
  const std::vector<const CLI::Option*> arguments = ArgumentsOf(verb);
  for (const CLI::Option* option : arguments)
    text += FishLine(name, ArgumentsFor(OfferOf(verb, *option)).substr(1));
  if (arguments.empty() && AnyTakesSeveral(verb)) text += FishLine(name, "-F");
  return text;
}

}  // namespace

const Shell kBash{"bash", BashHead, BashPart, kBashTail};
const Shell kZsh{"zsh", ZshHead, ZshPart, "\n_skinmask \"$@\"\n"};
const Shell kFish{"fish", FishHead, FishPart, ""};

}  // namespace skinmask::cli
