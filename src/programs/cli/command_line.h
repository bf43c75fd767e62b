// The words of the command line: before the parser has them, where it does not understand them, and
// where it does, and they are not meant: options that do nothing beside others.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "programs/cli/context.h"

namespace skinmask::cli {

struct CommandLine {
  std::vector<std::string> words;  // behind the program's name
  std::string after_json;          // the word behind --json, where that is taken for an input
};

// Of a program with at least one word: `skinmask --version` is the verb `version`; --json
// without a file gets - for one, and --csv= an empty text.
CommandLine ReadCommandLine(const CLI::App& app, int argc, char** argv);

// Notes the options that were given, by their long names: what was said of each, a list where it
// was more than one thing. Those that decide results are all but Aside() (verb.h).
void NoteOptions(const CLI::App& verb, Context& context);

// Throws UsageError where `word` is no verb of the program; it names the nearest.
void RequireVerb(const CLI::App& app, const std::string& word);

// The line about a command that could not be parsed, a verb of the app or the app itself; of an
// option that there is not, it names the nearest that there is.
std::string ProblemOf(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error);

// Throws UsageError for an option of the command line that another one makes void, so that nobody
// takes it for obeyed. docs/cli.md, 'Options that need others', has them all.
void RequireNoInapplicableOption(const CLI::App& verb);

// Throws UsageError for inputs that were meant as the value of an option: `--output mask overlay`,
// `--json out`. `after_json` is the word behind --json, if it was taken for an input.
void RequireWordsInPlace(const CLI::App& verb, const std::string& after_json);

}  // namespace skinmask::cli
