#include "skinmask/media/image.h"

#include <libexif/exif-data.h>
#include <turbojpeg.h>

#include <cstdint>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <vector>

#include "media/opencv_codecs.h"
#include "media/png.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

const unsigned char* Bytes(std::string_view s) {
  return reinterpret_cast<const unsigned char*>(s.data());
}

constexpr std::string_view kExifHeader("Exif\0\0", 6);

// As OpenCV's own limit: what is larger is damage or an attack.
constexpr std::size_t kMaxPixels = std::size_t{1} << 30;

// EXIF tag 0x0112, 1..8; 1 where there is none. Takes a JPEG, or EXIF data with its header.
int Orientation(std::string_view bytes) {
  // EXIF lives in an APP1 segment near the start; most files without one are told apart by this.
  constexpr std::size_t kSearched = 1 << 18;
  if (bytes.substr(0, kSearched).find(kExifHeader) == bytes.npos) return 1;
  const std::unique_ptr<ExifData, decltype(&exif_data_unref)> exif(
      exif_data_new_from_data(Bytes(bytes), static_cast<unsigned>(bytes.size())), exif_data_unref);
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

// A length divided by 1, 2, 4 or 8, rounded up, as libjpeg does.
int Scaled(int length, int scale) { return (length + scale - 1) / scale; }

class JpegDecoder {
 public:
  JpegDecoder() : handle_(tjInitDecompress()) {}
  ~JpegDecoder() { tjDestroy(handle_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  // Absent where the picture is no grey or colour JPEG that TurboJPEG turns into BGR (CMYK, say),
  // but is complete as far as can be seen.
  std::optional<cv::Mat> Decode(std::string_view jpeg, std::string_view subject,
                                const DecodeOptions& options) {
    int width = 0, height = 0, subsampling = 0, colorspace = 0;
    if (tjDecompressHeader3(handle_, Bytes(jpeg), jpeg.size(), &width, &height, &subsampling,
                            &colorspace) != 0)
      Fail(subject);
    if (static_cast<std::size_t>(width) * static_cast<std::size_t>(height) > kMaxPixels)
      throw Error(subject, "is larger than 2^30 pixels");
    const bool cmyk = colorspace == TJCS_CMYK || colorspace == TJCS_YCCK;
    const bool grey = colorspace == TJCS_GRAY && options.keep_grey;
    cv::Mat image = Allocate(Scaled(height, options.scale), Scaled(width, options.scale),
                             cmyk   ? 4
                             : grey ? 1
                                    : 3,
                             options.buffer);
    const int format = cmyk ? TJPF_CMYK : grey ? TJPF_GRAY : TJPF_BGR;
    // What libjpeg merely warns of (data that end early, bad codes, stray bytes where it lost its
    // place) are pixels made up.
    if (tjDecompress2(handle_, Bytes(jpeg), jpeg.size(), image.data, image.cols,
                      static_cast<int>(image.step), image.rows, format,
                      options.lenient ? 0 : TJFLAG_STOPONWARNING) != 0 &&
        !(options.lenient && tjGetErrorCode(handle_) == TJERR_WARNING))
      Fail(subject);
    if (cmyk) return std::nullopt;
    return image;
  }

 private:
  [[noreturn]] void Fail(std::string_view subject) {
    const std::string reason = tjGetErrorStr2(handle_);
    // A header that broke off leaves TurboJPEG 2.1 in the middle of it: begin anew.
    tjDestroy(handle_);
    handle_ = tjInitDecompress();
    throw Error(subject, "is a damaged JPEG: " + reason + " (a whole file)");
  }

  tjhandle handle_;
};

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
    thread_local JpegDecoder decoder;
    if (const std::optional<cv::Mat> stored = decoder.Decode(bytes, subject, options))
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
