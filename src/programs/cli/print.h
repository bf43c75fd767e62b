// Results on standard output, and how numbers look there.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/printable.h"

namespace skinmask::cli {

// Text as it is, JSON and what draws on a terminal. What cannot be written to standard error is
// lost, and the work goes on; of standard output it shows at the end (RequireOutputWritten), where
// it blames no photograph.
inline void PrintExactly(std::string_view text, std::FILE* to) {
  std::fwrite(text.data(), 1, text.size(), to);
}

// Lines for people: names in them may be a stranger's, and give the terminal no orders.
template <class... Arguments>
void Print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  PrintExactly(PrintableText(fmt::format(format, std::forward<Arguments>(arguments)...)), stdout);
}
template <class... Arguments>
void PrintError(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  PrintExactly(PrintableText(fmt::format(format, std::forward<Arguments>(arguments)...)), stderr);
}

// A score, or "-" for 0/0.
inline std::string Shown(const std::optional<double>& value, int decimals = 6) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "-";
}

}  // namespace skinmask::cli
