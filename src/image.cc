#include "skinmask/image.h"

#include <libexif/exif-data.h>
#include <turbojpeg.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <vector>

#include "png.h"
#include "skinmask/error.h"

namespace skinmask {
namespace {

const unsigned char* Bytes(std::string_view s) {
  return reinterpret_cast<const unsigned char*>(s.data());
}

// ---------------------------------------------------------------------------------------------- JPEG

// EXIF tag 0x0112, 1..8; 1 where there is none.
int Orientation(std::string_view jpeg) {
  // EXIF lives in an APP1 segment near the start; most files without one are told apart by this.
  constexpr std::size_t kSearched = 1 << 18;
  if (jpeg.substr(0, kSearched).find(std::string_view("Exif\0\0", 6)) == jpeg.npos) return 1;
  const std::unique_ptr<ExifData, decltype(&exif_data_unref)> exif(
      exif_data_new_from_data(Bytes(jpeg), static_cast<unsigned>(jpeg.size())), exif_data_unref);
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

class JpegDecoder {
 public:
  JpegDecoder() : handle_(tjInitDecompress()) {}
  ~JpegDecoder() { tjDestroy(handle_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  // Absent where the picture is no grey or colour JPEG that TurboJPEG turns into BGR (CMYK, say), but
  // is complete as far as can be seen.
  std::optional<cv::Mat> Decode(std::string_view jpeg, std::string_view subject) {
    int width = 0, height = 0, subsampling = 0, colorspace = 0;
    if (tjDecompressHeader3(handle_, Bytes(jpeg), jpeg.size(), &width, &height, &subsampling,
                            &colorspace) != 0)
      Fail(subject);
    const bool cmyk = colorspace == TJCS_CMYK || colorspace == TJCS_YCCK;
    cv::Mat image(height, width, cmyk ? CV_8UC4 : CV_8UC3);
    const int format = cmyk ? TJPF_CMYK : TJPF_BGR;
    if (!Decompress(jpeg, image, format, TJFLAG_STOPONWARNING)) {
      // Stray bytes between segments harm no pixel; libjpeg warns of them all the same.
      if (!IsHarmless() || (!Decompress(jpeg, image, format, 0) && !IsHarmless())) Fail(subject);
    }
    if (cmyk) return std::nullopt;
    return image;
  }

 private:
  bool Decompress(std::string_view jpeg, cv::Mat& image, int format, int flags) {
    return tjDecompress2(handle_, Bytes(jpeg), jpeg.size(), image.data, image.cols,
                         static_cast<int>(image.step), image.rows, format, flags) == 0;
  }
  bool IsHarmless() const {
    return std::strstr(tjGetErrorStr2(handle_), "extraneous bytes before marker") != nullptr;
  }
  [[noreturn]] void Fail(std::string_view subject) {
    const std::string reason = tjGetErrorStr2(handle_);
    // A header that broke off leaves TurboJPEG 2.1 in the middle of it: begin anew.
    tjDestroy(handle_);
    handle_ = tjInitDecompress();
    throw Error(subject, "is a damaged JPEG: " + reason + " (a whole file)");
  }

  tjhandle handle_;
};

// --------------------------------------------------------------------------------------------- others

cv::Mat DecodeByOpenCv(std::string_view bytes, std::string_view subject) {
  cv::Mat image;
  try {
    const cv::Mat buffer(1, static_cast<int>(bytes.size()), CV_8UC1,
                         const_cast<unsigned char*>(Bytes(bytes)));
    image = cv::imdecode(buffer, cv::IMREAD_COLOR | cv::IMREAD_ANYDEPTH);
  } catch (const cv::Exception& e) {
    throw Error(subject, "cannot be decoded: " + e.err);
  }
  if (image.empty())
    throw Error(subject, "is no image, or a damaged one (JPEG, PNG, BMP, TIFF, WebP, PNM)");
  if (image.depth() == CV_16U) image.convertTo(image, CV_8U, 255. / 65535.);
  if (image.type() != CV_8UC3)
    throw Error(subject, "has pixels that are neither 8 nor 16 bits per channel");
  return image;
}

}  // namespace

bool IsJpeg(std::string_view bytes) { return bytes.starts_with("\xFF\xD8\xFF"); }

cv::Mat DecodeImage(std::string_view bytes, std::string_view subject) {
  if (bytes.empty()) throw Error(subject, "is empty (an image is expected)");
  if (bytes.size() > INT32_MAX) throw Error(subject, "is larger than 2 GiB");
  if (IsJpeg(bytes)) {
    thread_local JpegDecoder decoder;
    const std::optional<cv::Mat> stored = decoder.Decode(bytes, subject);
    return stored ? Upright(*stored, Orientation(bytes)) : DecodeByOpenCv(bytes, subject);
  }
  if (IsPng(bytes)) return DecodeByOpenCv(CheckedPng(bytes, subject), subject);
  return DecodeByOpenCv(bytes, subject);
}

cv::Mat ReadImage(const std::filesystem::path& path) {
  return DecodeImage(ReadFile(path), path.string());
}

}  // namespace skinmask
