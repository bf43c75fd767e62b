#include "pipeline/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "skinmask/base/error.h"

namespace skinmask {

std::string Sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw Error("SHA-256", "is not available in this OpenSSL");
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace skinmask
