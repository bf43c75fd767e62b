// What an image file claims to be, by its first bytes. The list is closed: what is not on it meets
// no decoder (SECURITY.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

enum class ImageFormat { kJpeg, kPng, kBmp, kPnm, kTiff, kWebP, kGif, kHeif, kJxl };

// Absent for what is none of them.
std::optional<ImageFormat> FormatOf(std::string_view bytes);

std::string_view FormatName(ImageFormat format);  // "JPEG", ...

struct PictureSize {
  std::int64_t width = 0, height = 0;
};

// What the headers of PNG, BMP and PNM say, before anything is decoded; absent where they say
// nothing.
std::optional<PictureSize> PngSize(std::string_view bytes);
std::optional<PictureSize> BmpSize(std::string_view bytes);
std::optional<PictureSize> PnmSize(std::string_view bytes);

// Throws Error for a picture of no pixels or of more than `most`.
void CheckSize(const PictureSize& size, std::int64_t most, std::string_view subject);

}  // namespace skinmask
