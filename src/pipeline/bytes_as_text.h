// Encodes bytes as base64 (RFC 4648) or computes their digest (FIPS 180-4).
#pragma once

#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

std::string Base64(std::string_view bytes);
// Throws Error for a text that Base64 does not produce.
std::string FromBase64(std::string_view text);

// The SHA-256 digest, as 64 hexadecimal digits.
std::string Sha256(std::string_view bytes);

}  // namespace skinmask
