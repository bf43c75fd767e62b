#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "media/file_bytes.h"
#include "media/image_codec.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"
#include "skinmask/base/scratch.h"
#include "skinmask/media/image.h"

namespace skinmask {
namespace {

constexpr std::size_t kStoredBlock = 65535;  // RFC 1951, 3.2.4
constexpr std::size_t kBlockHeader = 5;
constexpr std::size_t kAdler = 4, kCrc = 4;

std::uint8_t* AsBytes(std::string_view s) {
  return reinterpret_cast<std::uint8_t*>(const_cast<char*>(s.data()));  // ISA-L reads only
}

bool IsRight(std::string_view png, const PngChunk& chunk) {
  return crc32_gzip_refl(0, AsBytes(chunk.type), 4 + chunk.content.size()) ==
         BigEndian(png.substr(chunk.end - 4, 4));
}

// The position of the image data, and their inflated size.
struct PngLayout {
  std::string_view header;             // IHDR's 13 bytes
  std::vector<std::string_view> data;  // contents of the IDAT chunks
  // Offsets of the first IDAT and of what follows the last one.
  std::size_t first_idat = 0, after = 0;

  // Returns false if a chunk is truncated, if a critical one fails its CRC, or if the IDATs are not
  // consecutive.
  bool Find(std::string_view png) {
    constexpr char kAncillary = 0x20;
    bool is_whole = false;
    ForPngChunks(png, [&](const PngChunk& chunk) {
      if (!(chunk.type[0] & kAncillary) && !IsRight(png, chunk)) return false;
      if (chunk.type == "IHDR") header = chunk.content;
      if (chunk.type == "IDAT") {
        if (data.empty()) first_idat = chunk.start;
        if (!data.empty() && after != chunk.start) return false;
        data.push_back(chunk.content);
        after = chunk.end;
      }
      is_whole = chunk.type == "IEND" && header.size() == 13 && !data.empty();
      return chunk.type != "IEND";
    });
    return is_whole;
  }

  // The inflated size: filter bytes and pixels; 0 for interlaced pictures.
  std::uint64_t Inflated() const {
    constexpr std::uint64_t kChannels[8] = {1, 0, 3, 1, 2, 0, 4, 0};  // by colour type
    const std::uint64_t width = BigEndian(header.substr(0, 4)),
                        height = BigEndian(header.substr(4, 4));
    const auto depth = static_cast<std::uint8_t>(header[8]),
               color = static_cast<std::uint8_t>(header[9]);
    if (header[12] != 0 || color > 7 || depth > 16 || width >> 31 || height >> 31) return 0;
    const std::uint64_t row = (width * kChannels[color] * depth + 7) / 8 + 1;
    constexpr std::uint64_t kMax = std::uint64_t{1} << 30;
    return row > kMax || row * height > kMax ? 0 : row * height;
  }
};

// Inflates into stored blocks and appends their Adler-32. Returns the end, or null if the data do
// not inflate to exactly `size` bytes.
std::uint8_t* InflateToBlocks(const PngLayout& layout, std::size_t size, std::uint8_t* out) {
  inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = ISAL_ZLIB;
  std::uint32_t adler = 1;
  auto chunk = layout.data.begin();
  for (std::size_t done = 0; done < size;) {
    const auto block = static_cast<std::uint16_t>(std::min(size - done, kStoredBlock));
    out[0] = done + block == size;
    const std::uint64_t inverted = ~std::uint64_t{block};
    std::ranges::copy(LittleEndianBytes(block, 2) + LittleEndianBytes(inverted, 2), out + 1);
    state.next_out = out + kBlockHeader;
    state.avail_out = block;
    while (state.avail_out > 0) {
      if (state.avail_in == 0) {
        if (chunk == layout.data.end()) return nullptr;
        state.next_in = AsBytes(*chunk);
        state.avail_in = static_cast<std::uint32_t>(chunk++->size());
      }
      const std::uint32_t before = state.avail_in;
      if (isal_inflate(&state) != ISAL_DECOMP_OK) return nullptr;
      if (state.avail_out > 0 && state.avail_in == before) return nullptr;  // no progress
    }
    adler = isal_adler32(adler, out + kBlockHeader, block);
    out += kBlockHeader + block;
    done += block;
  }
  return std::ranges::copy(BigEndianBytes(adler, 4), out).out;
}

// True if all chunks up to IEND are in the file. libpng would allocate the size that a chunk claims
// (up to 8 MB) before reading it.
bool ReachesItsEnd(std::string_view png) {
  bool is_there = false;
  ForPngChunks(png, [&](const PngChunk& chunk) { return !(is_there = chunk.type == "IEND"); });
  return is_there;
}

// The same PNG with its image data stored instead of compressed, in `buffer`. ISA-L inflates three
// times as fast as zlib, and libpng, which decodes all the rest, then only copies. The CRCs of the
// critical chunks are checked here; the CRC of the new image data is invalid. Absent for files that
// are interlaced, larger than 1 GiB or incomplete, which libpng decodes or refuses.
std::optional<std::string_view> WithStoredData(std::string_view png, Scratch& buffer) {
  PngLayout layout;
  if (!layout.Find(png)) return std::nullopt;
  const std::size_t size = layout.Inflated();
  std::size_t deflated = 0;
  for (std::string_view data : layout.data) deflated += data.size();
  constexpr std::size_t kMaxRatio = 1032;  // the limit of deflate
  if (size == 0 || deflated < 2 + kAdler || size / kMaxRatio > deflated) return std::nullopt;
  const std::size_t blocks = (size + kStoredBlock - 1) / kStoredBlock;
  const std::size_t length = 2 + size + blocks * kBlockHeader + kAdler;
  const std::string_view tail = png.substr(layout.after);
  std::uint8_t* const start = buffer.Get(layout.first_idat + kPngFrame + length + tail.size());
  std::uint8_t* out = std::copy_n(png.begin(), layout.first_idat, start);
  out = std::ranges::copy(BigEndianBytes(length, 4) + "IDAT\x78\x01", out).out;
  out = InflateToBlocks(layout, size, out);
  if (!out) return std::nullopt;
  std::memset(out, 0, kCrc);  // the CRC is not checked
  out = std::copy(tail.begin(), tail.end(), out + kCrc);
  return std::string_view(reinterpret_cast<char*>(start), static_cast<std::size_t>(out - start));
}

// The file as libpng reads it, and its last error.
struct PngSource {
  std::string_view left;
  std::array<char, 128> reason{};
};

void Read(png_structp png, png_bytep to, std::size_t size) {
  auto* source = static_cast<PngSource*>(png_get_io_ptr(png));
  if (size > source->left.size()) png_error(png, "it ends too early");
  std::memcpy(to, source->left.data(), size);
  source->left.remove_prefix(size);
}

[[noreturn]] void GiveUp(png_structp png, png_const_charp reason) {
  auto* source = static_cast<PngSource*>(png_get_error_ptr(png));
  std::strncpy(source->reason.data(), reason, source->reason.size() - 1);
  png_longjmp(png, 1);
}

void AskForBgr(png_structp png, png_infop info, bool keep_grey, bool keep_depth) {
  const int color = png_get_color_type(png, info);
  const bool grey = (color & PNG_COLOR_MASK_COLOR) == 0;
  if (keep_depth)
    png_set_swap(png);
  else
    png_set_scale_16(png);
  if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (grey && png_get_bit_depth(png, info) < 8) png_set_expand_gray_1_2_4_to_8(png);
  png_set_strip_alpha(png);
  if (grey && !keep_grey) png_set_gray_to_rgb(png);
  png_set_bgr(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
}

// Functions from which libpng may longjmp must not contain objects with destructors. Returns false
// on error.
bool ReadHead(png_structp png, png_infop info, bool keep_grey, bool keep_depth) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_info(png, info);
  AskForBgr(png, info, keep_grey, keep_depth);
  return true;
}

bool ReadRows(png_structp png, png_infop info, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_image(png, rows);
  png_read_end(png, info);
  return true;
}

}  // namespace

ImageHeader PngHeader(std::string_view bytes, std::string_view subject) {
  constexpr std::size_t kHeader = 16;  // after the signature and the frame of the chunk IHDR
  if (bytes.size() < kHeader + 9 || bytes.substr(12, 4) != "IHDR") FailUnknownImage(subject);
  const auto side = [&](std::size_t at) {
    return static_cast<std::int64_t>(BigEndian(bytes.substr(kHeader + at, 4)));
  };
  constexpr char kDeep = 16;
  ImageHeader header{.size = {side(0), side(4)},
                     .pixel_bytes = bytes[kHeader + 8] == kDeep ? 6 : 3};
  ForPngChunks(bytes, [&](const PngChunk& chunk) {
    const bool is_exif = chunk.type == "eXIf" &&
                         (chunk.content.starts_with("II") || chunk.content.starts_with("MM"));
    if (is_exif && header.exif.empty() && IsRight(bytes, chunk)) header.exif = chunk.content;
    return chunk.type != "IEND";
  });
  return header;
}

StoredImage DecodePng(std::string_view bytes, std::string_view subject, const ImageHeader&,
                      const DecodeOptions& options) {
  thread_local Scratch inflated;
  const ScratchTrim trim(inflated);
  const std::optional<std::string_view> stored = WithStoredData(bytes, inflated);
  PngSource source{stored.value_or(bytes), {"it ends too early"}};
  const auto fail = [&] {
    throw Error(subject,
                std::string("is a damaged PNG: ") + source.reason.data() + " (a whole file)");
  };
  if (!stored && !ReachesItsEnd(bytes)) fail();
  const auto ignore = [](png_structp, png_const_charp) {};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, GiveUp, ignore);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  const auto destroy = [&](png_structp* p) { png_destroy_read_struct(p, &info, nullptr); };
  const std::unique_ptr<png_structp, decltype(destroy)> owner(&png, destroy);
  if (!info) throw std::bad_alloc();
  png_set_read_fn(png, &source, Read);
  if (stored) png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_DEFAULT);  // was checked already
  // Drops all chunks that no pixel depends on (-1: those that libpng lists as such). Texts and
  // profiles are deflated, and 8 kB of a file can expand to 8 MB.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // the size was checked already
  if (!ReadHead(png, info, options.keep_grey, options.keep_depth)) fail();
  const int depth = png_get_bit_depth(png, info) == 16 ? CV_16U : CV_8U;
  cv::Mat image = Allocate(static_cast<int>(png_get_image_height(png, info)),
                           static_cast<int>(png_get_image_width(png, info)),
                           CV_MAKETYPE(depth, png_get_channels(png, info)), options.buffer);
  std::vector<png_bytep> rows;
  for (int y = 0; y < image.rows; ++y) rows.push_back(image.ptr<std::uint8_t>(y));
  if (!ReadRows(png, info, rows.data())) fail();
  return {.pixels = image};
}

}  // namespace skinmask
