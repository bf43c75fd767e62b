// PNG files: checked before they are decoded, written fast.
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <string_view>

namespace skinmask {

bool IsPng(std::string_view bytes);

// Checks that every chunk is there with the right CRC up to IEND, and leaves out those that do not
// change pixels: libpng prints its complaints about them, and a library must not. Throws Error.
std::string CheckedPng(std::string_view png, std::string_view subject);

}  // namespace skinmask
