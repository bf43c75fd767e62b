// Printable makes untrusted text safe to show on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

// The most bytes of one text in a line for people: more than the longest Error has.
inline constexpr std::size_t kMaxOfLine = 2000;

// The text as one line of at most `most` bytes, if `most` is 200 or more. Line breaks become
// spaces. Control characters, Unicode marks of writing direction, and bytes that are not UTF-8
// become '?', so that a file's name cannot control the terminal that shows it. A longer text loses
// its middle.
std::string Printable(std::string_view text, std::size_t most = std::string_view::npos);

// The first bytes of the text, at most `most`, cut at a character boundary.
inline std::string_view StartOf(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

bool IsUtf8(std::string_view text);

// JSON text with those control characters replaced by JSON escapes, which mean the same. Line
// breaks of the layout stay.
std::string WithOrdersEscaped(std::string json);

}  // namespace skinmask
