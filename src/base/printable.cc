#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace skinmask {
namespace {

constexpr char32_t kInvalid = 0xFFFFFFFF;  // the code of a byte that begins no valid character

struct Character {
  std::size_t length;  // in bytes
  char32_t code;
};

// Decodes the first character of `text` as UTF-8 by RFC 3629: shortest form only, no surrogates.
Character FirstOf(std::string_view text) {
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto first = static_cast<std::uint8_t>(text[0]);
  if (first < 0x80) return {1, first};
  const auto length = static_cast<std::size_t>(std::countl_one(first));
  if (length < 2 || length > 4 || length > text.size()) return {1, kInvalid};
  char32_t code = first & (0xFF >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<std::uint8_t>(text[i]);
    if ((next & 0xC0) != 0x80) return {1, kInvalid};
    code = code << 6 | (next & 0x3F);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[length] || code > 0x10FFFF || surrogate) return {1, kInvalid};
  return {length, code};
}

// True for C0 and C1 controls, line separators, and marks of writing direction (Unicode TR 9).
bool IsOrder(char32_t code) {
  const auto within = [code](char32_t low, char32_t high) { return code >= low && code <= high; };
  return code < 0x20 || within(0x7F, 0x9F) || code == 0x61C || within(0x200E, 0x200F) ||
         within(0x2028, 0x202E) || within(0x2066, 0x2069);
}

std::string Cleaned(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const auto [length, code] = FirstOf(text);
    if (text[0] == '\n' || text[0] == '\r')
      clean += ' ';
    else if (code == kInvalid || IsOrder(code))
      clean += '?';
    else
      clean += text.substr(0, length);
    text.remove_prefix(length);
  }
  return clean;
}

}  // namespace

std::string Printable(std::string_view text, std::size_t most) {
  constexpr std::size_t kEnd = 150;  // keeps the file's name at the end of a path
  constexpr std::string_view kGap = " ... ";
  if (text.size() <= most) return Cleaned(text);
  return Cleaned(StartOf(text, most - kEnd - kGap.size())).append(kGap) +
         Cleaned(text.substr(text.size() - kEnd));
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const auto [length, code] = FirstOf(text);
    if (code == kInvalid) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string WithOrdersEscaped(std::string json) {
  const auto may_be_order = [](char c) { return static_cast<std::uint8_t>(c) >= 0x7F; };
  if (std::ranges::none_of(json, may_be_order)) return json;
  std::string escaped;
  escaped.reserve(json.size());
  for (std::string_view left = json; !left.empty();) {
    const auto [length, code] = FirstOf(left);
    if (may_be_order(left[0]) && IsOrder(code))
      escaped += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
    else
      escaped += left.substr(0, length);
    left.remove_prefix(length);
  }
  return escaped;
}

}  // namespace skinmask
