// Completions for shells: a script that knows every verb, option and value, made of the flags.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace skinmask::cli {

// A script is its head, a part for each verb, and its tail.
struct Shell {
  const char* name;
  std::string (*head)(const CLI::App& app);
  std::string (*part)(const CLI::App& verb);
  const char* tail;
};

extern const Shell kBash, kZsh, kFish;

// The first words of what an option means, for lists where each option has a line.
std::string BriefOf(const CLI::Option& option);

// True if an option takes several words. Those without an option of their own are then its values,
// which shells other than bash do not see.
bool AnyTakesSeveral(const CLI::App& verb);

}  // namespace skinmask::cli
