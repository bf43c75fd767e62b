// Scratch is memory that is used again from image to image.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace [[gnu::visibility("default")]] skinmask {

// Uninitialised bytes for one thread at a time. Up to kMaxKeptBytes bytes stay for the next use,
// since fresh memory costs a tenth of a folder's time, and half as much again as was asked for is
// taken, since the next image may be a little larger; more than kMaxKeptBytes is given back at the
// next smaller use, or by Trim.
class Scratch {
 public:
  static constexpr std::size_t kMaxKeptBytes = std::size_t{64} << 20;

  // Room for `size` bytes, valid until the next call; what it held is lost.
  std::uint8_t* Get(std::size_t size) {
    if (size > size_ || (size_ > kMaxKeptBytes && size <= kMaxKeptBytes)) {
      bytes_.reset();
      size_ = 0;
      const std::size_t room =
          size > kMaxKeptBytes ? size : std::min(size + size / 2, kMaxKeptBytes);
      bytes_ = std::make_unique_for_overwrite<std::uint8_t[]>(room);
      size_ = room;
    }
    return bytes_.get();
  }

  // Gives back what is more than kMaxKeptBytes; what it held is lost then.
  void Trim() {
    if (size_ > kMaxKeptBytes) *this = Scratch();
  }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_ = 0;
};

// Trims at the end of a scope: what large pictures needed is not kept by threads that wait.
class ScratchTrim {
 public:
  explicit ScratchTrim(Scratch& scratch) : scratch_(scratch) {}
  ~ScratchTrim() { scratch_.Trim(); }
  ScratchTrim(const ScratchTrim&) = delete;
  ScratchTrim& operator=(const ScratchTrim&) = delete;

 private:
  Scratch& scratch_;
};

}  // namespace skinmask
