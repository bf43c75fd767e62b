// The formats of image files, one row of a table for each: how a file is recognised, what its
// header says, and how it is decoded. The list is closed: what is not on it meets no decoder
// (SECURITY.md).
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

struct DecodeOptions;
struct VideoFrame;
class Scratch;

// A larger profile counts as none: those of cameras and screens have some kB, tables for printers a
// megabyte or two.
inline constexpr std::size_t kMaxProfile = std::size_t{4} << 20;

struct PictureSize {
  std::int64_t width = 0, height = 0;
  bool operator==(const PictureSize&) const = default;
};

// What a file says of its picture before memory is taken for it.
struct ImageHeader {
  PictureSize size;
  PictureSize tile{};            // of TIFFs in tiles, each of which is decoded whole
  std::int64_t pixel_bytes = 3;  // as decoded
  std::int64_t layers = 0;       // pixels that are decoded beside the picture, to be laid over it
  std::string exif{};            // where it is known before decoding
  std::string icc{};             // of formats whose tags ReadTags does not know
};

// How a stored picture is turned to be seen, as EXIF data or the video say.
struct Orientation {
  int rotation = 0;       // degrees clockwise: 0, 90, 180, 270
  bool mirrored = false;  // from left to right, before
};

// A decoded picture, CV_8UC3 B G R, or CV_8UC1 where grey is kept; CV_16U where depth is.
struct StoredImage {
  cv::Mat pixels;
  Orientation orientation{};  // that it is yet to be given
  bool scaled = false;        // it has the size that the options ask for
};

struct ImageCodec {
  std::string_view name;
  bool (*probe)(std::string_view bytes);  // by the first bytes of a file
  // Both throw Error for files that are damaged, or of a kind that is not read.
  ImageHeader (*header)(std::string_view bytes, std::string_view subject);
  StoredImage (*decode)(std::string_view bytes, std::string_view subject, const ImageHeader& header,
                        const DecodeOptions& options);
  std::string_view module{};  // that they are in; empty: in none
  bool looked_at = false;     // by many, for decades: Isolate::kAuto leaves it in this process
};

// True for coded pixels of which the last quarter or more was never written: a copy that was broken
// off in a file of the full size, say. Decoders of WebP and AV1 take zeros for pixels. (Pictures of
// one colour end in zeros, too, but these are a twentieth of a WebP: 770 bytes of 4000 x 2000.)
inline bool EndsInZeros(std::string_view coded) {
  constexpr std::size_t kFew = 64;
  const std::size_t end = coded.find_last_not_of('\0');  // npos + 1 is 0
  const std::size_t zeros = coded.size() - (end + 1);
  return zeros >= kFew && zeros >= coded.size() / 4;
}

// The picture as it is to be seen; itself where it is stored so.
cv::Mat Upright(const cv::Mat& stored, const Orientation& orientation);

// Null for what is none of them.
const ImageCodec* CodecOf(std::string_view bytes);

// `bytes`, where they are known, may be those of a compressed archive.
[[noreturn]] void FailUnknownImage(std::string_view subject, std::string_view bytes = {});

// Throws Error for a picture of no pixels or of more than `most`.
void CheckSize(const PictureSize& size, std::int64_t most, std::string_view subject);

// The same with all that is decoded for it, and then takes memory for that.
void CheckHeader(const ImageHeader& header, std::string_view subject, const DecodeOptions& options);

// A file by the module of OpenCV's codecs, whatever its first bytes are. OpenCV's imgcodecs pulls
// in some 120 shared libraries, which take longer to load than most runs take altogether; JPEG and
// PNG, which are most files, do without them (docs/decisions/0007-late-codecs.md).
StoredImage DecodeInImgcodecs(std::string_view bytes, std::string_view subject,
                              const DecodeOptions& options);

// PNG is read through libpng, with ISA-L in place of zlib (png_decode.cc), and written by our own
// code with ISA-L (png_encode.cc, docs/decisions/0004-png.md). Palettes and few bits are expanded,
// 16 bits scaled and rounded (unless they are kept), alpha is left out. The picture is in the
// buffer of the options if there is one. Files that do not reach their IEND chunk are damaged.
ImageHeader PngHeader(std::string_view bytes, std::string_view subject);
StoredImage DecodePng(std::string_view bytes, std::string_view subject, const ImageHeader& header,
                      const DecodeOptions& options);

// JPEG is decoded by TurboJPEG, to pixels or to the planes that it stores; CMYK by OpenCV.
ImageHeader JpegHeader(std::string_view jpeg, std::string_view subject);
StoredImage DecodeJpeg(std::string_view jpeg, std::string_view subject, const ImageHeader& header,
                       const DecodeOptions& options);

// The planes of Y'CbCr, or of grey, that a JPEG stores, as a frame with its orientation: nothing is
// converted, and chroma not made larger. They are in `planes`, until that is used again. Of
// `options` only the limits count. Absent for what is no JPEG, and for what has no such planes
// (RGB, CMYK, or a profile that is not sRGB). Throws Error for the same files as DecodeImage.
std::optional<VideoFrame> DecodeJpegPlanes(std::string_view bytes, std::string_view subject,
                                           const DecodeOptions& options, Scratch& planes);

}  // namespace skinmask

// What each late module of codecs has (skinmask-imgcodecs, skinmask-heif, skinmask-jxl,
// skinmask-raw): of a file whose format is one of its own the header, and the picture in B G R or
// grey; or what is wrong with the file. Of HEIC and AVIF our own reader (media/heif.h) reads the
// header.
extern "C" void skinmask_read_header(std::string_view bytes, skinmask::ImageHeader& header,
                                     std::string& problem);
extern "C" void skinmask_decode(std::string_view bytes, bool keep_grey, cv::Mat& pixels,
                                std::string& problem);
// In skinmask-raw in the place of skinmask_decode: `half` asks for half the width and height.
extern "C" void skinmask_decode_raw(std::string_view bytes, bool half, cv::Mat& pixels,
                                    std::string& problem);
// In skinmask-imgcodecs alone, as EncodeWebP.
extern "C" void skinmask_encode_webp(const cv::Mat& image, int quality, std::string& bytes);
// In the module skinmask-icc: what converts colours of a profile to sRGB, or null where it is sRGB,
// or where `problem` says what is wrong with it; and the conversion of B G R, from many threads.
extern "C" void* skinmask_open_profile(std::string_view icc, std::string& problem);
extern "C" void skinmask_convert_colors(void* profile, const unsigned char* from, unsigned char* to,
                                        unsigned pixels);
extern "C" void skinmask_close_profile(void* profile);
