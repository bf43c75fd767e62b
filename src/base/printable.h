// Printable makes text of strangers safe to show on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

// What a line for people has of one text at most: more than the longest Error.
inline constexpr std::size_t kMaxOfLine = 2000;

// The text as one line of at most `most` bytes, where that is 200 or more. Line breaks become
// spaces; control characters, marks that turn the direction of writing, and bytes that are no UTF-8
// become '?', so that a file's name cannot give orders to the terminal that shows it. Longer text
// loses its middle.
std::string Printable(std::string_view text, std::size_t most = std::string_view::npos);

// At most so many bytes of it, as far as whole characters go.
inline std::string_view StartOf(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

bool IsUtf8(std::string_view text);

// JSON with such characters as escapes, which mean the same. Its own line breaks stay.
std::string WithOrdersEscaped(std::string json);

}  // namespace skinmask
