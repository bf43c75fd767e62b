#include "skinmask/media/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <opencv2/imgcodecs.hpp>
#include <optional>

#include "media/decoding.h"
#include "media/gif.h"
#include "media/image_format.h"
#include "media/jpeg.h"
#include "media/opencv_codecs.h"
#include "media/orientation.h"
#include "media/phone_codecs.h"
#include "media/picture_type.h"
#include "media/png.h"
#include "media/scaled_down.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

constexpr std::size_t kMaxBytes = INT32_MAX;  // OpenCV's matrices count in int

[[noreturn]] void FailUnknown(std::string_view subject) {
  throw Error(
      subject,
      "is no image, or a damaged one (JPEG, PNG, BMP, TIFF, WebP, PNM, GIF, HEIC, AVIF, JPEG XL)");
}

// Every tile is decoded whole, of which the picture may need a single pixel. Tiles no larger than
// the picture have at most four times its pixels.
void CheckTiles(const ImageHeader& header, std::int64_t most, std::string_view subject) {
  CheckSize(header.tile, most, subject);
  const auto [width, height] = header.size;
  const auto [tile_width, tile_height] = header.tile;
  const std::int64_t across = (width + tile_width - 1) / tile_width;
  const std::int64_t count = across * ((height + tile_height - 1) / tile_height);
  const std::int64_t tile = tile_width * tile_height;
  if (tile <= std::max(most, 4 * width * height) / count) return;
  throw Error(subject, fmt::format("has {} tiles of {} x {} pixels, and the limit is {} pixels (a "
                                   "higher one takes it)",
                                   count, tile_width, tile_height, most));
}

// Checks what the header of a file says, and gives its EXIF data.
std::string CheckHeader(ImageFormat format, std::string_view bytes, std::string_view subject,
                        const DecodeOptions& options) {
  ImageHeader header;
  if (format == ImageFormat::kTiff || format == ImageFormat::kWebP) {
    header = ReadHeaderInModule(format, bytes);
    if (!header.problem.empty()) throw Error(subject, header.problem);
  } else {
    const auto size = format == ImageFormat::kPng   ? PngSize(bytes)
                      : format == ImageFormat::kBmp ? BmpSize(bytes)
                      : format == ImageFormat::kGif ? GifSize(bytes)
                                                    : PnmSize(bytes);
    if (!size) FailUnknown(subject);
    header.size = *size;
  }
  CheckSize(header.size, options.max_pixels, subject);
  if (header.tile.width > 0) CheckTiles(header, options.max_pixels, subject);
  if (options.take) {
    const std::int64_t tile = header.tile.width * header.tile.height;
    options.take((header.size.width * header.size.height + tile) *
                 std::max<std::int64_t>(4, header.pixel_bytes) / 4);
  }
  return header.exif;
}

// Those of which the decoder that is to decode them reads the header, and brings them upright.
cv::Mat DecodeOfPhones(ImageFormat format, std::string_view bytes, std::string_view subject,
                       const DecodeOptions& options) {
  const CheckPicture check = [&](const PictureSize& size, std::int64_t decoded) {
    CheckSize(size, options.max_pixels, subject);
    if (decoded > options.max_pixels)
      throw Error(subject, fmt::format("has layers of {} pixels in all, and the limit is {} pixels "
                                       "(`max_pixels` takes a higher one)",
                                       decoded, options.max_pixels));
    if (options.take) options.take(size.width * size.height + decoded);  // which the decoder holds
  };
  return format == ImageFormat::kHeif ? DecodeHeif(bytes, subject, check)
                                      : DecodeJxl(bytes, subject, check);
}

// By OpenCV, or libwebp.
cv::Mat DecodeOther(ImageFormat format, std::string_view bytes, std::string_view subject,
                    const DecodeOptions& options) {
  cv::Mat image;
  try {
    image = DecodeInModule(
        format, bytes,
        cv::IMREAD_ANYDEPTH | (options.keep_grey ? cv::IMREAD_ANYCOLOR : cv::IMREAD_COLOR));
  } catch (const cv::Exception& e) {
    throw Error(subject, "cannot be decoded: " + e.err);
  }
  if (image.empty()) FailUnknown(subject);
  if (image.depth() == CV_16U) image.convertTo(image, CV_8U, 255. / 65535.);
  if (image.depth() != CV_8U || (image.channels() != 3 && !options.keep_grey))
    throw Error(subject, "has pixels that are neither 8 nor 16 bits per channel");
  return image;
}

}  // namespace

bool IsJpeg(std::string_view bytes) { return FormatOf(bytes) == ImageFormat::kJpeg; }

cv::Mat DecodeImage(std::string_view bytes, std::string_view subject,
                    const DecodeOptions& options) {
  const Decoding decoding;
  if (bytes.empty()) throw Error(subject, "is empty (an image is expected)");
  if (bytes.size() > kMaxBytes) throw Error(subject, "is larger than 2 GiB");
  const std::optional<ImageFormat> format = FormatOf(bytes);
  if (!format) FailUnknown(subject);
  if (format == ImageFormat::kJpeg) {
    if (const std::optional<cv::Mat> stored = DecodeJpeg(bytes, subject, options))
      return Upright(*stored, ExifOrientation(bytes));
    return ScaledDown(DecodeOther(*format, bytes, subject, options), options.scale);
  }
  if (format == ImageFormat::kHeif || format == ImageFormat::kJxl)
    return ScaledDown(DecodeOfPhones(*format, bytes, subject, options), options.scale);
  std::string exif = CheckHeader(*format, bytes, subject, options);
  cv::Mat stored;
  if (format == ImageFormat::kPng) {
    DecodedPng png = DecodePng(bytes, subject, options.keep_grey, options.buffer);
    stored = png.image;
    exif = png.exif;
  } else if (format == ImageFormat::kGif) {
    stored = DecodeGif(bytes, subject);
  } else {
    stored = DecodeOther(*format, bytes, subject, options);
  }
  if (!exif.empty() && !exif.starts_with(kExifHeader)) exif = std::string(kExifHeader) + exif;
  return ScaledDown(Upright(stored, ExifOrientation(exif)), options.scale);
}

std::string ReadImageBytes(const std::filesystem::path& path, const DecodeOptions& options) {
  const auto check = [&](std::string_view head, std::uint64_t size) {
    if (!head.empty() && !FormatOf(head)) FailUnknown(path.string());
    if (options.take) options.take(static_cast<std::int64_t>(size / 4));
  };
  return ReadFile(path, {kMaxBytes, check});
}

cv::Mat ReadImage(const std::filesystem::path& path, const DecodeOptions& options) {
  return DecodeImage(ReadImageBytes(path, options), path.string(), options);
}

std::string EncodeWebP(const cv::Mat& image, int quality) {
  RequireEncodable(image, quality);
  constexpr int kMaxSide = 16383;
  if (std::max(image.cols, image.rows) > kMaxSide)
    throw Error("WebP", fmt::format("has sides of at most {}", kMaxSide));
  return EncodeWebPInModule(image, quality);
}

}  // namespace skinmask
