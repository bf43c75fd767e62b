#include "media/image_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "base/parse.h"
#include "media/bmp.h"
#include "media/file_bytes.h"
#include "media/gif.h"
#include "media/heif.h"
#include "media/late_module.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"
#include "skinmask/media/image.h"

namespace skinmask {
namespace {

using namespace std::string_view_literals;

// True for a box 'ftyp' with a brand for single pictures (ISO/IEC 23008-12; AVIF), not for
// sequences.
bool IsHeif(std::string_view bytes) {
  constexpr std::string_view kBrands[] = {"heic", "heix", "heim", "heis", "mif1", "avif"};
  if (bytes.size() < 12 || bytes.substr(4, 4) != "ftyp") return false;
  return std::ranges::find(kBrands, bytes.substr(8, 4)) != std::end(kBrands);
}

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Reads the next number of a PNM header, after white space and comments ('#' to the end of the
// line). White space must follow, because OpenCV skips any character there.
std::optional<std::int64_t> NextNumber(std::string_view& header) {
  while (!header.empty() && (IsSpace(header[0]) || header[0] == '#'))
    header.remove_prefix(header[0] == '#' ? std::min(header.find_first_of("\r\n"), header.size())
                                          : 1);
  const std::size_t digits = std::min(header.find_first_not_of("0123456789"), header.size());
  const auto number = ParseNumber<std::int32_t>(header.substr(0, digits));
  header.remove_prefix(digits);
  if (header.empty() || !IsSpace(header[0])) return std::nullopt;
  return number;
}

// True for "P1" to "P6" and white space.
bool IsPnm(std::string_view bytes) {
  return bytes.size() >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
         IsSpace(bytes[2]);
}

ImageHeader PnmHeader(std::string_view bytes, std::string_view subject) {
  bytes.remove_prefix(2);
  const auto width = NextNumber(bytes), height = NextNumber(bytes);
  if (!width || !height) FailUnknownImage(subject);
  return {.size = {*width, *height}};
}

// The file with its values scaled to the whole range of their type; empty if OpenCV decodes it
// correctly as it is. OpenCV ignores the greatest value in the header, except for text with values
// up to 255, so other pictures would be too dark. Two cases keep the stored values: labels of
// ground truth of one byte, and labels up to 255 in files of a greatest value of 512 or more, where
// scaling would map all of them below the middle. Throws Error for text that OpenCV cannot decode.
std::string ScaledPnm(std::string_view bytes, std::string_view subject,
                      const DecodeOptions& options) {
  std::string_view left = bytes.substr(2);
  NextNumber(left);
  NextNumber(left);
  const bool is_binary = bytes[1] == '5' || bytes[1] == '6',
             has_bits = bytes[1] == '1' || bytes[1] == '4';
  const std::int64_t most = has_bits ? 1 : NextNumber(left).value_or(0);
  const std::size_t size = most > UINT8_MAX ? 2 : 1;
  const std::int64_t whole = size == 2 ? UINT16_MAX : UINT8_MAX;
  const std::size_t start = bytes.size() - left.size() + 1;
  const auto are_bytes = [&] {
    for (std::size_t at = start; at < bytes.size(); at += 2)
      if (bytes[at] != 0) return false;
    return true;
  };
  const bool is_scaled = has_bits || (size == 1 && (!is_binary || options.keep_grey)) ||
                         (most >= 512 && options.keep_depth && is_binary && are_bytes());
  if (is_scaled || most <= 0 || most >= whole) {
    // OpenCV wants white space behind the last number, too.
    const bool lacks_end = !is_binary && bytes[1] != '4' && !IsSpace(bytes.back());
    return lacks_end ? std::string(bytes) + "\n" : std::string();
  }
  if (!is_binary)
    throw Error(subject, fmt::format("is a PNM of text whose greatest value is {} (up to 255, or "
                                     "65535)",
                                     most));
  std::vector<std::uint16_t> scaled;
  for (std::int64_t value = 0; value <= whole; ++value)
    scaled.push_back(static_cast<std::uint16_t>((std::min(value, most) * whole + most / 2) / most));
  std::string file(bytes);
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(file[at]); };
  for (std::size_t at = start; at + size <= file.size(); at += size) {
    const unsigned value = scaled[size == 1 ? byte(at) : 256u * byte(at) + byte(at + 1)];
    if (size == 2) file[at] = static_cast<char>(value >> 8);  // big-endian
    file[at + size - 1] = static_cast<char>(value);
  }
  return file;
}

constexpr char kImgcodecs[] = "skinmask-imgcodecs.so", kHeif[] = "skinmask-heif.so",
               kJxl[] = "skinmask-jxl.so", kRaw[] = "skinmask-raw.so";

template <const char* kModule>
ImageHeader HeaderInModule(std::string_view bytes, std::string_view subject) {
  static auto* const read =
      FindInModule<decltype(skinmask_read_header)>(kModule, "skinmask_read_header");
  ImageHeader header;
  std::string problem;
  read(bytes, header, problem);
  if (!problem.empty()) throw Error(subject, problem);
  return header;
}

template <const char* kModule>
cv::Mat DecodeInModule(std::string_view bytes, std::string_view subject, bool option) {
  static auto* const decode = FindInModule<decltype(skinmask_decode)>(kModule, "skinmask_decode");
  cv::Mat pixels;
  std::string problem;
  decode(bytes, option, pixels, problem);
  if (!problem.empty()) throw Error(subject, problem);
  return pixels;
}

StoredImage DecodeOther(std::string_view bytes, std::string_view subject, const ImageHeader& header,
                        const DecodeOptions& options) {
  StoredImage image = DecodeInImgcodecs(bytes, subject, options);
  image.orientation = ExifOrientation(header.exif);
  return image;
}

StoredImage DecodePnm(std::string_view bytes, std::string_view subject, const ImageHeader& header,
                      const DecodeOptions& options) {
  const std::string scaled = ScaledPnm(bytes, subject, options);
  return DecodeOther(scaled.empty() ? bytes : scaled, subject, header, options);
}

// The modules of libheif and libjxl return upright pictures.
ImageHeader HeifHeader(std::string_view bytes, std::string_view subject) {
  constexpr std::int64_t kTwice = 8;  // the decoder holds a copy of the picture
  const HeifPicture picture = ReadHeifPicture(bytes, subject);
  ImageHeader header{.size = picture.size, .pixel_bytes = kTwice};
  if (picture.profile.size() <= kMaxProfile) header.icc = picture.profile;
  return header;
}

StoredImage DecodeHeif(std::string_view bytes, std::string_view subject, const ImageHeader&,
                       const DecodeOptions&) {
  const auto decode = [&](const std::string& coded) {
    return DecodeInModule<kHeif>(coded, subject, false);
  };
  return {.pixels = JoinTiles(ReadHeifPicture(bytes, subject), decode, subject)};
}

StoredImage DecodeJxl(std::string_view bytes, std::string_view subject, const ImageHeader&,
                      const DecodeOptions&) {
  return {.pixels = DecodeInModule<kJxl>(bytes, subject, false)};
}

// Raw files of cameras: special TIFFs, or formats of the makers.
StoredImage DecodeRaw(std::string_view bytes, std::string_view subject, const ImageHeader&,
                      const DecodeOptions& options) {
  const bool half = options.scale > 1;
  const cv::Mat pixels = DecodeInModule<kRaw>(bytes, subject, half);
  return {.pixels = half ? ScaledDown(pixels, options.scale / 2) : pixels, .scaled = true};
}

// True for a TIFF that begins with a thumbnail and refers to other pictures (NEF, ARW, PEF) or
// declares itself as DNG or CR2, and for the formats of other makers.
bool IsRaw(std::string_view bytes) {
  constexpr std::string_view kStarts[] = {"FUJIFILMCCD-RAW "sv, "IIRO"sv, "IIRS"sv, "MMOR"sv,
                                          "IIU\0"sv};
  for (const std::string_view start : kStarts)
    if (bytes.starts_with(start)) return true;
  if (bytes.size() > 16 && bytes.substr(4, 8) == "ftypcrx ") return true;
  if (!IsTiff(bytes)) return false;
  constexpr std::size_t kDngVersion = 0xC612, kKind = 0xFE, kOthers = 0x14A, kMaker = 0x10F;
  const TiffDirectory tiff(bytes);
  const std::size_t kind = tiff.Find(kKind);
  return (bytes.size() > 10 && bytes.substr(8, 2) == "CR"sv) || tiff.Find(kDngVersion) > 0 ||
         (kind > 0 && tiff.Number(kind + 8, 4) == 1 && tiff.Find(kOthers) > 0 &&
          tiff.Find(kMaker) > 0);
}

using View = std::string_view;

constexpr ImageCodec kCodecs[] = {
    {"JPEG", IsJpeg, JpegHeader, DecodeJpeg, "", true},
    {"PNG", [](View b) { return b.starts_with(kPngSignature); }, PngHeader, DecodePng, "", true},
    {"BMP", [](View b) { return b.starts_with("BM"sv); }, BmpHeader, DecodeOther, kImgcodecs},
    // Before TIFF, because some raw files begin like a TIFF.
    {"raw", IsRaw, HeaderInModule<kRaw>, DecodeRaw, kRaw, false,
     SKINMASK_RAW ? ""
                  : "is a camera's raw file, which this build does not read (it was made without "
                    "LibRaw)"},
    {"TIFF", IsTiff, HeaderInModule<kImgcodecs>, DecodeOther, kImgcodecs},
    {"WebP",
     [](View b) {
       return b.size() >= 12 && b.starts_with("RIFF"sv) && b.substr(8).starts_with("WEBP"sv);
     },
     HeaderInModule<kImgcodecs>, DecodeOther, kImgcodecs},
    {"PNM", IsPnm, PnmHeader, DecodePnm, kImgcodecs},
    {"GIF", IsGif, GifHeader, DecodeGif},
    {"JPEG XL",
     [](View b) {
       return b.starts_with("\xFF\x0A"sv) || b.starts_with("\0\0\0\x0CJXL \r\n\x87\n"sv);
     },
     HeaderInModule<kJxl>, DecodeJxl, kJxl, false,
     SKINMASK_JXL ? "" : "is JPEG XL, which this build does not read (it was made without libjxl)"},
    {"HEIF", IsHeif, HeifHeader, DecodeHeif, kHeif, false,
     SKINMASK_HEIF
         ? ""
         : "is HEIC or AVIF, which this build does not read (it was made without libheif)"}};

// Every tile is decoded whole, even if the picture needs one pixel of it. Tiles that are not larger
// than the picture have at most four times its pixels.
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

}  // namespace

const ImageCodec* CodecOf(std::string_view bytes) {
  for (const ImageCodec& codec : kCodecs)
    if (codec.probe(bytes)) return &codec;
  return nullptr;
}

cv::Mat Upright(const cv::Mat& stored, const Orientation& orientation) {
  cv::Mat picture = stored, turned;
  if (orientation.mirrored) cv::flip(stored, picture = cv::Mat(), 1);
  if (orientation.rotation == 0) return picture;
  cv::rotate(picture, turned,
             orientation.rotation == 90    ? cv::ROTATE_90_CLOCKWISE
             : orientation.rotation == 180 ? cv::ROTATE_180
                                           : cv::ROTATE_90_COUNTERCLOCKWISE);
  return turned;
}

void FailUnknownImage(std::string_view subject, std::string_view bytes) {
  if (IsCompressed(bytes))
    throw Error(subject, "is compressed (archives are read as tar alone makes them)");
  if (bytes.substr(0, 12).ends_with("ftypavis"))
    throw Error(subject, "is a sequence of AVIF images (as a video it is called FILE.mp4)");
  throw Error(
      subject,
      "is no image, or a damaged one (JPEG, PNG, BMP, TIFF, WebP, PNM, GIF, HEIC, AVIF, JPEG XL, "
      "raw files of cameras)");
}

void CheckSize(const PictureSize& size, std::int64_t most, std::string_view subject) {
  if (size.width <= 0 || size.height <= 0 || size.width > INT32_MAX || size.height > INT32_MAX)
    throw Error(subject, "is a damaged image: it has no pixels, or no size");
  if (size.width > most / size.height)
    throw Error(
        subject,
        fmt::format(
            "has {} x {} pixels, and the limit is {} pixels (`max_pixels` takes a higher one)",
            size.width, size.height, most));
}

void CheckHeader(const ImageHeader& header, std::string_view subject,
                 const DecodeOptions& options) {
  CheckSize(header.size, options.max_pixels, subject);
  if (header.tile.width > 0) CheckTiles(header, options.max_pixels, subject);
  if (header.layers > options.max_pixels)
    throw Error(subject, fmt::format("has layers of {} pixels in all, and the limit is {} pixels "
                                     "(`max_pixels` takes a higher one)",
                                     header.layers, options.max_pixels));
  if (!options.take) return;
  const std::int64_t tile = header.tile.width * header.tile.height;
  const std::int64_t pixels = header.size.width * header.size.height + tile;
  options.take(pixels * std::max<std::int64_t>(4, header.pixel_bytes) / 4 + header.layers);
}

StoredImage DecodeInImgcodecs(std::string_view bytes, std::string_view subject,
                              const DecodeOptions& options) {
  cv::Mat pixels = DecodeInModule<kImgcodecs>(bytes, subject, options.keep_grey);
  if (pixels.empty()) FailUnknownImage(subject);
  const bool is_deep = pixels.depth() == CV_16U;
  if (is_deep && !options.keep_depth) pixels.convertTo(pixels, CV_8U, 255. / 65535.);
  if ((pixels.depth() != CV_8U && !is_deep) || (pixels.channels() != 3 && !options.keep_grey))
    throw Error(subject, "has pixels that are neither 8 nor 16 bits per channel");
  return {.pixels = pixels};
}

}  // namespace skinmask
