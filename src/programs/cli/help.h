// Makes the help from the flags: as text, as pages of `man`, and as completions for shells.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace skinmask::cli {

// The verbs of the program, in their order.
std::vector<const CLI::App*> VerbsOf(const CLI::App& app);

struct OptionsOfGroup {
  std::string heading;
  std::vector<const CLI::Option*> options;
};
// Groups of options, in one order for all verbs, from input to output.
std::vector<OptionsOfGroup> GroupsOf(const CLI::App& verb);
// Positional arguments.
std::vector<const CLI::Option*> ArgumentsOf(const CLI::App& verb);

// "-q", "--quiet"; empty for an argument.
std::vector<std::string> FlagsOf(const CLI::Option& option);
// The placeholder of the value: "FILE", "A,B ..."; empty for a flag without a value.
std::string ValueOf(const CLI::Option& option);
// The description, with the default and the names of excluded options.
std::string TextOf(const CLI::Option& option);
std::set<std::string> ExcludedBy(const CLI::Option& option);

// What completions offer for the value of an option. It is derived from the placeholder of the
// value in the help, whose parts are separated by |. A part without capitals is a literal value. A
// part with capitals stands for a kind of value: FILE, FILE.csv (with that extension), DIR, and the
// names in help.cc. Others (N, PATTERN) are not completed.
struct Offer {
  bool value = false;    // the option takes a value
  bool several = false;  // the option takes more words after that
  bool list = false;     // words are joined by commas
  std::vector<std::string> words;
  std::vector<std::string> files;  // shell patterns of names
  bool folders = false;            // folders are values, not only steps to files
};
Offer OfferOf(const CLI::App& verb, const CLI::Option& option);

// CLI11's text help, with lines for the width of the terminal of `descriptor` (COLUMNS in the
// environment, or the size that the terminal reports), at most 100 columns. If it is not a
// terminal: 100 columns.
std::shared_ptr<CLI::FormatterBase> FormatterOfHelp(int descriptor);

// In troff: the page of the program, and that of a verb.
std::string ManPage(const CLI::App& app);
std::string ManPageOfVerb(const CLI::App& verb);

// A completion script with every verb, option and value: its head, a part for each verb, and its
// tail.
struct Shell {
  const char* name;
  std::string (*head)(const CLI::App& app);
  std::string (*part)(const CLI::App& verb);
  const char* tail;
};
extern const Shell kBash, kZsh, kFish;

}  // namespace skinmask::cli
