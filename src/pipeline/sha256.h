// SHA-256 (FIPS 180-4).
#pragma once

#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

// The digest, as 64 hexadecimal digits.
std::string Sha256(std::string_view bytes);

}  // namespace skinmask
