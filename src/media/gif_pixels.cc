#include "media/gif_pixels.h"

#include <array>
#include <cstddef>

namespace skinmask {
namespace {

constexpr int kMaxBits = 12;

// Codes of a growing number of bits, the lowest first, from sub-blocks, each led by its length.
class Codes {
 public:
  explicit Codes(std::string_view data) : data_(data) {}
  // False at the end of the data.
  bool Next(int bits, std::uint32_t& code) {
    for (; held_ < bits; held_ += 8) {
      std::uint32_t byte = 0;
      if (left_ == 0 && (!NextByte(left_) || left_ == 0)) return false;
      if (!NextByte(byte)) return false;
      --left_;
      bits_ |= byte << held_;
    }
    code = bits_ & ((1u << bits) - 1);
    bits_ >>= bits;
    held_ -= bits;
    return true;
  }

 private:
  bool NextByte(std::uint32_t& byte) {
    if (at_ == data_.size()) return false;
    byte = static_cast<std::uint8_t>(data_[at_++]);
    return true;
  }

  std::string_view data_;
  std::size_t at_ = 0;
  std::uint32_t left_ = 0, bits_ = 0;  // of the sub-block; not yet read
  int held_ = 0;
};

// How many pixels each code stands for, which is all of the table that counting takes.
class Table {
 public:
  explicit Table(int size) : clear_(1u << size), size_(size) { Clear(); }
  bool IsClear(std::uint32_t code) const { return code == clear_; }
  int bits() const { return bits_; }
  void Clear() {
    next_ = clear_ + 2;  // behind the code of the end
    bits_ = size_ + 1;
    previous_ = 0;
  }
  // The pixels of a code; 0 for the end, and for codes that there are not.
  int Take(std::uint32_t code) {
    int pixels = 0;
    if (code < clear_)
      pixels = 1;
    else if (code > clear_ + 1 && code < next_)
      pixels = pixels_[code];
    else if (code == next_ && previous_ > 0)
      pixels = previous_ + 1;
    if (pixels == 0) return 0;
    if (previous_ > 0 && next_ < pixels_.size()) pixels_[next_++] = previous_ + 1;
    if (next_ == 1u << bits_ && bits_ < kMaxBits) ++bits_;
    previous_ = pixels;
    return pixels;
  }

 private:
  std::array<int, 1 << kMaxBits> pixels_{};
  std::uint32_t clear_, next_ = 0;
  int size_, bits_ = 0, previous_ = 0;
};

}  // namespace

bool HoldsGifPixels(std::string_view data, std::int64_t pixels) {
  if (data.empty() || data[0] < 1 || data[0] >= kMaxBits) return false;
  Table table(data[0]);
  Codes codes(data.substr(1));
  for (std::uint32_t code = 0; pixels > 0 && codes.Next(table.bits(), code);) {
    if (table.IsClear(code)) {
      table.Clear();
      continue;
    }
    const int taken = table.Take(code);
    if (taken == 0) return false;
    pixels -= taken;
  }
  return pixels <= 0;
}

}  // namespace skinmask
