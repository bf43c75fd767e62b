// Results on standard output, and how numbers look there.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>

namespace skinmask::cli {

// Prints a result on standard output. Failures show at the end, where they blame no photograph.
template <class... Arguments>
void Print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

// A score, or "-" for 0/0.
inline std::string Shown(const std::optional<double>& value, int decimals = 6) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "-";
}

}  // namespace skinmask::cli
