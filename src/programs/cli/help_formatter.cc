#include "programs/cli/help_formatter.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string_view>

#include "base/parse.h"

namespace skinmask::cli {
namespace {

constexpr std::size_t kMost = 100, kLeast = 40;

std::size_t ColumnsOf(int descriptor) {
  if (isatty(descriptor) == 0) return kMost;
  std::size_t columns = 0;
  const char* const told = std::getenv("COLUMNS");
  if (told) columns = ParseNumber<std::size_t>(told).value_or(0);
  winsize size{};
  if (columns == 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  return columns == 0 ? kMost : std::clamp(columns, kLeast, kMost);
}

// Where a group stands in the help; those of one verb alone stand before the last, which all have.
std::size_t Rank(const std::string& group) {
  constexpr std::string_view kFirst[] = {"Input",    "Output",     "Model",
                                         "Decision", "Adaptation", "Video"};
  if (group == "General") return std::size(kFirst) + 1;
  return static_cast<std::size_t>(std::ranges::find(kFirst, group) - std::begin(kFirst));
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
         make_subcommands(app, mode) + "\n" + make_footer(app);
}

std::string HelpFormatter::Groups(const CLI::App* app) const {
  std::vector<std::string> groups = app->get_groups();
  std::ranges::stable_sort(groups, {}, Rank);
  std::string text;
  for (const std::string& group : groups) {
    const std::vector<const CLI::Option*> options =
        app->get_options([&group](const CLI::Option* option) {
          return option->get_group() == group && option->nonpositional();
        });
    if (!group.empty() && !options.empty()) text += make_group(group, false, options);
  }
  return text;
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  std::string text = option->get_description();
  std::string value = option->get_default_str();
  if (value.starts_with('[') && value.ends_with(']'))  // a list, to be broken between its words
    value = CLI::detail::find_and_replace(value.substr(1, value.size() - 2), ",", ", ");
  if (!value.empty()) text += " (default: " + value + ")";
  std::set<std::string> names;  // CLI11 has them in the order of their addresses
  for (const CLI::Option* other : option->get_excludes()) names.insert(other->get_name());
  std::string excluded;
  for (const std::string& name : names) excluded += " " + name;
  if (!names.empty()) text += " (excludes" + excluded + ")";
  return Wrapped(text, columns_ - get_column_width());
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  std::string text;
  if (option->get_type_size() != 0) text += " " + option->get_type_name();
  if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
  if (option->get_required()) text += " REQUIRED";
  return text;
}

}  // namespace skinmask::cli
