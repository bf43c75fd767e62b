#include "programs/cli/help.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <span>
#include <sstream>
#include <string_view>

#include "base/parse.h"
#include "skinmask/data/color.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/model/model.h"

namespace skinmask::cli {
namespace {

// The position of a group in the help. Groups of a single verb come before the last group, which
// all verbs have.
std::size_t Rank(const std::string& group) {
  constexpr std::string_view kFirst[] = {"Input",    "Output",     "Model",
                                         "Decision", "Adaptation", "Video"};
  if (group == "General") return std::size(kFirst) + 1;
  return static_cast<std::size_t>(std::ranges::find(kFirst, group) - std::begin(kFirst));
}

bool TakesWords(const CLI::Option& option) {
  return option.get_expected_max() == CLI::detail::expected_max_vector_size;
}

std::vector<std::string> ChannelNames() {
  std::vector<std::string> names;
  for (const ColorSpace& space : ColorSpaces())
    for (const std::string_view name : std::span(space.channels).first(space.dimension))
      if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  return names;
}

// The values for which a name with capitals stands.
std::vector<std::string> WordsOf(std::string_view name, const CLI::App& verb) {
  std::vector<std::string> words;
  const auto take = [&words](const auto& names) { words.assign(names.begin(), names.end()); };
  if (name == "KIND") take(KindNames());
  if (name == "SPACE")
    for (const ColorSpace& space : ColorSpaces()) words.emplace_back(space.name);
  if (name == "CHANNEL") take(ChannelNames());
  if (name == "OUTPUT") take(OutputNames());
  if (name == "VERB")
    for (const CLI::App* other : VerbsOf(*verb.get_parent())) words.push_back(other->get_name());
  return words;
}

// The pattern of the files for which a name stands, or empty.
std::string PatternOf(std::string_view name) {
  if (name == "FILE" || name == "INPUT" || name == "SOURCE") return "*";
  if (name == "MODEL" || name == "PART") return "*.json";
  if (name.starts_with("FILE.")) return "*" + std::string(name.substr(4));
  return "";
}

void AddPart(std::string_view part, const CLI::App& verb, Offer& offer) {
  const bool capitals = std::ranges::any_of(part, [](unsigned char c) { return std::isupper(c); });
  if (!capitals) return offer.words.emplace_back(part), void();
  const std::string_view name = part.substr(0, part.find(','));
  for (const std::string& word : WordsOf(name, verb)) offer.words.push_back(word);
  if (const std::string pattern = PatternOf(name); !pattern.empty()) offer.files.push_back(pattern);
  offer.folders |= name == "DIR" || name == "INPUT";
}

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

// The placeholder of a value, on two lines if it is too long.
std::string Broken(std::string value, std::size_t width) {
  if (value.size() <= width) return value;
  const std::size_t bar = value.rfind('|', width);
  return bar == value.npos ? value : value.insert(bar + 1, "\n      ");
}

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(int descriptor) : columns_(ColumnsOf(descriptor)) {
    // On a narrow terminal half of the width remains for the descriptions.
    column_width(std::min<std::size_t>(get_column_width(), columns_ / 2 - 5));
    label("SUBCOMMAND", "VERB");
  }

  std::string make_description(const CLI::App* app) const override {
    return Wrapped(app->get_description(), columns_) + "\n";
  }

  std::string make_subcommand(const CLI::App* sub) const override {
    std::stringstream out;
    CLI::detail::format_help(out, sub->get_name(),
                             Wrapped(sub->get_description(), columns_ - get_column_width()),
                             get_column_width());
    return out.str();
  }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string groups;
    for (const auto& [heading, options] : GroupsOf(*app))
      groups += make_group(heading, false, options);
    return make_description(app) + make_usage(app, name) + make_positionals(app) + groups +
           make_subcommands(app, mode) + "\n" + app->get_footer() + "\n";
  }

  // Wrapped text; CLI11 indents its lines like the first one.
  std::string make_option_desc(const CLI::Option* option) const override {
    return Wrapped(TextOf(*option), columns_ - get_column_width());
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    constexpr std::size_t kFlags = 12;  // approximate width of the flags
    const std::string value = Broken(ValueOf(*option), columns_ - kFlags);
    return (value.empty() ? "" : " " + value) + (option->get_required() ? " REQUIRED" : "");
  }

 private:
  std::size_t columns_;
};

}  // namespace

std::vector<const CLI::App*> VerbsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<OptionsOfGroup> GroupsOf(const CLI::App& verb) {
  std::vector<std::string> headings = verb.get_groups();
  std::ranges::stable_sort(headings, {}, Rank);
  std::vector<OptionsOfGroup> groups;
  for (const std::string& heading : headings) {
    std::vector<const CLI::Option*> options =
        verb.get_options([&heading](const CLI::Option* option) {
          return option->get_group() == heading && option->nonpositional();
        });
    if (!heading.empty() && !options.empty()) groups.push_back({heading, std::move(options)});
  }
  return groups;
}

std::vector<const CLI::Option*> ArgumentsOf(const CLI::App& verb) {
  return verb.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<std::string> FlagsOf(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  return flags;
}

std::string ValueOf(const CLI::Option& option) {
  if (option.get_expected_max() == 0) return "";  // a flag
  return option.get_type_name() + (TakesWords(option) ? " ..." : "");
}

std::string TextOf(const CLI::Option& option) {
  std::string text = option.get_description();
  std::string value = option.get_default_str();
  // A list, which may be wrapped between its words.
  if (value.starts_with('[') && value.ends_with(']'))
    value = CLI::detail::find_and_replace(value.substr(1, value.size() - 2), ",", ", ");
  if (!value.empty()) text += " (default: " + value + ")";
  std::string excluded;
  for (const std::string& name : ExcludedBy(option)) excluded += " " + name;
  return excluded.empty() ? text : text + " (excludes" + excluded + ")";
}

std::set<std::string> ExcludedBy(const CLI::Option& option) {
  std::set<std::string> names;  // sorted, because CLI11 orders them by address
  for (const CLI::Option* other : option.get_excludes()) names.insert(other->get_name());
  return names;
}

Offer OfferOf(const CLI::App& verb, const CLI::Option& option) {
  Offer offer;
  offer.value = option.get_expected_max() != 0;
  if (!offer.value) return offer;
  offer.several = TakesWords(option) && option.get_allow_extra_args();
  offer.list = option.get_delimiter() == ',';
  std::string name = option.get_type_name();
  if (name.starts_with('[')) name = name.substr(1, name.size() - 2);
  for (const std::string& part : CLI::detail::split(name, '|')) AddPart(part, verb, offer);
  return offer;
}

std::shared_ptr<CLI::FormatterBase> FormatterOfHelp(int descriptor) {
  return std::make_shared<HelpFormatter>(descriptor);
}

}  // namespace skinmask::cli
