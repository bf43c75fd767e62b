#include "media/jpeg.h"

#include <turbojpeg.h>

#include <memory>
#include <string>

#include "media/image_format.h"
#include "media/picture_type.h"
#include "media/png.h"
#include "media/scaled_down.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

const unsigned char* Bytes(std::string_view s) {
  return reinterpret_cast<const unsigned char*>(s.data());
}

// More than 500 scans of a progressive JPEG are an attack: each passes over the whole picture.
constexpr int kLimitScans = TJFLAG_LIMITSCANS;

class JpegDecoder {
 public:
  JpegDecoder() : handle_(tjInitDecompress()) {}
  ~JpegDecoder() { tjDestroy(handle_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  std::optional<cv::Mat> Decode(std::string_view jpeg, std::string_view subject,
                                const DecodeOptions& options) {
    int width = 0, height = 0, subsampling = 0, colorspace = 0;
    if (tjDecompressHeader3(handle_, Bytes(jpeg), jpeg.size(), &width, &height, &subsampling,
                            &colorspace) != 0)
      Fail(subject);
    CheckSize({width, height}, options.max_pixels, subject);
    // Of the whole picture: a progressive one is held as coefficients before it is scaled.
    if (options.take) options.take(std::int64_t{width} * height);
    const bool cmyk = colorspace == TJCS_CMYK || colorspace == TJCS_YCCK;
    const bool grey = colorspace == TJCS_GRAY && options.keep_grey;
    cv::Mat image = Allocate(Scaled(height, options.scale), Scaled(width, options.scale),
                             cmyk   ? 4
                             : grey ? 1
                                    : 3,
                             options.buffer);
    if (options.lenient) image.setTo(0);  // what the decoder gives up on is not what memory held
    const int format = cmyk ? TJPF_CMYK : grey ? TJPF_GRAY : TJPF_BGR;
    // What libjpeg merely warns of (data that end early, bad codes, stray bytes where it lost its
    // place) are pixels made up.
    if (tjDecompress2(handle_, Bytes(jpeg), jpeg.size(), image.data, image.cols,
                      static_cast<int>(image.step), image.rows, format,
                      kLimitScans | (options.lenient ? 0 : TJFLAG_STOPONWARNING)) != 0 &&
        !(options.lenient && tjGetErrorCode(handle_) == TJERR_WARNING))
      Fail(subject);
    if (cmyk && options.take) options.take(std::int64_t{width} * height);  // it is decoded again
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

}  // namespace

std::optional<cv::Mat> DecodeJpeg(std::string_view jpeg, std::string_view subject,
                                  const DecodeOptions& options) {
  thread_local JpegDecoder decoder;
  return decoder.Decode(jpeg, subject, options);
}

std::string EncodeJpeg(const cv::Mat& image, int quality) {
  if (image.type() != CV_8UC1) RequireType(image, CV_8UC3, "image");
  RequireType(image, image.type(), "image");
  if (quality < 1 || quality > 100) throw Error("quality", "is out of range (1 to 100)");
  const std::unique_ptr<void, decltype(&tjDestroy)> encoder(tjInitCompress(), tjDestroy);
  const bool grey = image.channels() == 1;
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const int status = tjCompress2(
      encoder.get(), image.data, image.cols, static_cast<int>(image.step), image.rows,
      grey ? TJPF_GRAY : TJPF_BGR, &bytes, &size, grey ? TJSAMP_GRAY : TJSAMP_420, quality, 0);
  const std::unique_ptr<unsigned char, decltype(&tjFree)> owner(bytes, tjFree);
  if (status != 0)
    throw Error("JPEG", std::string("cannot be made: ") + tjGetErrorStr2(encoder.get()));
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

}  // namespace skinmask
