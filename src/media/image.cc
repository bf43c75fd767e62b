#include "skinmask/media/image.h"

#include <libexif/exif-data.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <vector>

#include "media/gif.h"
#include "media/image_format.h"
#include "media/jpeg.h"
#include "media/opencv_codecs.h"
#include "media/phone_codecs.h"
#include "media/png.h"
#include "media/scaled_down.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

constexpr std::string_view kExifHeader("Exif\0\0", 6);
constexpr std::size_t kMostBytes = INT32_MAX;  // OpenCV's matrices count in int

// EXIF tag 0x0112, 1..8; 1 where there is none. Takes a JPEG, or EXIF data with its header.
int Orientation(std::string_view bytes) {
  // EXIF lives in an APP1 segment near the start; most files without one are told apart by this.
  constexpr std::size_t kSearched = 1 << 18;
  if (bytes.substr(0, kSearched).find(kExifHeader) == bytes.npos) return 1;
  const std::unique_ptr<ExifData, decltype(&exif_data_unref)> exif(
      exif_data_new_from_data(reinterpret_cast<const unsigned char*>(bytes.data()),
                              static_cast<unsigned>(bytes.size())),
      exif_data_unref);
  if (!exif) return 1;
  const ExifEntry* entry = exif_content_get_entry(exif->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
  if (!entry || entry->format != EXIF_FORMAT_SHORT || entry->components < 1) return 1;
  const int value = exif_get_short(entry->data, exif_data_get_byte_order(exif.get()));
  return value >= 1 && value <= 8 ? value : 1;
}

// Brings a picture stored with an EXIF orientation upright (Exif 2.32, table 'Orientation').
cv::Mat Upright(const cv::Mat& stored, int orientation) {
  cv::Mat image = stored, turned;
  if (orientation >= 5) {
    cv::transpose(stored, turned);
    image = turned;
  }
  // What is left after the transposition, as cv::flip's code: 0 rows, 1 columns, -1 both.
  constexpr std::optional<int> kFlip[9] = {{}, {}, 1, -1, 0, {}, 1, -1, 0};
  if (!kFlip[orientation]) return image;
  cv::Mat upright;
  cv::flip(image, upright, *kFlip[orientation]);
  return upright;
}

[[noreturn]] void FailUnknown(std::string_view subject) {
  throw Error(
      subject,
      "is no image, or a damaged one (JPEG, PNG, BMP, TIFF, WebP, PNM, GIF, HEIC, AVIF, JPEG XL)");
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
  if (header.tile.width > 0) CheckSize(header.tile, options.max_pixels, subject);
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
  const CheckPicture check = [&](const PictureSize& size) {
    CheckSize(size, options.max_pixels, subject);
    constexpr std::int64_t kCopies = 2;  // one is the decoder's
    if (options.take) options.take(kCopies * size.width * size.height);
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
  if (bytes.empty()) throw Error(subject, "is empty (an image is expected)");
  if (bytes.size() > kMostBytes) throw Error(subject, "is larger than 2 GiB");
  const std::optional<ImageFormat> format = FormatOf(bytes);
  if (!format) FailUnknown(subject);
  if (format == ImageFormat::kJpeg) {
    if (const std::optional<cv::Mat> stored = DecodeJpeg(bytes, subject, options))
      return Upright(*stored, Orientation(bytes));
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
  return ScaledDown(Upright(stored, Orientation(exif)), options.scale);
}

std::string ReadImageBytes(const std::filesystem::path& path, const DecodeOptions& options) {
  const auto check = [&](std::string_view head, std::uint64_t size) {
    if (!head.empty() && !FormatOf(head)) FailUnknown(path.string());
    if (options.take) options.take(static_cast<std::int64_t>(size / 4));
  };
  return ReadFile(path, {kMostBytes, check});
}

cv::Mat ReadImage(const std::filesystem::path& path, const DecodeOptions& options) {
  return DecodeImage(ReadImageBytes(path, options), path.string(), options);
}

}  // namespace skinmask
