// The segments of a JPEG before its pixels (ITU T.81, annex B).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace skinmask {

// Calls see(marker, content) for each whole one, up to the pixels or until that returns false. Of
// what is no JPEG there are none.
template <class See>
void ForJpegSegments(std::string_view jpeg, const See& see) {
  constexpr int kStart = 0xFF, kStartOfScan = 0xDA;
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(jpeg[at]); };
  if (!jpeg.starts_with("\xFF\xD8")) return;
  for (std::size_t at = 2; at + 4 <= jpeg.size() && byte(at) == kStart;) {
    const int marker = byte(at + 1);
    if (marker == kStart) {  // a fill byte
      ++at;
      continue;
    }
    if (marker == kStartOfScan) return;
    const std::size_t length = std::size_t{byte(at + 2)} << 8 | byte(at + 3);
    const std::string_view segment = jpeg.substr(at + 2, length);
    if (segment.size() == length && length >= 2 && !see(marker, segment.substr(2))) return;
    at += 2 + length;
  }
}

}  // namespace skinmask
