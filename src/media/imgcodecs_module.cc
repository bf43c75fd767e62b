// The module skinmask-imgcodecs.
#include <tiffio.h>
#include <webp/decode.h>
#include <webp/demux.h>

#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <vector>

#include "media/opencv_codecs.h"

namespace {

using skinmask::ImageFormat;
using skinmask::ImageHeader;

// A file in memory as libtiff reads it.
struct TiffFile {
  std::string_view bytes;
  std::size_t at = 0;
};

TiffFile& FileOf(thandle_t handle) { return *static_cast<TiffFile*>(handle); }

tmsize_t Read(thandle_t handle, void* to, tmsize_t size) {
  TiffFile& file = FileOf(handle);
  const std::size_t left = file.bytes.size() - std::min(file.at, file.bytes.size());
  const std::size_t count = std::min(left, static_cast<std::size_t>(size));
  if (count > 0) std::memcpy(to, file.bytes.data() + file.at, count);
  file.at += count;
  return static_cast<tmsize_t>(count);
}

tmsize_t Write(thandle_t, void*, tmsize_t) { return 0; }
toff_t Seek(thandle_t handle, toff_t offset, int whence) {
  TiffFile& file = FileOf(handle);
  const std::size_t from = whence == SEEK_SET   ? 0
                           : whence == SEEK_CUR ? file.at
                                                : file.bytes.size();
  return file.at = from + offset;
}
int Close(thandle_t) { return 0; }
toff_t SizeOf(thandle_t handle) { return FileOf(handle).bytes.size(); }

// Whether libtiff told this thread of pixels that it could not decode. OpenCV has it go on after
// these, with whatever the memory of the strip or tile held.
thread_local bool is_damaged = false;

// Errors of tags are none of pixels: a resolution of 0 harms nobody, and a directory that gives no
// picture is refused before.
bool IsOfTags(std::string_view function) {
  return function.ends_with("SetField") || function.starts_with("TIFFReadDirectory") ||
         function.starts_with("TIFFFetch");
}

void NoteError(thandle_t, const char* function, const char*, va_list) {
  is_damaged |= !IsOfTags(function ? function : "");
}

// Of warnings only those are damage that tell of pixels made up, where a JPEG or a fax ends early
// or makes no sense. All others are of tags, or of data that are whole.
void NoteWarning(thandle_t, const char* module, const char* format, va_list) {
  const std::string_view from = module ? module : "", text = format ? format : "";
  const bool of_pixels = from == "JPEGLib" || from == "LibJpeg" || from.starts_with("Fax");
  if (of_pixels || text.starts_with("Improper JPEG strip/tile size")) is_damaged = true;
}

// The first two would print. Once, before any thread needs them; OpenCV replaces those alone.
const bool kSilent =
    (TIFFSetErrorHandler(nullptr), TIFFSetWarningHandler(nullptr),
     TIFFSetErrorHandlerExt(NoteError), TIFFSetWarningHandlerExt(NoteWarning), true);

// Whether OpenCV decodes every pixel of such a TIFF as its tags say. Of others it may leave memory
// as it was (16 bits of one sample that claim to be RGB) or mix the samples up (planes of 16 bits).
// Pixels of 32 bits and more it decodes, and they are refused later.
bool IsOfReadableKind(TIFF* tiff, int bits, int samples) {
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK, planes = PLANARCONFIG_CONTIG;
  TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planes);
  const bool deep = bits > 8;
  if (deep && samples > 1 && planes != PLANARCONFIG_CONTIG) return false;
  switch (photometric) {
    case PHOTOMETRIC_MINISWHITE:
      return !deep;  // it would come inverted
    case PHOTOMETRIC_MINISBLACK:
      return samples == 1 || !deep;
    case PHOTOMETRIC_RGB:
      return samples == 3 || samples == 4;
    default:
      return !deep;  // which libtiff makes RGB of
  }
}

void ReadTiffHeader(std::string_view bytes, ImageHeader& header) {
  TiffFile file{bytes};
  const std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(
      TIFFClientOpen("", "rm", &file, Read, Write, Seek, Close, SizeOf, nullptr, nullptr),
      TIFFClose);
  std::uint32_t width = 0, height = 0;
  if (!tiff || !TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width) ||
      !TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height)) {
    header.problem = "is a damaged TIFF: its directory cannot be read (a whole file)";
    return;
  }
  header.size = {width, height};
  const bool tiled = TIFFIsTiled(tiff.get());
  std::uint16_t bits = 8, samples = 1;
  TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_BITSPERSAMPLE, &bits);
  TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_SAMPLESPERPIXEL, &samples);
  if (!IsOfReadableKind(tiff.get(), bits, samples))
    header.problem =
        "is a TIFF of a kind that is not read (8 bits, or grey or RGB of 16 bits, interleaved)";
  header.pixel_bytes = std::max(3, bits / 8 * std::max<int>(3, samples));
  if (tiled) {
    std::uint32_t tile_width = 0, tile_height = 0;
    TIFFGetField(tiff.get(), TIFFTAG_TILEWIDTH, &tile_width);
    TIFFGetField(tiff.get(), TIFFTAG_TILELENGTH, &tile_height);
    header.tile = {tile_width, tile_height};
  }
  const std::uint32_t parts =
      tiled ? TIFFNumberOfTiles(tiff.get()) : TIFFNumberOfStrips(tiff.get());
  for (std::uint32_t i = 0; i < parts; ++i) {
    const std::uint64_t start = TIFFGetStrileOffset(tiff.get(), i);
    const std::uint64_t count = TIFFGetStrileByteCount(tiff.get(), i);
    if (count <= bytes.size() && start <= bytes.size() - count) continue;
    header.problem = "is a damaged TIFF: it ends too early (a whole file)";
    return;
  }
}

void ReadWebPHeader(std::string_view bytes, ImageHeader& header) {
  const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const WebPData file{data, bytes.size()};
  const std::unique_ptr<WebPDemuxer, decltype(&WebPDemuxDelete)> demuxer(WebPDemux(&file),
                                                                         WebPDemuxDelete);
  WebPBitstreamFeatures features;
  if (!demuxer || WebPGetFeatures(data, bytes.size(), &features) != VP8_STATUS_OK) {
    header.problem = "is a damaged WebP, or one that ends too early (a whole file)";
    return;
  }
  if (features.has_animation) header.problem = "is an animation (a WebP of one picture)";
  header.size = {features.width, features.height};
  WebPChunkIterator chunk;
  if (WebPDemuxGetChunk(demuxer.get(), "EXIF", 1, &chunk))
    header.exif.assign(reinterpret_cast<const char*>(chunk.chunk.bytes), chunk.chunk.size);
  WebPDemuxReleaseChunkIterator(&chunk);
}

void DecodeWebP(std::string_view bytes, cv::Mat& image) {
  const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  int width = 0, height = 0;
  if (!WebPGetInfo(data, bytes.size(), &width, &height)) return;
  cv::Mat bgr(height, width, CV_8UC3);
  if (WebPDecodeBGRInto(data, bytes.size(), bgr.data, bgr.total() * bgr.elemSize(),
                        static_cast<int>(bgr.step)))
    image = bgr;
}

}  // namespace

void skinmask_read_header(ImageFormat format, std::string_view bytes, ImageHeader& header) {
  if (format == ImageFormat::kTiff)
    ReadTiffHeader(bytes, header);
  else
    ReadWebPHeader(bytes, header);
}

void skinmask_decode(ImageFormat format, std::string_view bytes, int flags, cv::Mat& image) {
  if (format == ImageFormat::kWebP) return DecodeWebP(bytes, image);
  const cv::Mat buffer(1, static_cast<int>(bytes.size()), CV_8UC1, const_cast<char*>(bytes.data()));
  is_damaged = false;
  image = cv::imdecode(buffer, flags);
  if (format == ImageFormat::kTiff && is_damaged)
    throw cv::Exception(cv::Error::StsError,
                        "its pixels are damaged, or end too early (a whole file)", "", "", 0);
}

void skinmask_encode_webp(const cv::Mat& image, int quality, std::string& bytes) {
  std::vector<std::uint8_t> file;
  cv::imencode(".webp", image, file, {cv::IMWRITE_WEBP_QUALITY, quality});
  bytes.assign(file.begin(), file.end());
}
