// What man pages say beyond summaries and flags. docs/cli.md is the whole of it.
#pragma once

#include <span>
#include <string_view>

namespace skinmask::cli {

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
