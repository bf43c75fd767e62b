#include "programs/cli/help_formatter.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "base/parse.h"
#include "programs/cli/option_words.h"

namespace skinmask::cli {
namespace {

constexpr std::size_t kMaxColumns = 100, kLeastColumns = 40;

std::size_t ColumnsOf(int descriptor) {
  if (isatty(descriptor) == 0) return kMaxColumns;
  std::size_t columns = 0;
  const char* const told = std::getenv("COLUMNS");
  if (told) columns = ParseNumber<std::size_t>(told).value_or(0);
  winsize size{};
  if (columns == 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  return columns == 0 ? kMaxColumns : std::clamp(columns, kLeastColumns, kMaxColumns);
}

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

// What stands for a value, on two lines where one would be too long.
std::string Broken(std::string value, std::size_t width) {
  if (value.size() <= width) return value;
  const std::size_t bar = value.rfind('|', width);
  return bar == value.npos ? value : value.insert(bar + 1, "\n      ");
}

}  // namespace

HelpFormatter::HelpFormatter(int descriptor) : columns_(ColumnsOf(descriptor)) {
  // Half of a narrow terminal is left for what the options mean.
  column_width(std::min<std::size_t>(get_column_width(), columns_ / 2 - 5));
  label("SUBCOMMAND", "VERB");
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return Wrapped(app->get_description(), columns_) + "\n";
}

std::string HelpFormatter::make_subcommand(const CLI::App* sub) const {
  std::stringstream out;
  CLI::detail::format_help(out, sub->get_name(),
                           Wrapped(sub->get_description(), columns_ - get_column_width()),
                           get_column_width());
  return out.str();
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  return make_description(app) + make_usage(app, name) + make_positionals(app) + Groups(app) +
         make_subcommands(app, mode) + "\n" + app->get_footer() + "\n";
}

std::string HelpFormatter::Groups(const CLI::App* app) const {
  std::string text;
  for (const auto& [heading, options] : GroupsOf(*app)) text += make_group(heading, false, options);
  return text;
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  return Wrapped(TextOf(*option), columns_ - get_column_width());
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  constexpr std::size_t kFlags = 12;  // of the line, about
  const std::string value = Broken(ValueOf(*option), columns_ - kFlags);
  return (value.empty() ? "" : " " + value) + (option->get_required() ? " REQUIRED" : "");
}

}  // namespace skinmask::cli
