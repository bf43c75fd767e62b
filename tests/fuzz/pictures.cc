#include "fuzz/pictures.h"

#include <array>

namespace skinmask::fuzz {
namespace {

// ISO 3309, as in the PNG specification's annex D.
std::uint32_t Crc(std::string_view bytes) {
  static const auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t n = 0; n < 256; ++n) {
      std::uint32_t c = n;
      for (int bit = 0; bit < 8; ++bit) c = c & 1 ? 0xEDB88320 ^ c >> 1 : c >> 1;
      table[n] = c;
    }
    return table;
  }();
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char c : bytes) crc = kTable[(crc ^ static_cast<std::uint8_t>(c)) & 255] ^ crc >> 8;
  return ~crc;
}

}  // namespace

std::string WithRightSums(std::string_view png) {
  std::string right(png);
  const std::string_view view = right;
  for (std::size_t at = 8; at + 12 <= right.size();) {
    const std::uint64_t length = BigEndian(view.substr(at, 4));
    if (length > right.size() - at - 12) break;
    const std::size_t end = at + 8 + static_cast<std::size_t>(length);
    const std::uint32_t crc = Crc(view.substr(at + 4, static_cast<std::size_t>(length) + 4));
    for (std::size_t i = 0; i < 4; ++i) right[end + i] = static_cast<char>(crc >> 8 * (3 - i));
    at = end + 4;
  }
  return right;
}

}  // namespace skinmask::fuzz
