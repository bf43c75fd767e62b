#include "pipeline/bytes_as_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <nettle/version.h>

#include <array>
#include <cstdint>

#include "skinmask/base/error.h"

namespace skinmask {
namespace {

const std::uint8_t* BytesOf(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

}  // namespace

std::string Base64(std::string_view bytes) {
  std::string text(BASE64_ENCODE_RAW_LENGTH(bytes.size()), '\0');
  base64_encode_raw(text.data(), bytes.size(), BytesOf(bytes));
  return text;
}

std::string FromBase64(std::string_view text) {
  std::string bytes(BASE64_DECODE_LENGTH(text.size()), '\0');
  std::size_t size = 0;
  base64_decode_ctx decoder;
  base64_decode_init(&decoder);
  base64_decode_update(&decoder, &size, reinterpret_cast<std::uint8_t*>(bytes.data()), text.size(),
                       text.data());
  bytes.resize(size);
  if (Base64(bytes) == text) return bytes;  // what the decoder refuses or ignores differs
  throw Error("text", "is not base64");
}

std::string Sha256(std::string_view bytes) {
  sha256_ctx context;
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), BytesOf(bytes));
#if NETTLE_VERSION_MAJOR >= 4
  sha256_digest(&context, digest.data());
#else
  sha256_digest(&context, digest.size(), digest.data());
#endif
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace skinmask
