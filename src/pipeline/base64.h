// Bytes as text (RFC 4648).
#pragma once

#include <string>
#include <string_view>

namespace skinmask {

std::string Base64(std::string_view bytes);
// Throws Error for what Base64 does not write.
std::string FromBase64(std::string_view text);

}  // namespace skinmask
