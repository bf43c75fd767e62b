// The first directory of a TIFF structure (TIFF 6.0, section 2), as TIFFs, raw files of cameras and
// EXIF data begin with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace skinmask {

class TiffDirectory {
 public:
  static constexpr std::size_t kShort = 3, kLong = 4, kRational = 5;  // types of values

  // Of what is no such structure it has no entry.
  explicit TiffDirectory(std::string_view bytes) : bytes_(bytes) {
    constexpr std::size_t kMagic = 42;
    big_endian_ = bytes_.starts_with("MM");
    if ((!big_endian_ && !bytes_.starts_with("II")) || Number(2, 2) != kMagic) return;
    start_ = Number(4, 4) + 2;
    count_ = Number(start_ - 2, 2);
  }

  // Where the first entry of this tag stands; 0 where there is none.
  std::size_t Find(std::size_t tag) const {
    constexpr std::size_t kEntry = 12;
    for (std::size_t i = 0, at = start_; i < count_; ++i, at += kEntry)
      if (Number(at, 2) == tag) return at;
    return 0;
  }
  std::size_t TypeOf(std::size_t entry) const { return Number(entry + 2, 2); }
  std::size_t CountOf(std::size_t entry) const { return Number(entry + 4, 4); }

  // The number of `count` bytes there; 0 beyond the end.
  std::size_t Number(std::size_t at, std::size_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) return 0;
    std::size_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
      value =
          value << 8 | static_cast<std::uint8_t>(bytes_[at + (big_endian_ ? i : count - 1 - i)]);
    return value;
  }

 private:
  std::string_view bytes_;
  bool big_endian_ = false;
  std::size_t start_ = 0, count_ = 0;
};

}  // namespace skinmask
