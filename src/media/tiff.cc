#include "media/tiff.h"

#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <memory>
#include <opencv2/imgcodecs.hpp>

#include "media/file_bytes.h"

namespace skinmask {
namespace {

// A file in memory that libtiff reads, or writes to `written`.
struct TiffFile {
  std::string_view bytes;
  std::size_t at = 0;
  std::string* written = nullptr;
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

tmsize_t Write(thandle_t handle, void* from, tmsize_t size) {
  TiffFile& file = FileOf(handle);
  if (!file.written) return 0;
  const auto count = static_cast<std::size_t>(size);
  if (file.written->size() < file.at + count) file.written->resize(file.at + count);
  std::memcpy(file.written->data() + file.at, from, count);
  file.bytes = *file.written;
  file.at += count;
  return size;
}
toff_t Seek(thandle_t handle, toff_t offset, int whence) {
  TiffFile& file = FileOf(handle);
  const std::size_t from = whence == SEEK_SET   ? 0
                           : whence == SEEK_CUR ? file.at
                                                : file.bytes.size();
  return file.at = from + offset;
}
int Close(thandle_t) { return 0; }
toff_t SizeOf(thandle_t handle) { return FileOf(handle).bytes.size(); }

using TiffPtr = std::unique_ptr<TIFF, decltype(&TIFFClose)>;

TiffPtr Open(TiffFile& file, const char* mode) {
  return {TIFFClientOpen("", mode, &file, Read, Write, Seek, Close, SizeOf, nullptr, nullptr),
          TIFFClose};
}

// True if libtiff reported undecodable pixels in this thread. OpenCV makes libtiff continue after
// such errors, with the old memory of the strip or tile.
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
  std::uint16_t compression = COMPRESSION_NONE, bits = 8, samples = 1;
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK, planes = PLANARCONFIG_CONTIG;
};

TiffKind KindOf(TIFF* tiff) {
  TiffKind kind;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &kind.compression);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &kind.bits);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &kind.samples);
  TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &kind.photometric);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &kind.planes);
  return kind;
}

// True if OpenCV decodes every pixel of such a TIFF as its tags say. In other kinds OpenCV may
// leave memory unchanged (16 bits of one sample that claim to be RGB) or mix up the samples (planes
// of 16 bits). Pixels of 32 bits and more are decoded here and refused later.
bool IsOfReadableKind(const TiffKind& kind) {
  constexpr int kMaxSamples = 8;  // the time grows with the number of samples
  const bool deep = kind.bits > 8;
  if (kind.samples > kMaxSamples) return false;
  if (kind.bits < 8 && (kind.bits != 1 || kind.samples != 1)) return false;
  if (deep && kind.samples > 1 && kind.planes != PLANARCONFIG_CONTIG) return false;
  if (kind.photometric == PHOTOMETRIC_RGB) return kind.samples == 3 || kind.samples == 4;
  if (kind.photometric == PHOTOMETRIC_MINISBLACK && kind.samples == 1) return true;
  return !deep;  // white-is-0 would be inverted, and libtiff converts others to RGB
}

std::uint32_t CountParts(TIFF* tiff) {
  return TIFFIsTiled(tiff) ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
}

// The problem of the strips or tiles, or empty.
std::string ProblemOfParts(TIFF* tiff, std::size_t file_size) {
  for (std::uint32_t i = 0, parts = CountParts(tiff); i < parts; ++i) {
    const std::uint64_t start = TIFFGetStrileOffset(tiff, i);
    const std::uint64_t count = TIFFGetStrileByteCount(tiff, i);
    if (count > file_size || start > file_size - count)
      return "is a damaged TIFF: it ends too early (a whole file)";
  }
  return {};
}

// True if the tiles have 8 bits. OpenCV then makes libtiff rotate each tile separately, so a
// mirrored picture would be assembled from mirrored tiles. Such pictures are decoded as stored, and
// the whole picture is rotated afterwards.
bool IsTurnedByTiles(TIFF* tiff) { return TIFFIsTiled(tiff) && KindOf(tiff).bits <= 8; }

// EXIF data with only the picture's orientation.
std::string OrientationOf(TIFF* tiff) {
  std::uint16_t orientation = ORIENTATION_TOPLEFT;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
  std::string exif("II*\0\x08\0\0\0\1\0", 10);
  exif += LittleEndianBytes(TIFFTAG_ORIENTATION, 2) + LittleEndianBytes(TIFF_SHORT, 2);
  return exif + LittleEndianBytes(1, 4) + LittleEndianBytes(orientation, 4);
}

// True for tiles of grey and alpha that the right border cuts off: libtiff reads their rows skewed.
bool HasTilesThatAreReadAskew(const ImageHeader& header, const TiffKind& kind) {
  return header.tile.width > 0 && kind.samples == 2 && kind.planes == PLANARCONFIG_CONTIG &&
         header.size.width % header.tile.width != 0;
}

// The same file with the orientation set to upright.
std::string WithoutOrientation(std::string_view bytes) {
  std::string file(bytes);
  const std::size_t entry = skinmask::TiffDirectory(bytes).Find(TIFFTAG_ORIENTATION);
  const std::string_view upright = bytes.starts_with("MM")
                                       ? std::string_view("\0\3\0\0\0\1\0\1\0\0", 10)
                                       : std::string_view("\3\0\1\0\0\0\1\0\0\0", 10);
  if (entry > 0 && entry + 12 <= file.size()) file.replace(entry + 2, upright.size(), upright);
  return file;
}

[[noreturn]] void FailDamaged() {
  throw cv::Exception(cv::Error::StsError,
                      "its pixels are damaged, or end too early (a whole file)", "", "", 0);
}

// Decodes strip or tile `part` into `memory` completely. If the data are longer than the part,
// libtiff's inflater stops without an error up to a run's length before the end. The bytes that it
// did not write are detected by the previous content of the memory. (Data that really end in these
// bytes are just decoded twice.)
void DecodePart(TIFF* tiff, std::uint32_t part, std::string& memory) {
  const auto decode = [&](char background) {
    std::ranges::fill(memory, background);
    const auto size = static_cast<tmsize_t>(memory.size());
    const tmsize_t got = TIFFIsTiled(tiff) ? TIFFReadEncodedTile(tiff, part, memory.data(), size)
                                           : TIFFReadEncodedStrip(tiff, part, memory.data(), size);
    if (got < 0 || is_damaged) FailDamaged();
    return static_cast<std::size_t>(got);
  };
  const std::size_t got = decode('\0');
  if (got > 0 && memory[got - 1] == '\0') {
    decode('\xFF');
    if (memory[got - 1] != '\0') FailDamaged();
  }
  memory.resize(got);
}

// Copies a tag with a single number.
template <class Number>
void CopyTag(TIFF* from, TIFF* to, std::uint32_t tag) {
  Number value{};
  if (TIFFGetField(from, tag, &value)) TIFFSetField(to, tag, value);
}

// The same picture with another compression. COMPRESSION_NONE is needed because OpenCV makes
// libtiff decode pixels of more than 8 bits into reused memory, and takes everything in it for
// pixels. (For other pixels libtiff zeroes the memory first.)
std::string Repacked(TIFF* tiff, const TiffKind& kind, int compression) {
  std::string bytes;
  TiffFile file{{}, 0, &bytes};
  const TiffPtr plain = Open(file, "w");
  if (!plain) FailDamaged();
  for (const std::uint32_t tag : {TIFFTAG_IMAGEWIDTH, TIFFTAG_IMAGELENGTH, TIFFTAG_TILEWIDTH,
                                  TIFFTAG_TILELENGTH, TIFFTAG_ROWSPERSTRIP})
    CopyTag<std::uint32_t>(tiff, plain.get(), tag);
  for (const std::uint32_t tag : {TIFFTAG_SAMPLEFORMAT, TIFFTAG_ORIENTATION})
    CopyTag<std::uint16_t>(tiff, plain.get(), tag);
  TIFFSetField(plain.get(), TIFFTAG_BITSPERSAMPLE, kind.bits);
  TIFFSetField(plain.get(), TIFFTAG_SAMPLESPERPIXEL, kind.samples);
  TIFFSetField(plain.get(), TIFFTAG_PHOTOMETRIC, kind.photometric);
  TIFFSetField(plain.get(), TIFFTAG_PLANARCONFIG, kind.planes);
  std::uint16_t extras = 0, *extra = nullptr, *map[3] = {};
  if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &extras, &extra))
    TIFFSetField(plain.get(), TIFFTAG_EXTRASAMPLES, extras, extra);
  if (TIFFGetField(tiff, TIFFTAG_COLORMAP, &map[0], &map[1], &map[2]))
    TIFFSetField(plain.get(), TIFFTAG_COLORMAP, map[0], map[1], map[2]);
  TIFFSetField(plain.get(), TIFFTAG_COMPRESSION, compression);
  const bool tiled = TIFFIsTiled(tiff);
  const tmsize_t size = tiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff);
  if (size <= 0) FailDamaged();
  std::string part;
  for (std::uint32_t i = 0, parts = CountParts(tiff); i < parts; ++i) {
    part.resize(static_cast<std::size_t>(size));
    DecodePart(tiff, i, part);
    const auto count = static_cast<tmsize_t>(part.size());
    if ((tiled ? TIFFWriteEncodedTile(plain.get(), i, part.data(), count)
               : TIFFWriteEncodedStrip(plain.get(), i, part.data(), count)) < 0)
      FailDamaged();
  }
  TIFFFlush(plain.get());
  return bytes;
}

// True for uncompressed tiles whose size is not a multiple of the unit of libtiff's buffer: for
// files in memory libtiff 4.5 reads past the end of such a tile and then fails to convert it to
// RGB.
bool HasTilesThatAreReadBeyond(TIFF* tiff, const TiffKind& kind) {
  constexpr tmsize_t kUnit = 1024;
  return kind.bits == 8 && kind.photometric <= PHOTOMETRIC_PALETTE &&
         kind.compression == COMPRESSION_NONE && TIFFIsTiled(tiff) &&
         TIFFTileSize(tiff) % kUnit != 0;
}

}  // namespace

void ReadTiffHeader(std::string_view bytes, ImageHeader& header, std::string& problem) {
  TiffFile file{bytes};
  const TiffPtr tiff = Open(file, "rm");
  std::uint32_t width = 0, height = 0;
  if (!tiff || !TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width) ||
      !TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height)) {
    problem = "is a damaged TIFF: its directory cannot be read (a whole file)";
    return;
  }
  header.size = {width, height};
  const TiffKind kind = KindOf(tiff.get());
  header.pixel_bytes = std::max(3, kind.bits / 8 * std::max<int>(3, kind.samples));
  if (TIFFIsTiled(tiff.get())) {
    std::uint32_t tile_width = 0, tile_height = 0;
    TIFFGetField(tiff.get(), TIFFTAG_TILEWIDTH, &tile_width);
    TIFFGetField(tiff.get(), TIFFTAG_TILELENGTH, &tile_height);
    header.tile = {tile_width, tile_height};
    if (IsTurnedByTiles(tiff.get())) header.exif = OrientationOf(tiff.get());
  }
  if (!IsReadableCompression(kind.compression))
    problem =
        "is a TIFF whose pixels are packed in a way that is not read (none, CCITT fax, LZW, "
        "JPEG, deflate or PackBits)";
  else if (!IsOfReadableKind(kind) || HasTilesThatAreReadAskew(header, kind))
    problem = kUnreadTiff;
  else
    problem = ProblemOfParts(tiff.get(), bytes.size());
}

cv::Mat DecodeWithOpenCv(std::string_view bytes, int flags) {
  const cv::Mat buffer(1, static_cast<int>(bytes.size()), CV_8UC1, const_cast<char*>(bytes.data()));
  return cv::imdecode(buffer, flags);
}

cv::Mat DecodeTiff(std::string_view bytes, int flags) {
  is_damaged = false;
  TiffFile file{bytes};
  const TiffPtr tiff = Open(file, "rm");
  if (!tiff) FailDamaged();
  const TiffKind kind = KindOf(tiff.get());
  const bool packed_deep = kind.bits > 8 && kind.compression != COMPRESSION_NONE;
  std::string repacked;
  if (packed_deep) repacked = Repacked(tiff.get(), kind, COMPRESSION_NONE);
  if (HasTilesThatAreReadBeyond(tiff.get(), kind))
    repacked = Repacked(tiff.get(), kind, COMPRESSION_PACKBITS);
  if (!repacked.empty()) bytes = repacked;
  if (IsTurnedByTiles(tiff.get())) bytes = repacked = WithoutOrientation(bytes);
  cv::Mat image = DecodeWithOpenCv(bytes, flags);
  if (is_damaged) FailDamaged();
  return image;
}

}  // namespace skinmask
