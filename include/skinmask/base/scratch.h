// Scratch is a memory buffer that is reused from image to image.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace [[gnu::visibility("default")]] skinmask {

// Uninitialised bytes, for one thread at a time. Up to kMaxKeptBytes bytes are kept for the next
// use, because allocating fresh memory for each image takes a tenth of a run over a folder. Half as
// much again as requested is allocated, because the next image may be slightly larger. A buffer
// larger than kMaxKeptBytes is freed at the next request of at most kMaxKeptBytes, or by Trim.
class Scratch {
 public:
  static constexpr std::size_t kMaxKeptBytes = std::size_t{64} << 20;

  // Returns a buffer of `size` bytes, valid until the next call. The previous contents are lost.
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

  // Frees a buffer larger than kMaxKeptBytes, with its contents.
  void Trim() {
    if (size_ > kMaxKeptBytes) *this = Scratch();
  }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_ = 0;
};

// Calls Trim at the end of a scope, so that idle threads do not keep the memory of large pictures.
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
