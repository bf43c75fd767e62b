// A text is parsed as a number as a whole, or not at all, and in any locale alike.
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

// The number that `text` is, as std::from_chars reads it: no blanks, no '+', any locale. Absent
// where something is left over, and for what does not fit into T.
template <class T>
std::optional<T> ParseNumber(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A to Z alone: of std::tolower a locale decides, and in Turkish "TIFF" does not become "tiff".
inline std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

// Upper and lower case alike.
inline bool SameName(std::string_view a, std::string_view b) {
  return LowerCase(a) == LowerCase(b);
}

// A text without the mark of its order of bytes, with which Windows begins texts.
inline std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.substr(text.starts_with(kMark) ? kMark.size() : 0);
}

// What the separators divide: of a text without any, all of it.
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

// "3,4,5" into its numbers; absent where a part is none.
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
