// The pages of `man`, made of the flags.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace skinmask::cli {

// In troff: that of the program, or that of one of its verbs.
std::string ManPage(const CLI::App& app);
std::string ManPageOfVerb(const CLI::App& verb);

}  // namespace skinmask::cli
