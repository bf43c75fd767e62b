#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/parse.h"
#include "media/image_codec.h"
#include "skinmask/base/error.h"
#include "skinmask/media/image.h"

namespace skinmask {
namespace {

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Reads the next number of a PNM header, after white space and comments ('#' to the end of the
// line). White space must follow, because OpenCV skips any character there.
std::optional<std::int64_t> NextNumber(std::string_view& header) {
  while (!header.empty() && (IsSpace(header[0]) || header[0] == '#'))
    header.remove_prefix(header[0] == '#' ? std::min(header.find_first_of("\r\n"), header.size())
                                          : 1);
  const std::size_t digits = std::min(header.find_first_not_of("0123456789"), header.size());
  const auto number = ParseNumber<std::int32_t>(header.substr(0, digits));
  header.remove_prefix(digits);
  if (header.empty() || !IsSpace(header[0])) return std::nullopt;
  return number;
}

}  // namespace

bool IsPnm(std::string_view bytes) {
  return bytes.size() >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
         IsSpace(bytes[2]);
}

ImageHeader PnmHeader(std::string_view bytes, std::string_view subject) {
  bytes.remove_prefix(2);
  const auto width = NextNumber(bytes), height = NextNumber(bytes);
  if (!width || !height) FailUnknownImage(subject);
  return {.size = {*width, *height}};
}

std::string UnscaledPnm(std::string_view bytes) {
  std::string_view left = bytes.substr(2);
  const bool has_bits = bytes[1] == '1' || bytes[1] == '4';
  const bool has_size = NextNumber(left) && NextNumber(left);
  const auto most = has_size && !has_bits ? NextNumber(left) : std::nullopt;
  if (!most || *most <= 0) return std::string(bytes);
  const std::string_view before = bytes.substr(0, bytes.size() - left.size());
  const std::string_view head = before.substr(0, before.find_last_not_of("0123456789") + 1);
  return fmt::format("{}{}{}", head, *most > UINT8_MAX ? UINT16_MAX : UINT8_MAX, left);
}

std::string ScaledPnm(std::string_view bytes, std::string_view subject,
                      const DecodeOptions& options) {
  std::string_view left = bytes.substr(2);
  NextNumber(left);
  NextNumber(left);
  const bool is_binary = bytes[1] == '5' || bytes[1] == '6',
             has_bits = bytes[1] == '1' || bytes[1] == '4';
  const std::int64_t most = has_bits ? 1 : NextNumber(left).value_or(0);
  const std::size_t size = most > UINT8_MAX ? 2 : 1;
  const std::int64_t whole = size == 2 ? UINT16_MAX : UINT8_MAX;
  const std::size_t start = bytes.size() - left.size() + 1;
  const auto are_bytes = [&] {
    for (std::size_t at = start; at < bytes.size(); at += 2)
      if (bytes[at] != 0) return false;
    return true;
  };
  const bool is_scaled = has_bits || (size == 1 && (!is_binary || options.keep_grey)) ||
                         (most >= 512 && options.keep_depth && is_binary && are_bytes());
  if (is_scaled || most <= 0 || most >= whole) {
    // OpenCV wants white space behind the last number, too.
    const bool lacks_end = !is_binary && bytes[1] != '4' && !IsSpace(bytes.back());
    return lacks_end ? std::string(bytes) + "\n" : std::string();
  }
  if (!is_binary)
    throw Error(subject, fmt::format("is a PNM of text whose greatest value is {} (up to 255, or "
                                     "65535)",
                                     most));
  std::vector<std::uint16_t> scaled;
  for (std::int64_t value = 0; value <= whole; ++value)
    scaled.push_back(static_cast<std::uint16_t>((std::min(value, most) * whole + most / 2) / most));
  std::string file(bytes);
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(file[at]); };
  for (std::size_t at = start; at + size <= file.size(); at += size) {
    const unsigned value = scaled[size == 1 ? byte(at) : 256u * byte(at) + byte(at + 1)];
    if (size == 2) file[at] = static_cast<char>(value >> 8);  // big-endian
    file[at + size - 1] = static_cast<char>(value);
  }
  return file;
}

}  // namespace skinmask
