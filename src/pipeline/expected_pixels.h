// The pixels of a run, estimated before it: they decide whether building the table of a model that
// needs one is worth its time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <system_error>

namespace skinmask {

// The bytes of what may be large, and whose size is not known: an archive from a pipe, say.
inline constexpr std::uint64_t kLargeInput = std::uint64_t{1} << 28;

// Estimates the pixels of `count` inputs from the sizes of a thousand of them. `unknown`: the bytes
// of one whose size is not known, as of a pipe, or of an image in an archive.
template <class PathOf>
std::uint64_t ExpectedPixels(std::size_t count, std::uint64_t unknown, const PathOf& path_of) {
  // JPEG photographs take about two bits a pixel; other files take more.
  constexpr std::uint64_t kPixelsPerByte = 4;
  constexpr std::size_t kSample = 1000;
  const std::size_t step = count / kSample + 1;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < count; i += step) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path_of(i), error);
    bytes += step * (error ? unknown : size);
  }
  return kPixelsPerByte * bytes;
}

}  // namespace skinmask
