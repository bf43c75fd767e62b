#include "programs/cli/completion.h"

#include <algorithm>

#include "programs/cli/option_words.h"

namespace skinmask::cli {

std::string BriefOf(const CLI::Option& option) {
  const std::string& text = option.get_description();
  return text.substr(0, std::min(text.find("; "), text.find(" (")));
}

bool AnyTakesSeveral(const CLI::App& verb) {
  return std::ranges::any_of(verb.get_options(), [&verb](const CLI::Option* option) {
    return OfferOf(verb, *option).several;
  });
}

}  // namespace skinmask::cli
