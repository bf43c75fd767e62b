#include "programs/cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>
#include <vector>

#include "programs/cli/man_text.h"
#include "programs/cli/option_words.h"
#include "skinmask/base/version.h"

namespace skinmask::cli {
namespace {

// What troff shows as this text, also at the beginning of a line. Hyphens stay those of a shell.
std::string Literal(std::string_view text) {
  std::string escaped = text.starts_with('.') ? "\\&" : "";
  for (const char c : text) {
    constexpr std::string_view kSpecial = "\\-'\"`^~";
    constexpr std::string_view kEscapes[] = {"\\e",   "\\-",   "\\(aq", "\\(dq",
                                             "\\(ga", "\\(ha", "\\(ti"};
    const std::size_t at = kSpecial.find(c);
    at == kSpecial.npos ? escaped += c : escaped += kEscapes[at];
  }
  return escaped;
}

std::string Bold(std::string_view text) { return "\\fB" + Literal(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Literal(text) + "\\fR"; }

// Takes what stands before the first of these off a text, or all of it.
std::string_view Take(std::string_view& text, std::string_view dividers) {
  const std::string_view part = text.substr(0, text.find_first_of(dividers));
  text.remove_prefix(part.size());
  return part;
}

// What stands between ` ` is of a command line.
std::string Prose(std::string_view text) {
  std::string troff = Literal(Take(text, "`"));
  while (!text.empty()) {
    text.remove_prefix(1);
    troff += Bold(Take(text, "`"));
    if (!text.empty()) text.remove_prefix(1);
    troff += Literal(Take(text, "`"));
  }
  return troff;
}

// "auto|FILE ...": words as they are typed, and in capitals names of what is meant.
std::string Value(std::string_view value) {
  std::string troff;
  while (!value.empty()) {
    const std::string_view part = Take(value, "| []");
    const bool name = std::ranges::any_of(part, [](unsigned char c) { return std::isupper(c); });
    if (!part.empty()) troff += name ? Italic(part) : part == "..." ? "..." : Bold(part);
    if (value.empty()) break;
    troff += value[0];
    value.remove_prefix(1);
  }
  return troff;
}

std::string Item(const std::string& head, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", head, Prose(text));
}

std::string OptionItem(const CLI::Option& option) {
  std::string head;
  for (const std::string& flag : FlagsOf(option)) head += (head.empty() ? "" : ", ") + Bold(flag);
  const std::string value = Value(ValueOf(option));
  return Item(head + (value.empty() ? "" : " " + value),
              TextOf(option) + (option.get_required() ? " (required)" : ""));
}

std::string OptionsSection(const CLI::App& verb) {
  std::string text = ".SH OPTIONS\n";
  for (const CLI::Option* option : ArgumentsOf(verb))
    text += Item(Value(ValueOf(*option)), TextOf(*option));
  for (const auto& [heading, options] : GroupsOf(verb)) {
    text += fmt::format(".SS {}\n", heading);
    for (const CLI::Option* option : options) text += OptionItem(*option);
  }
  return text;
}

std::string Title(std::string name, const std::string& summary) {
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(
      ".\\\" Made by `skinmask help --as man`, of the flags.\n"
      ".TH {} 1 \"\" \"skinmask {}\" \"User Commands\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n",
      upper, kVersion, Literal(name), Prose(summary));
}

std::string Paragraphs(std::string_view heading, std::span<const Paragraph> paragraphs) {
  std::string text = fmt::format(".SH {}\n", heading);
  for (const Paragraph& paragraph : paragraphs) text += Item(Bold(paragraph.head), paragraph.text);
  return text;
}

// Those that end the help, as they stand.
std::string ExamplesOf(const CLI::App& command) {
  const std::string footer = command.get_footer();
  std::string text = ".SH EXAMPLES\n.nf\n";
  for (const std::string& line : CLI::detail::split(footer.substr(footer.find('\n') + 1), '\n'))
    text += Literal(CLI::detail::trim_copy(line)) + "\n";
  return text + ".fi\n";
}

std::string PageOf(std::string_view verb) {
  return Bold(verb.empty() ? "skinmask" : "skinmask-" + std::string(verb)) + "(1)";
}

}  // namespace

std::string ManPage(const CLI::App& app) {
  std::string text =
      Title("skinmask", "find human skin in images and videos") +
      ".SH SYNOPSIS\n\\fBskinmask\\fR \\fIVERB\\fR [\\fIOPTION\\fR ...] [\\fIINPUT\\fR ...]\n"
      ".SH DESCRIPTION\n" +
      Prose(ProgramDescription()) + "\n.SH VERBS\n";
  std::string pages;
  for (const CLI::App* verb : VerbsOf(app)) {
    text += Item(PageOf(verb->get_name()), verb->get_description());
    pages += (pages.empty() ? "" : ",\n") + PageOf(verb->get_name());
  }
  return text + OptionsSection(app) + ExamplesOf(app) + Paragraphs("EXIT STATUS", ExitStatuses()) +
         Paragraphs("ENVIRONMENT", Variables()) + ".SH SEE ALSO\n" + pages + "\n";
}

std::string ManPageOfVerb(const CLI::App& verb) {
  std::string usage = Bold("skinmask " + verb.get_name()) + " [\\fIOPTION\\fR ...]";
  for (const auto& [heading, options] : GroupsOf(verb))
    for (const CLI::Option* option : options)
      if (option->get_required())
        usage += " " + Bold(FlagsOf(*option).front()) + " " + Value(ValueOf(*option));
  for (const CLI::Option* option : ArgumentsOf(verb)) {
    const std::string value = Value(ValueOf(*option));
    usage += option->get_required() ? " " + value : " [" + value + "]";
  }
  std::string related = PageOf("");
  for (const std::string_view other : RelatedTo(verb.get_name())) related += ",\n" + PageOf(other);
  return Title("skinmask-" + verb.get_name(), verb.get_description()) + ".SH SYNOPSIS\n" + usage +
         "\n.SH DESCRIPTION\n" + Prose(DescriptionOf(verb.get_name())) + "\n" +
         OptionsSection(verb) + ExamplesOf(verb) + Paragraphs("EXIT STATUS", ExitStatuses()) +
         Paragraphs("ENVIRONMENT", Variables()) + ".SH SEE ALSO\n" + related + "\n";
}

}  // namespace skinmask::cli
