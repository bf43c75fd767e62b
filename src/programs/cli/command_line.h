// Handles the words of the command line: preparation for the parser, errors of the parser, and
// options that have no effect because of other options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "programs/cli/context.h"

namespace skinmask::cli {

struct CommandLine {
  std::vector<std::string> words;  // after the program's name
  std::string after_json;          // the word after --json, if it counts as an input
  std::string json_file;           // ... if it counts as the file
  std::string without_value;       // an option that takes no value, and has one
};

// Reads the words; there must be at least one. `skinmask --version` becomes the verb `version`;
// --json without a file gets the value -, and --csv= an empty text.
CommandLine ReadCommandLine(const CLI::App& app, int argc, char** argv);

// Records the given options by their long names with their values; a list if there are several.
// Options with kChangesNoResult (verb.h) do not count as determining the results.
void NoteOptions(const CLI::App& verb, Context& context);

// Throws UsageError, with the nearest verb, if `word` is not a verb of the program.
void RequireVerb(const CLI::App& app, const std::string& word);

// The message for a command (a verb, or the app itself) that could not be parsed. For an unknown
// option it names the nearest known one.
std::string ProblemOf(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error);

// Throws UsageError for a given option that has no effect because of another one, so that nobody
// believes that it was obeyed. docs/cli.md, 'Options that need others', has the list.
void RequireNoInapplicableOption(const CLI::App& verb);

// Throws UsageError for a value of an option that takes none; for inputs that were probably meant
// as the value of an option: `--output mask overlay`, `--json out`; and for a file of --json that
// was probably meant as an input.
void RequireWordsInPlace(const CLI::App& verb, const CommandLine& line);

}  // namespace skinmask::cli
