// Reads images of all formats by the same rules, and writes JPEG, WebP and PNG.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "skinmask/base/scratch.h"
#include "skinmask/media/isolation.h"

namespace [[gnu::visibility("default")]] skinmask {

// The most pixels of a picture: 16384 x 16384. A file of a few kilobytes can claim many more.
inline constexpr std::int64_t kMaxPixels = std::int64_t{1} << 28;

// Metadata of a picture.
struct PictureTags {
  std::string icc{};            // the ICC profile of its colours; empty: sRGB
  double dpi_x = 0, dpi_y = 0;  // pixels per inch, horizontally and vertically; 0: unknown
};

struct DecodeOptions {
  // 1, 2, 4 or 8: the picture gets 1/scale of the width and height, rounded up. JPEG is decoded at
  // that size (fewer coefficients, so faster); the other formats are averaged over areas.
  int scale = 1;
  bool keep_grey = false;   // grey files give CV_8UC1 (except GIF, HEIC, AVIF and JPEG XL)
  bool keep_depth = false;  // PNG, TIFF and PNM of 16 bits give CV_16U (needs keep_colors, too)
  // Accepts damaged JPEGs as the decoder completes them, for cameras that send invalid ones.
  bool lenient = false;
  // A buffer for the pixels of JPEG and PNG. The picture is then valid until the next use of the
  // buffer.
  Scratch* buffer = nullptr;
  // If set, receives the metadata; the colours then stay as they are stored.
  PictureTags* tags = nullptr;
  // Colours stay as they are stored, for pictures that are masks and not photographs.
  bool keep_colors = false;
  // The limit for the stored picture, checked against its header before memory is allocated. A
  // larger picture is an Error.
  std::int64_t max_pixels = kMaxPixels;
  // Which formats are decoded in a separate process, and the time limit for that. Absent: the
  // setting of IsolateBy.
  std::optional<Isolation> isolation{};
  // Called before memory is allocated, with the number of pixels that it will hold (four bytes of a
  // file count as one pixel). It may block until there is room.
  std::function<void(std::int64_t pixels)> take{};
};

// Decodes an image file to CV_8UC3, channels B G R. The EXIF orientation is applied, grey is spread
// to three channels, 16-bit values are scaled by 255/65535 and rounded, alpha is ignored, and the
// codec expands CMYK and palettes. Colours of an embedded ICC profile in JPEG, PNG, TIFF, WebP,
// HEIC, AVIF and JPEG XL are converted to sRGB. The formats are JPEG, PNG, BMP, TIFF, WebP, PNM (P1
// to P6), GIF and, if the build has their libraries, HEIC, AVIF, JPEG XL and raw files of cameras.
// The first bytes decide the format; a file of any other format is refused before a decoder sees
// it. Throws Error for everything that cannot be decoded completely: empty, truncated and corrupt
// files, and animations. (Changed data of a TIFF that can still be unpacked are not noticed,
// because TIFF has no checksums.)
cv::Mat ReadImage(const std::filesystem::path& path, const DecodeOptions& options = {});
cv::Mat DecodeImage(std::string_view bytes, std::string_view subject,
                    const DecodeOptions& options = {});

// Reads a file for DecodeImage. A file that does not begin like an image is refused by its first
// bytes, before the rest is read.
std::string ReadImageBytes(const std::filesystem::path& path, const DecodeOptions& options = {});

bool IsJpeg(std::string_view bytes);

// Converts a CV_8UC3 picture from the colours of a profile to sRGB, by LittleCMS with the relative
// colorimetric intent. Returns the picture itself if the profile is empty, is sRGB (it changes no
// level by more than two), or is unusable; then `problem` receives the reason. The result is stored
// in `memory` if it fits there; `memory` may be the picture. Clear a profile that has a
// problem before WithTags: those of grey and CMYK are not of these pixels.
cv::Mat InSrgb(const cv::Mat& bgr, const std::string& icc, std::string* problem = nullptr,
               cv::Mat memory = {});

// Encodes CV_8UC1 or 8UC3 as JPEG (4:2:0) of a quality from 1 to 100.
std::string EncodeJpeg(const cv::Mat& image, int quality);
// Encodes CV_8UC1, 8UC3 or 8UC4 (alpha is lossless) as WebP. Because WebP has no tables of its own,
// small pictures take a third of the bytes of JPEG. Loads OpenCV's codecs. Sides are at most 16383.
std::string EncodeWebP(const cv::Mat& image, int quality);
// Encodes CV_8UC1, 16UC1, 8UC3 or 8UC4 as PNG.
std::string EncodePng(const cv::Mat& image);
// Adds `tags` to a file of these three formats (as they are written here) for a picture of `size`.
// Throws Error for other formats if `tags` are not empty.
std::string WithTags(std::string file, const PictureTags& tags, const cv::Size& size);
// Encodes CV_8UC1 indices into `rgb` (1 to 256 colours of three bytes) as a palette PNG. Throws
// Error for an index beyond them.
std::string EncodePalettePng(const cv::Mat& indices, std::string_view rgb);

}  // namespace skinmask
