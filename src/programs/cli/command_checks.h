// Commands that can be parsed and are not meant: options that do nothing beside others, and words
// that were taken for something else.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace skinmask::cli {

// Throws UsageError for an option of the command line that another one makes void, so that nobody
// takes it for obeyed. docs/cli.md, 'Options that need others', has them all.
void RequireNoInapplicableOption(const CLI::App& verb);

// Throws UsageError for inputs that were meant as the value of an option: `--output mask overlay`,
// `--json out`. `after_json` is the word behind --json, if it was taken for an input.
void RequireWordsInPlace(const CLI::App& verb, const std::string& after_json);

}  // namespace skinmask::cli
