// The pages of `man`, made of the flags.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

namespace skinmask::cli {

// In troff: that of the program, or that of one of its verbs.
std::string ManPage(const CLI::App& app);
std::string ManPageOfVerb(const CLI::App& verb);

struct Paragraph {
  std::string_view head, text;
};

// What the verb does; and the verbs that come before or after it in practice.
std::string_view DescriptionOf(std::string_view verb);
std::span<const std::string_view> RelatedTo(std::string_view verb);

std::string_view ProgramDescription();
std::span<const Paragraph> ExitStatuses();
std::span<const Paragraph> Variables();

}  // namespace skinmask::cli
