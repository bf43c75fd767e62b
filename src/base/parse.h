// Parsing of numbers and lists. A text is either a number as a whole or an error, in every locale.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace [[gnu::visibility("default")]] skinmask {

// Parses the whole text as std::from_chars does: no blanks, no '+', independent of the locale.
// Absent if characters are left over or the number does not fit into T.
template <class T>
std::optional<T> ParseNumber(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Converts A to Z only. std::tolower depends on the locale: in a Turkish one "TIFF" does not become
// "tiff".
inline std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

// Compares without regard to case.
inline bool SameName(std::string_view a, std::string_view b) {
  return LowerCase(a) == LowerCase(b);
}

// The text without a UTF-8 byte order mark, with which Windows begins text files.
inline std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.substr(text.starts_with(kMark) ? kMark.size() : 0);
}

// The parts between separators; the whole text if it has no separator.
inline std::vector<std::string> Parts(std::string_view text, char separator) {
  std::vector<std::string> parts;
  parts.reserve(static_cast<std::size_t>(std::ranges::count(text, separator)) + 1);
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Parses a list such as "3,4,5"; absent if a part is not a number.
template <class T>
std::optional<std::vector<T>> ParseNumbers(std::string_view text, char separator) {
  std::vector<T> numbers;
  for (const std::string& part : Parts(text, separator)) {
    const std::optional<T> number = ParseNumber<T>(part);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace skinmask
