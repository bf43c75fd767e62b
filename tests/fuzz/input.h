// What the fuzz targets share: numbers out of the input, and what must hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "skinmask/base/error.h"

namespace skinmask::fuzz {

// Anything but skinmask::Error that leaves a target is a bug, and ends it.
inline void Require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error("does not hold: " + what);
}

// Runs `work`; false after an Error, which has to be one line.
template <class Work>
bool Succeeds(const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& e) {
    const std::string_view text = e.what();
    Require(!text.empty() && text.size() < 1700, "an error is a short line");
    Require(std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c != 0x7F; }),
            "an error gives the terminal no orders");
    return false;
  }
}

// The input, byte by byte; zeros behind its end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size)
      : left_(reinterpret_cast<const char*>(data), size) {}

  std::uint8_t Byte() {
    if (left_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(left_.front());
    left_.remove_prefix(1);
    return byte;
  }
  // 0 .. count - 1, for counts up to 256.
  std::size_t Below(std::size_t count) { return Byte() % count; }
  std::string_view Take(std::size_t size) {
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view Rest() { return Take(left_.size()); }

 private:
  std::string_view left_;
};

}  // namespace skinmask::fuzz
