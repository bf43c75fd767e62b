// Reads images, all formats by the same rule, and writes JPEG, WebP and PNG.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "skinmask/base/file.h"
#include "skinmask/base/scratch.h"
#include "skinmask/media/isolation.h"

namespace [[gnu::visibility("default")]] skinmask {

// Pixels that a picture may have: 16384 x 16384. A file of some kilobytes can claim many more.
inline constexpr std::int64_t kMaxPixels = std::int64_t{1} << 28;

// What a file says of its picture beside the pixels.
struct PictureTags {
  std::string icc{};            // the profile that its colours are of; empty: sRGB
  double dpi_x = 0, dpi_y = 0;  // pixels an inch across and down; 0: it does not say
};

struct DecodeOptions {
  // 1, 2, 4 or 8: a picture of 1/scale the width and height, rounded up. JPEG is decoded at that
  // size (fewer coefficients, so faster), others are averaged over areas.
  int scale = 1;
  bool keep_grey = false;   // grey files give CV_8UC1 (but for GIF, HEIC, AVIF and JPEG XL)
  bool keep_depth = false;  // PNG, TIFF and PNM of 16 bits give CV_16U (keep_colors is wanted, too)
  // Damaged JPEGs are taken as the decoder makes them up, for cameras that send odd ones.
  bool lenient = false;
  // Where the pixels of JPEG and PNG may be stored. The picture then lives until the next use of
  // it.
  Scratch* buffer = nullptr;
  // Filled with what the file says beside its pixels, whose colours then stay as they are stored.
  PictureTags* tags = nullptr;
  // The same colours are kept, for pictures that are no photographs but masks.
  bool keep_colors = false;
  // Of the stored picture, by its header. More is an Error, before memory is taken for them.
  std::int64_t max_pixels = kMaxPixels;
  // Which formats are decoded in a process of their own, and how long that may take; absent: as
  // IsolateBy says.
  std::optional<Isolation> isolation{};
  // Called before memory is taken, with the pixels that it will hold (four bytes of a file count as
  // one). It may wait until there is room.
  std::function<void(std::int64_t pixels)> take{};
};

// Decodes an image file to CV_8UC3, channels B G R: EXIF orientation applied, grey spread to three
// channels, 16-bit scaled by 255/65535 and rounded, alpha ignored, CMYK and palettes by the codec,
// and colours of an embedded profile (ICC) of JPEG, PNG, TIFF, WebP, HEIC, AVIF and JPEG XL
// converted to sRGB.
// JPEG, PNG, BMP, TIFF, WebP, PNM (P1 to P6), GIF, and, where the build has their libraries, HEIC,
// AVIF, JPEG XL and raw files of cameras, whichever the first bytes say; anything else is refused
// before a decoder sees it. Throws Error for anything that cannot be decoded whole: empty,
// truncated or corrupt files give no half image, animations none at all. (Changed data of a TIFF
// that can still be unpacked pass unnoticed: it has no checksums.)
cv::Mat ReadImage(const std::filesystem::path& path, const DecodeOptions& options = {});
cv::Mat DecodeImage(std::string_view bytes, std::string_view subject,
                    const DecodeOptions& options = {});

// The bytes for DecodeImage. A file that does not begin as an image is refused by its first bytes,
// however large it is.
std::string ReadImageBytes(const std::filesystem::path& path, const DecodeOptions& options = {});

bool IsJpeg(std::string_view bytes);

// The picture, CV_8UC3, with colours of that profile as sRGB: by LittleCMS, relatively
// colorimetric. Itself where that is sRGB (which moves no colour by more than two levels), or
// empty, or none that can be used, of which `problem` tells why. The result is in `memory` where
// that fits, which may be the picture.
cv::Mat InSrgb(const cv::Mat& bgr, const std::string& icc, std::string* problem = nullptr,
               cv::Mat memory = {});

// Encodes CV_8UC1 or 8UC3 (with chroma of a quarter) as JPEG of a quality of 1 to 100.
std::string EncodeJpeg(const cv::Mat& image, int quality);
// The same, and CV_8UC4, whose alpha is kept as it is, as WebP, which has no tables of its own: of
// small pictures a third of the bytes. Loads OpenCV's codecs. Sides of at most 16383.
std::string EncodeWebP(const cv::Mat& image, int quality);
// Encodes CV_8UC1, 16UC1, 8UC3 or 8UC4 as PNG.
std::string EncodePng(const cv::Mat& image);
// A file of these three (as they are written here) with what `tags` say, for a picture of `size`.
// Throws Error for any other, where they say something.
std::string WithTags(std::string file, const PictureTags& tags, const cv::Size& size);
// Encodes CV_8UC1 indices into `rgb`, 1 to 256 colours of three bytes, as a palette image. Throws
// Error for an index beyond them.
std::string EncodePalettePng(const cv::Mat& indices, std::string_view rgb);

}  // namespace skinmask
