// The formats of image files, in a table with a row for each: how a file is recognised, how its
// header is read, and how it is decoded. Files of other formats do not reach any decoder
// (SECURITY.md).
#pragma once

#include <cstdint>
#include <functional>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

struct DecodeOptions;
struct PictureTags;
struct VideoFrame;
class Scratch;

// A larger profile is ignored. Profiles of cameras and screens have some kB; those of printers,
// with tables, a megabyte or two.
inline constexpr std::size_t kMaxProfile = std::size_t{4} << 20;
inline constexpr double kMaxDpi = 30000;  // more than printers and scanners have

struct PictureSize {
  std::int64_t width = 0, height = 0;
  bool operator==(const PictureSize&) const = default;
};

// The content of a header, before memory is allocated for the picture.
struct ImageHeader {
  PictureSize size;
  PictureSize tile{};            // for tiled TIFFs: each tile is decoded whole
  std::int64_t pixel_bytes = 3;  // bytes of a decoded pixel
  std::int64_t layers = 0;       // pixels of layers that are decoded in addition and blended
  // The EXIF data in the file, or the whole file for ExifOrientation; empty if the decoder returns
  // an upright picture.
  std::string_view exif{};
  std::string icc{};  // for formats that ReadTags does not know
};

// How a stored picture must be transformed for display, by EXIF data or by the video.
struct Orientation {
  int rotation = 0;       // degrees clockwise: 0, 90, 180, 270
  bool mirrored = false;  // flipped from left to right before the rotation
};

// A decoded picture, not upright yet: CV_8UC3 B G R, or CV_8UC1 with keep_grey; CV_16U with
// keep_depth.
struct StoredImage {
  cv::Mat pixels;
  bool scaled = false;  // it has the size that the options request
};

struct ImageCodec {
  std::string_view name;
  bool (*probe)(std::string_view bytes);  // recognises the first bytes of a file
  // Both throw Error for damaged files and unsupported kinds.
  ImageHeader (*header)(std::string_view bytes, std::string_view subject);
  StoredImage (*decode)(std::string_view bytes, std::string_view subject, const ImageHeader& header,
                        const DecodeOptions& options);
  std::string_view module{};      // the module with these functions; empty: none
  bool is_well_reviewed = false;  // Isolate::kAuto decodes it in this process
  std::string_view missing{};     // the library without which this build was made; empty: none
};

// True if the last quarter or more of the coded pixels was never written, for example by an
// interrupted copy into a file of full size. Decoders of WebP and AV1 accept zeros as pixels.
// (Pictures of one colour end in zeros, too, but these are a twentieth of a WebP: 770 bytes of 4000
// x 2000.)
inline bool EndsInZeros(std::string_view coded) {
  constexpr std::size_t kFew = 64;
  const std::size_t end = coded.find_last_not_of('\0');  // npos + 1 is 0
  const std::size_t zeros = coded.size() - (end + 1);
  return zeros >= kFew && zeros >= coded.size() / 4;
}

// The picture as it is displayed; the same matrix if there is nothing to change.
cv::Mat Upright(const cv::Mat& stored, const Orientation& orientation);

// Reads the tags of a JPEG, PNG, WebP or TIFF. Empty for other formats and damaged data.
PictureTags ReadTags(std::string_view bytes);

// The orientation by EXIF; the default without EXIF. Takes a JPEG, or EXIF data with or without
// "Exif\0\0".
Orientation ExifOrientation(std::string_view bytes);

// True if colours of that profile are not converted, that is, if InSrgb returns the picture itself.
bool IsTakenAsSrgb(const std::string& icc);

// Converts B G R to sRGB; thread-safe. Empty: no conversion.
using ColorConversion = std::function<void(const uchar* from, uchar* to, unsigned pixels)>;

// Null if the format is not in the table.
const ImageCodec* CodecOf(std::string_view bytes);

// Throws Error for an unknown format. `bytes` serve to recognise compressed archives.
[[noreturn]] void FailUnknownImage(std::string_view subject, std::string_view bytes = {});

// Throws Error for a picture with no pixels or with more than `most`.
void CheckSize(const PictureSize& size, std::int64_t most, std::string_view subject);

// Checks also tiles and layers, and then calls options.take for the memory of all of it.
void CheckHeader(const ImageHeader& header, std::string_view subject, const DecodeOptions& options);

// Decodes by the module of OpenCV's codecs, whatever the first bytes are. OpenCV's imgcodecs loads
// about 120 shared libraries, which takes longer than most runs; JPEG and PNG, the most frequent
// formats, are decoded without it (docs/decisions/0007-late-codecs.md).
StoredImage DecodeInImgcodecs(std::string_view bytes, std::string_view subject,
                              const ImageHeader& header, const DecodeOptions& options);

// PNG is read by libpng with ISA-L in place of zlib (png_decode.cc), and written by our own code
// with ISA-L (png_encode.cc, docs/decisions/0004-png.md). Palettes and fewer than 8 bits are
// expanded, 16 bits are scaled and rounded (unless they are kept), and alpha is dropped. The
// picture is in the buffer of the options, if there is one. A file without an IEND chunk is
// damaged.
ImageHeader PngHeader(std::string_view bytes, std::string_view subject);
StoredImage DecodePng(std::string_view bytes, std::string_view subject, const ImageHeader& header,
                      const DecodeOptions& options);

// TurboJPEG decodes JPEG to pixels or to the stored planes; OpenCV decodes CMYK.
ImageHeader JpegHeader(std::string_view jpeg, std::string_view subject);
StoredImage DecodeJpeg(std::string_view jpeg, std::string_view subject, const ImageHeader& header,
                       const DecodeOptions& options);

// Reads what stands before the pixels of a BMP, and refuses what OpenCV would decode to another
// picture without a word: channels in another order, and runs that do not fit the rows.
ImageHeader BmpHeader(std::string_view bytes, std::string_view subject);

// skinmask_read_header and skinmask_decode for a TIFF, in the module skinmask-imgcodecs, by
// libtiff. The picture is as it is stored, not turned. A damaged one throws cv::Exception.
void ReadTiffHeader(std::string_view bytes, ImageHeader& header, std::string& problem);
cv::Mat DecodeTiff(std::string_view bytes, bool keep_grey);

// PNM is Netpbm's P1 to P6, with white space after it.
bool IsPnm(std::string_view bytes);
ImageHeader PnmHeader(std::string_view bytes, std::string_view subject);
// The file with the greatest value of its type, so that its values stay as they are stored, as
// labels must.
std::string UnscaledPnm(std::string_view bytes);
// The file with its values scaled to the whole range of their type; empty if OpenCV decodes it
// correctly as it is. OpenCV ignores the greatest value in the header, except for text with values
// up to 255, so other pictures would be too dark. Two cases keep the stored values: ground truth of
// one byte that is no text, and values up to 255 in files of a greatest value of 512 or more, where
// scaling would map all of them below the middle. Throws Error for text that OpenCV cannot decode.
std::string ScaledPnm(std::string_view bytes, std::string_view subject,
                      const DecodeOptions& options);

// The stored planes of a JPEG (Y'CbCr or grey) as a frame with its orientation, without conversion
// and without upsampling of the chroma. The planes are in `planes` and valid until its next use. Of
// `options` only max_pixels, isolation and take are used. Absent for other formats, for a JPEG
// without such planes (RGB, CMYK, or a profile that is not sRGB), and with Isolate::kAll. Throws
// Error for the same files as DecodeImage.
std::optional<VideoFrame> DecodeJpegPlanes(std::string_view bytes, std::string_view subject,
                                           const DecodeOptions& options, Scratch& planes);

}  // namespace skinmask

// The functions of each codec module (skinmask-imgcodecs, skinmask-heif, skinmask-jxl,
// skinmask-raw): they read the header, or decode the picture to B G R or grey, of a file of the
// module's formats, or set `problem`. For HEIC and AVIF our own reader (media/heif.h) reads the
// header. `option`: for skinmask-imgcodecs, grey files stay grey; for skinmask-raw, half the width
// and height.
extern "C" void skinmask_read_header(std::string_view bytes, skinmask::ImageHeader& header,
                                     std::string& problem);
extern "C" void skinmask_decode(std::string_view bytes, bool option, cv::Mat& pixels,
                                std::string& problem);
// Only in skinmask-imgcodecs; see EncodeWebP.
extern "C" void skinmask_encode_webp(const cv::Mat& image, int quality, std::string& bytes);
// In the module skinmask-icc. Sets the conversion from a profile to sRGB, unless the profile is
// sRGB or sets `problem`.
extern "C" void skinmask_open_profile(std::string_view icc, std::string& problem,
                                      skinmask::ColorConversion& conversion);
