// Memory that is used again from image to image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace skinmask {

// Uninitialised bytes for one thread at a time. Up to kKept bytes stay for the next use, since fresh
// memory costs a tenth of a folder's time; more than that is given back at the next smaller use.
class Scratch {
 public:
  static constexpr std::size_t kKept = std::size_t{64} << 20;

  // Room for `size` bytes, valid until the next call; what it held is lost.
  std::uint8_t* Get(std::size_t size) {
    if (size > size_ || (size_ > kKept && size <= kKept)) {
      bytes_.reset();
      size_ = 0;
      bytes_ = std::make_unique_for_overwrite<std::uint8_t[]>(size);
      size_ = size;
    }
    return bytes_.get();
  }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace skinmask
