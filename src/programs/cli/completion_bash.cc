#include <fmt/format.h>
#include <fmt/ranges.h>

#include "programs/cli/completion.h"
#include "programs/cli/option_words.h"

namespace skinmask::cli {
namespace {

// A part sets for the option $1, or without one for the words between options: takes, words, list,
// several, files, folders; and flags, those of the verb.
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
  return fmt::format("{}", fmt::join(flags, " "));
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
      cases += Case(fmt::format("{}", fmt::join(FlagsOf(*option), " | ")), verb, *option);
  return fmt::format("\n_skinmask_{}() {{\n  flags='{}'\n  case $1 in\n{}  esac\n}}\n",
                     verb.get_name(), FlagsOfAll(verb), cases);
}

}  // namespace

const Shell kBash{"bash", BashHead, BashPart, kBashTail};

}  // namespace skinmask::cli
