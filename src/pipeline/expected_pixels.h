// The pixels of a run, estimated before it: they decide whether building the table of a model that
// needs one is worth its time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <system_error>

namespace skinmask {

// Estimates the pixels of `count` inputs from the sizes of a thousand of them. The size of a pipe,
// or of an image in an archive, is not known, and taken as large.
template <class PathOf>
std::uint64_t ExpectedPixels(std::size_t count, const PathOf& path_of) {
  // JPEG photographs take about two bits a pixel; other files take more.
  constexpr std::uint64_t kPixelsPerByte = 4;
  constexpr std::size_t kSample = 1000;
  constexpr std::uint64_t kUnknown = std::uint64_t{1} << 28;
  const std::size_t step = count / kSample + 1;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < count; i += step) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path_of(i), error);
    bytes += step * (error ? kUnknown : size);
  }
  return kPixelsPerByte * bytes;
}

}  // namespace skinmask
