#include "pipeline/base64.h"

#include <openssl/evp.h>

#include "skinmask/base/error.h"

namespace skinmask {

std::string Base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  text.pop_back();  // the block ends in a NUL
  return text;
}

std::string FromBase64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = text.size() % 4 != 0 || text.size() > (1u << 30)
                       ? -1
                       : EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                         reinterpret_cast<const unsigned char*>(text.data()),
                                         static_cast<int>(text.size()));
  if (size >= 0) {
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
    bytes.resize(bytes.size() - padding);  // which the decoder takes for zeros
    if (Base64(bytes) == text) return bytes;
  }
  throw Error("text", "is not base64");
}

}  // namespace skinmask
