#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <memory>
#include <opencv2/imgproc.hpp>

#include "media/image_codec.h"

namespace skinmask {
namespace {

// A file in memory.
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
// libtiff reads mapped memory only. (From files that are not mapped, libtiff 4.5 reads tiles in
// units of 1024 bytes, and then refuses those of another size.)
int Map(thandle_t handle, void** memory, toff_t* size) {
  const std::string_view bytes = FileOf(handle).bytes;
  *memory = const_cast<char*>(bytes.data());
  *size = bytes.size();
  return 1;
}
void Unmap(thandle_t, void*, toff_t) {}

using TiffPtr = std::unique_ptr<TIFF, decltype(&TIFFClose)>;

TiffPtr Open(TiffFile& file) {
  return {TIFFClientOpen("", "r", &file, Read, Write, Seek, Close, SizeOf, Map, Unmap), TIFFClose};
}

// True if libtiff reported undecodable pixels in this thread. Its conversion to RGB continues after
// such errors.
thread_local bool is_damaged = false;

// Errors of tags are ignored, because they do not affect pixels: a resolution of 0 is harmless, and
// a directory without a picture was refused before.
void NoteError(thandle_t, const char* function, const char*, va_list) {
  const std::string_view in = function ? function : "";
  is_damaged |= !in.ends_with("SetField") && !in.starts_with("TIFFReadDirectory") &&
                !in.starts_with("TIFFFetch");
}

// Warnings about invented pixels, where a JPEG or a fax is truncated or invalid, count as damage.
// All other warnings are about tags, or about complete data.
void NoteWarning(thandle_t, const char* module, const char* format, va_list) {
  const std::string_view from = module ? module : "", text = format ? format : "";
  const bool of_pixels = from == "JPEGLib" || from == "LibJpeg" || from.starts_with("Fax");
  if (of_pixels || text.starts_with("Improper JPEG strip/tile size")) is_damaged = true;
}

// Replaces the handlers that would print. Done once, before any thread needs them; OpenCV replaces
// only the first two.
const bool kSilent =
    (TIFFSetErrorHandler(nullptr), TIFFSetWarningHandler(nullptr),
     TIFFSetErrorHandlerExt(NoteError), TIFFSetWarningHandlerExt(NoteWarning), true);

// The compressions that are read. Others of libtiff use libraries that abort the process (JBIG), or
// that take hours and gigabytes for a hundred bytes.
bool IsReadableCompression(int compression) {
  constexpr int kReadable[] = {
      COMPRESSION_NONE,          COMPRESSION_CCITTRLE, COMPRESSION_CCITTRLEW, COMPRESSION_CCITTFAX3,
      COMPRESSION_CCITTFAX4,     COMPRESSION_LZW,      COMPRESSION_JPEG,      COMPRESSION_DEFLATE,
      COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS};
  return std::ranges::find(kReadable, compression) != std::end(kReadable);
}

struct TiffKind {
  PictureSize size, part;  // part: a tile or strip
  std::uint16_t compression = COMPRESSION_NONE, bits = 8, samples = 1;
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK, planes = PLANARCONFIG_CONTIG;
  std::uint16_t format = SAMPLEFORMAT_UINT;
};

TiffKind KindOf(TIFF* tiff) {
  const auto number = [&](std::uint32_t tag) {
    std::uint32_t value = 0;
    TIFFGetFieldDefaulted(tiff, tag, &value);
    return std::int64_t{value};
  };
  TiffKind kind;
  kind.size = {number(TIFFTAG_IMAGEWIDTH), number(TIFFTAG_IMAGELENGTH)};
  kind.part = {kind.size.width, std::min(number(TIFFTAG_ROWSPERSTRIP), kind.size.height)};
  if (TIFFIsTiled(tiff)) kind.part = {number(TIFFTAG_TILEWIDTH), number(TIFFTAG_TILELENGTH)};
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &kind.compression);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &kind.bits);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &kind.samples);
  TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &kind.photometric);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &kind.planes);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &kind.format);
  return kind;
}

// The kinds whose pixels are read as their tags say: grey and RGB of 16 bits, and what libtiff
// converts to RGB of 8 bits.
bool IsOfReadableKind(TIFF* tiff, const TiffKind& kind) {
  constexpr int kMaxSamples = 4;  // the time grows with the number of samples
  std::uint16_t photometric = 0;  // libtiff would guess it
  if (kind.samples > kMaxSamples || kind.bits > 16 || kind.format != SAMPLEFORMAT_UINT ||
      !TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric))
    return false;
  if (kind.bits > 8) {
    if (kind.bits % 2 != 0) return false;
    const bool rgb = kind.photometric == PHOTOMETRIC_RGB && kind.samples >= 3;
    return rgb ? kind.planes == PLANARCONFIG_CONTIG
               : kind.photometric == PHOTOMETRIC_MINISBLACK && kind.samples == 1;
  }
  char reason[1024];
  return (kind.bits == 8 || (kind.bits == 1 && kind.samples == 1)) && TIFFRGBAImageOK(tiff, reason);
}

// The problem of the strips or tiles, or empty.
std::string ProblemOfParts(TIFF* tiff, std::size_t file_size) {
  const std::uint32_t parts =
      TIFFIsTiled(tiff) ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
  for (std::uint32_t i = 0; i < parts; ++i) {
    const std::uint64_t start = TIFFGetStrileOffset(tiff, i);
    const std::uint64_t count = TIFFGetStrileByteCount(tiff, i);
    if (count > file_size || start > file_size - count)
      return "is a damaged TIFF: it ends too early (a whole file)";
  }
  return {};
}

// True for tiles of grey and alpha that the right border cuts off: libtiff reads their rows skewed.
bool HasTilesThatAreReadAskew(const ImageHeader& header, const TiffKind& kind) {
  return header.tile.width > 0 && kind.samples == 2 && kind.planes == PLANARCONFIG_CONTIG &&
         header.size.width % header.tile.width != 0;
}

[[noreturn]] void FailDamaged() {
  throw cv::Exception(cv::Error::StsError,
                      "its pixels are damaged, or end too early (a whole file)", "", "", 0);
}

// A strip or a tile. Tiles are stored whole, also where the border of the picture cuts them off.
struct Part {
  std::uint32_t x, y;
  cv::Size size;
};

// A part of up to 8 bits, as R G B and alpha.
cv::Mat ConvertedPart(TIFF* tiff, const Part& part) {
  cv::Mat rgba(part.size, CV_8UC4, cv::Scalar());
  auto* const raster = reinterpret_cast<std::uint32_t*>(rgba.data);
  if (!(TIFFIsTiled(tiff) ? TIFFReadRGBATile(tiff, part.x, part.y, raster)
                          : TIFFReadRGBAStrip(tiff, part.y, raster)))
    FailDamaged();
  cv::flip(rgba, rgba, 0);  // libtiff's rows go from bottom to top
  return rgba;
}

// Decodes a part into `bytes` completely. If the data are longer than the part, libtiff's inflater
// stops without an error up to a run's length before the end. The bytes that it did not write are
// detected by the previous content of the memory. (Data that really end in these bytes are just
// decoded twice.)
void DecodePart(TIFF* tiff, const Part& part, std::string& bytes) {
  const auto decode = [&](char background) {
    std::ranges::fill(bytes, background);
    const auto size = static_cast<tmsize_t>(bytes.size());
    const std::uint32_t index = TIFFIsTiled(tiff) ? TIFFComputeTile(tiff, part.x, part.y, 0, 0)
                                                  : TIFFComputeStrip(tiff, part.y, 0);
    const tmsize_t got = TIFFIsTiled(tiff) ? TIFFReadEncodedTile(tiff, index, bytes.data(), size)
                                           : TIFFReadEncodedStrip(tiff, index, bytes.data(), size);
    if (got != size || is_damaged) FailDamaged();
  };
  decode('\0');
  if (bytes.empty() || bytes.back() != '\0') return;
  decode('\xFF');
  if (bytes.back() != '\0') FailDamaged();
}

// A part of 9 to 16 bits, as its samples of 16 bits.
cv::Mat DeepPart(TIFF* tiff, const TiffKind& kind, const Part& part) {
  const tmsize_t row = TIFFIsTiled(tiff) ? TIFFTileRowSize(tiff) : TIFFScanlineSize(tiff);
  std::string bytes(static_cast<std::size_t>(row * part.size.height), '\0');
  DecodePart(tiff, part, bytes);
  cv::Mat samples(part.size, CV_16UC(kind.samples));
  if (kind.bits == 16) {
    std::ranges::copy(bytes, reinterpret_cast<char*>(samples.data));
    return samples;
  }
  for (int y = 0; y < part.size.height; ++y) {
    const char* from = bytes.data() + row * y;
    auto* const to = samples.ptr<std::uint16_t>(y);
    std::uint32_t held = 0;
    int count = 0;
    for (int i = 0; i < part.size.width * kind.samples; ++i) {
      for (; count < kind.bits; count += 8) held = held << 8 | static_cast<std::uint8_t>(*from++);
      count -= kind.bits;
      to[i] = static_cast<std::uint16_t>((held >> count) << (16 - kind.bits));
    }
  }
  return samples;
}

}  // namespace

void ReadTiffHeader(std::string_view bytes, ImageHeader& header, std::string& problem) {
  TiffFile file{bytes};
  const TiffPtr tiff = Open(file);
  if (!tiff) {
    problem = "is a damaged TIFF: its directory cannot be read (a whole file)";
    return;
  }
  const TiffKind kind = KindOf(tiff.get());
  header.size = kind.size;
  header.pixel_bytes = std::max(3, kind.bits / 8 * std::max<int>(3, kind.samples));
  header.exif = bytes;
  if (TIFFIsTiled(tiff.get())) header.tile = kind.part;
  if (!IsReadableCompression(kind.compression))
    problem =
        "is a TIFF whose pixels are packed in a way that is not read (none, CCITT fax, LZW, "
        "JPEG, deflate or PackBits)";
  else if (!IsOfReadableKind(tiff.get(), kind) || HasTilesThatAreReadAskew(header, kind))
    problem =
        "is a TIFF of a kind that is not read (8 bits, grey of 1, or grey or RGB of 16 bits, "
        "interleaved)";
  else
    problem = ProblemOfParts(tiff.get(), bytes.size());
}

cv::Mat DecodeTiff(std::string_view bytes, bool keep_grey) {
  is_damaged = false;
  TiffFile file{bytes};
  const TiffPtr tiff = Open(file);
  if (!tiff) FailDamaged();
  // The caller turns the whole picture; libtiff would turn each strip or tile in itself.
  TIFFSetField(tiff.get(), TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  const TiffKind kind = KindOf(tiff.get());
  const bool deep = kind.bits > 8;
  const cv::Size whole(static_cast<int>(kind.part.width), static_cast<int>(kind.part.height));
  if (whole.empty()) FailDamaged();
  cv::Mat image(static_cast<int>(kind.size.height), static_cast<int>(kind.size.width),
                deep ? CV_16UC3 : CV_8UC3);
  for (int i = 0; i <= (image.rows - 1) / whole.height; ++i)
    for (int j = 0; j <= (image.cols - 1) / whole.width; ++j) {
      const cv::Point at(j * whole.width, i * whole.height);
      const cv::Size inside(std::min(whole.width, image.cols - at.x),
                            std::min(whole.height, image.rows - at.y));
      const Part part{static_cast<std::uint32_t>(at.x), static_cast<std::uint32_t>(at.y),
                      TIFFIsTiled(tiff.get()) ? whole : inside};
      const cv::Mat pixels =
          deep ? DeepPart(tiff.get(), kind, part) : ConvertedPart(tiff.get(), part);
      cv::Mat bgr = image(cv::Rect(at, inside));
      cv::cvtColor(pixels(cv::Rect({}, inside)), bgr,
                   pixels.channels() == 4   ? cv::COLOR_RGBA2BGR
                   : pixels.channels() == 3 ? cv::COLOR_RGB2BGR
                                            : cv::COLOR_GRAY2BGR);
    }
  if (is_damaged) FailDamaged();
  const bool is_grey =
      kind.photometric == PHOTOMETRIC_MINISBLACK || kind.photometric == PHOTOMETRIC_MINISWHITE;
  if (is_grey && keep_grey) cv::extractChannel(image, image, 0);
  return image;
}

}  // namespace skinmask
