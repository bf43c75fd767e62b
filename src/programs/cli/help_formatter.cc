#include "programs/cli/help_formatter.h"

#include <set>
#include <sstream>

namespace skinmask::cli {
namespace {

constexpr std::size_t kColumns = 100;

std::string Wrapped(const std::string& text, std::size_t width) {
  std::istringstream words(text);
  std::string lines;
  std::size_t column = 0;
  for (std::string word; words >> word; column += word.size()) {
    if (column > 0) {
      const bool fits = column + 1 + word.size() <= width;
      lines += fits ? ' ' : '\n';
      column = fits ? column + 1 : 0;
    }
    lines += word;
  }
  return lines;
}

}  // namespace

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  return Wrapped(option->get_description(), kColumns - get_column_width());
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  std::string text = CLI::Formatter::make_option_opts(option);
  std::set<std::string> names;
  for (const CLI::Option* other : option->get_excludes()) names.insert(other->get_name());
  if (names.empty()) return text;
  const std::string excludes = " Excludes:";
  text.erase(text.find(excludes) + excludes.size());
  for (const std::string& name : names) text += " " + name;
  return text;
}

}  // namespace skinmask::cli
