// Text of strangers on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

// The text as one line of at most about `most` bytes. Line breaks become spaces; control
// characters, marks that turn the direction of writing, and bytes that are no UTF-8 become '?', so
// that a file's name cannot give orders to the terminal that shows it. Longer text loses its
// middle.
std::string Printable(std::string_view text, std::size_t most = std::string_view::npos);

// The same of text in lines, which it keeps.
std::string PrintableText(std::string_view text);

}  // namespace skinmask
