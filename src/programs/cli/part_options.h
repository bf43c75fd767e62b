// The options of a run in parts: what of the command line goes into the file of a part, and back.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"

namespace skinmask::cli {

// Of the options that were given those that decide the result: not where it goes to, how the run
// is done and watched, and which part of it.
Json DecidingOptions(const Json& given);
// Throws UsageError for a deciding option beside --partials, but for those of `allowed`.
void RequirePartsAlone(const Json& given, const std::vector<std::string>& allowed);
// Throws Error for options of a part, of `file`, that are none of a closed list: nobody but the
// command line says where results go.
void RequireDeciding(const Json& options, const std::string& file);
// Lets the verb that `add` gives parse deciding options as if they stood on the command line, and
// returns them in the order that it declares. Throws Error for what is none of it, or means another
// option or value than it says; `file` had them.
Json ParseOptions(const std::function<CLI::App*(CLI::App&)>& add, const Json& options,
                  const std::string& file);

// Throws Error for paths of a part, of `file`, that are all of the machine, or neither a file nor a
// folder (a device, a pipe). Empty ones, and those that are not there, are left to their readers.
void RequirePlainPaths(const std::vector<std::filesystem::path>& paths, const std::string& file);
// The paths in a line for people, without those that are empty: "a, b". Whatever lengthens them to
// no end (a/../a) is left out.
std::string NamesOf(const std::vector<std::filesystem::path>& paths);

}  // namespace skinmask::cli
