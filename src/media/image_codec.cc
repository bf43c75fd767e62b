#include "media/image_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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

StoredImage DecodePnm(std::string_view bytes, std::string_view subject, const ImageHeader& header,
                      const DecodeOptions& options) {
  const std::string scaled = ScaledPnm(bytes, subject, options);
  return DecodeInImgcodecs(scaled.empty() ? bytes : scaled, subject, header, options);
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
    {"BMP", [](View b) { return b.starts_with("BM"sv); }, BmpHeader, DecodeInImgcodecs, kImgcodecs},
    // Before TIFF, because some raw files begin like a TIFF.
    {"raw", IsRaw, HeaderInModule<kRaw>, DecodeRaw, kRaw, false, SKINMASK_RAW ? "" : "LibRaw"},
    {"TIFF", IsTiff, HeaderInModule<kImgcodecs>, DecodeInImgcodecs, kImgcodecs},
    {"WebP",
     [](View b) {
       return b.size() >= 12 && b.starts_with("RIFF"sv) && b.substr(8).starts_with("WEBP"sv);
     },
     HeaderInModule<kImgcodecs>, DecodeInImgcodecs, kImgcodecs},
    {"PNM", IsPnm, PnmHeader, DecodePnm, kImgcodecs},
    {"GIF", IsGif, GifHeader, DecodeGif},
    {"JPEG XL",
     [](View b) {
       return b.starts_with("\xFF\x0A"sv) || b.starts_with("\0\0\0\x0CJXL \r\n\x87\n"sv);
     },
     HeaderInModule<kJxl>, DecodeJxl, kJxl, false, SKINMASK_JXL ? "" : "libjxl"},
    {"HEIF", IsHeif, HeifHeader, DecodeHeif, kHeif, false, SKINMASK_HEIF ? "" : "libheif"}};

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

StoredImage DecodeInImgcodecs(std::string_view bytes, std::string_view subject, const ImageHeader&,
                              const DecodeOptions& options) {
  cv::Mat pixels = DecodeInModule<kImgcodecs>(bytes, subject, options.keep_grey);
  if (pixels.empty()) FailUnknownImage(subject);
  if (pixels.depth() == CV_16U && !options.keep_depth)
    pixels.convertTo(pixels, CV_8U, 255. / 65535.);
  return {.pixels = pixels};
}

}  // namespace skinmask
