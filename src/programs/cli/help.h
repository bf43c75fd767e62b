// The help in its forms, a text, pages of `man` and completions for shells: all of it from the
// flags.
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
// Options that are given by their place.
std::vector<const CLI::Option*> ArgumentsOf(const CLI::App& verb);

// "-q", "--quiet"; of an argument nothing.
std::vector<std::string> FlagsOf(const CLI::Option& option);
// What stands behind the flags: "FILE", "A,B ...", of a flag without a value nothing.
std::string ValueOf(const CLI::Option& option);
// What it means, with its default and the names of what it excludes.
std::string TextOf(const CLI::Option& option);
std::set<std::string> ExcludedBy(const CLI::Option& option);

// What completions offer for the value of an option. It is read from the word that stands for the
// value in the help, whose parts are divided by |. A part without capitals is itself a value; one
// with capitals names what is meant: FILE, FILE.csv (of that extension), DIR, and those that
// help.cc lists. Others (N, PATTERN) are not completed.
struct Offer {
  bool value = false;    // the option takes one
  bool several = false;  // and more words after that
  bool list = false;     // words are joined by commas
  std::vector<std::string> words;
  std::vector<std::string> files;  // shell patterns of names
  bool folders = false;            // results, and not only ways to files
};
Offer OfferOf(const CLI::App& verb, const CLI::Option& option);

// The text: CLI11's, in lines that fit what `descriptor` leads to: a terminal's own width (COLUMNS
// in the environment, or what the terminal says), at most a hundred columns, which is also the
// width of all else.
std::shared_ptr<CLI::FormatterBase> FormatterOfHelp(int descriptor);

// In troff: the page of the program, or that of one of its verbs.
std::string ManPage(const CLI::App& app);
std::string ManPageOfVerb(const CLI::App& verb);

// A script that knows every verb, option and value: its head, a part for each verb, and its tail.
struct Shell {
  const char* name;
  std::string (*head)(const CLI::App& app);
  std::string (*part)(const CLI::App& verb);
  const char* tail;
};
extern const Shell kBash, kZsh, kFish;

}  // namespace skinmask::cli
