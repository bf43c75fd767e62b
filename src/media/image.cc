#include "skinmask/media/image.h"

#include <libexif/exif-data.h>

#include <cstdint>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <vector>

#include "media/jpeg.h"
#include "media/opencv_codecs.h"
#include "media/png.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

constexpr std::string_view kExifHeader("Exif\0\0", 6);

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

cv::Mat DecodeOther(std::string_view bytes, std::string_view subject,
                    const DecodeOptions& options) {
  cv::Mat image;
  try {
    image = DecodeByOpenCv(
        bytes, cv::IMREAD_ANYDEPTH | (options.keep_grey ? cv::IMREAD_ANYCOLOR : cv::IMREAD_COLOR));
  } catch (const cv::Exception& e) {
    throw Error(subject, "cannot be decoded: " + e.err);
  }
  if (image.empty())
    throw Error(subject, "is no image, or a damaged one (JPEG, PNG, BMP, TIFF, WebP, PNM)");
  if (image.depth() == CV_16U) image.convertTo(image, CV_8U, 255. / 65535.);
  if (image.depth() != CV_8U || (image.channels() != 3 && !options.keep_grey))
    throw Error(subject, "has pixels that are neither 8 nor 16 bits per channel");
  return image;
}

// Averages over areas.
cv::Mat ScaledDown(const cv::Mat& image, const DecodeOptions& options) {
  if (options.scale == 1) return image;
  cv::Mat scaled;
  cv::resize(image, scaled, {Scaled(image.cols, options.scale), Scaled(image.rows, options.scale)},
             0, 0, cv::INTER_AREA);
  return scaled;
}

}  // namespace

bool IsJpeg(std::string_view bytes) { return bytes.starts_with("\xFF\xD8\xFF"); }

cv::Mat DecodeImage(std::string_view bytes, std::string_view subject,
                    const DecodeOptions& options) {
  if (bytes.empty()) throw Error(subject, "is empty (an image is expected)");
  if (bytes.size() > INT32_MAX) throw Error(subject, "is larger than 2 GiB");
  if (IsJpeg(bytes)) {
    if (const std::optional<cv::Mat> stored = DecodeJpeg(bytes, subject, options))
      return Upright(*stored, Orientation(bytes));
  }
  if (IsPng(bytes)) {
    const DecodedPng png = DecodePng(bytes, subject, options.keep_grey, options.buffer);
    const int orientation = png.exif.empty() ? 1 : Orientation(std::string(kExifHeader) + png.exif);
    return ScaledDown(Upright(png.image, orientation), options);
  }
  return ScaledDown(DecodeOther(bytes, subject, options), options);
}

cv::Mat ReadImage(const std::filesystem::path& path, const DecodeOptions& options) {
  return DecodeImage(ReadFile(path), path.string(), options);
}

}  // namespace skinmask
