#include <fmt/format.h>
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "media/file_bytes.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"
#include "skinmask/base/scratch.h"
#include "skinmask/media/image.h"

namespace skinmask {
namespace {

// Makes rows of PNG: a filter byte, then the pixels in R G B (A) order, or 16 bits with the high
// byte first. Grey of 8 bits is not filtered, because masks consist of runs; all other pixels are
// differences to the pixel on the left (filter Sub).
void FilterRows(const cv::Mat& image, std::uint8_t* out) {
  const std::size_t each = image.elemSize(), last = std::min<std::size_t>(each, 3) - 1;
  const std::size_t bytes = static_cast<std::size_t>(image.cols) * each;
  for (int y = 0; y < image.rows; ++y, out += bytes + 1) {
    const std::uint8_t* in = image.ptr<std::uint8_t>(y);
    out[0] = each > 1;  // filter type: 0 None, 1 Sub
    if (each == 1) {
      std::memcpy(out + 1, in, bytes);
      continue;
    }
    for (std::size_t i = 0; i < bytes; i += each)
      for (std::size_t c = 0; c < each; ++c) {
        const std::size_t from = i + (c <= last ? last - c : c);  // reversed, except alpha
        out[1 + i + c] = static_cast<std::uint8_t>(in[from] - (i > 0 ? in[from - each] : 0));
      }
  }
}

// The rows of a grey picture whose memory already has the form of FilterRows: a picture without its
// first column, which is 0. Null otherwise.
std::uint8_t* FilteredRows(const cv::Mat& image) {
  if (image.type() != CV_8UC1 || image.step[0] != static_cast<std::size_t>(image.cols) + 1 ||
      image.data == image.datastart)
    return nullptr;
  for (int y = 0; y < image.rows; ++y)
    if (*(image.ptr(y) - 1) != 0) return nullptr;
  return image.data - 1;
}

// Deflates all of the next `size` bytes of the input.
void Deflate(isal_zstream& stream, std::size_t size, bool last) {
  stream.avail_in = static_cast<std::uint32_t>(size);
  stream.flush = last ? NO_FLUSH : SYNC_FLUSH;
  stream.end_of_stream = last;
  const int result = isal_deflate(&stream);
  if (result != COMP_OK || stream.avail_in > 0 ||
      (last && stream.internal_state.state != ZSTATE_END))
    throw Error("PNG", "cannot be compressed");
}

// Deflates in two calls. At the start of a stream the main loop of ISA-L 2.30 computes the hash of
// the third byte from the address of `stream` (igzip_icf_body_h1_gr_bt.asm: the register tmp2 was
// not set). If that hash collides with another one, the same pixels get other codes. Up to kFirst
// bytes before a flush are processed by a different routine, which does not have this defect.
void AppendPixels(std::uint8_t* rows, std::size_t size, std::string& png) {
  constexpr int kLevel = 1;
  constexpr std::size_t kFirst = 16;
  thread_local std::vector<std::uint8_t> level_buffer(ISAL_DEF_LVL1_DEFAULT);
  thread_local Scratch deflated;
  const ScratchTrim trim(deflated);
  // Incompressible data are stored in blocks of at least 32 KiB, with a few bytes of overhead each.
  const std::size_t bound = size + size / 1024 + 1024;
  // Zeroed, because the initialisation of ISA-L 2.30 leaves hist_bits, the size of the window,
  // uninitialised; a small number there gave other codes for the same pixels.
  isal_zstream stream{};
  isal_deflate_init(&stream);
  stream.level = kLevel;
  stream.level_buf = level_buffer.data();
  stream.level_buf_size = static_cast<std::uint32_t>(level_buffer.size());
  stream.gzip_flag = IGZIP_ZLIB;
  stream.next_in = rows;
  stream.next_out = deflated.Get(bound);
  stream.avail_out = static_cast<std::uint32_t>(bound);
  const std::size_t first = std::min(size, kFirst);
  Deflate(stream, first, false);
  Deflate(stream, size - first, true);
  const auto* const start = reinterpret_cast<const char*>(stream.next_out - stream.total_out);
  AppendPngChunk(png, "IDAT", {start, stream.total_out});
}

std::string Encode(const cv::Mat& image, std::string_view palette) {
  RequireType(image, {CV_8UC1, CV_16UC1, CV_8UC3, CV_8UC4}, "image");
  constexpr std::array<char, 5> kColorType{0, 0, 0, 2, 6};  // by channels: grey, RGB, RGBA
  constexpr char kPalette = 3;
  const std::size_t size = (static_cast<std::size_t>(image.cols) * image.elemSize() + 1) *
                           static_cast<std::size_t>(image.rows);
  if (size > std::size_t{1} << 30) throw Error("PNG", "would hold more than 1 GiB of pixels");
  std::string header;
  for (const int side : {image.cols, image.rows})
    header += BigEndianBytes(static_cast<std::uint64_t>(side), 4);
  header += image.depth() == CV_16U ? 16 : 8;  // bits
  header += palette.empty() ? kColorType[static_cast<std::size_t>(image.channels())] : kPalette;
  header.append(3, '\0');
  std::string png(kPngSignature);
  AppendPngChunk(png, "IHDR", header);
  if (!palette.empty()) AppendPngChunk(png, "PLTE", palette);
  thread_local Scratch scratch;
  const ScratchTrim trim(scratch);
  std::uint8_t* rows = FilteredRows(image);
  if (!rows) FilterRows(image, rows = scratch.Get(size));
  AppendPixels(rows, size, png);
  AppendPngChunk(png, "IEND", {});
  return png;
}

}  // namespace

void AppendPngChunk(std::string& png, std::string_view type, std::string_view content) {
  png += BigEndianBytes(content.size(), 4);
  const std::size_t start = png.size();  // start of the checksummed part
  png.append(type).append(content);
  const auto* const covered = reinterpret_cast<const unsigned char*>(&png[start]);
  png += BigEndianBytes(crc32_gzip_refl(0, covered, png.size() - start), 4);
}

std::string PngWithoutTexts(std::string_view png) {
  std::string kept(png.substr(0, kPngSignature.size()));
  std::size_t end = kept.size();
  ForPngChunks(png, [&](const PngChunk& chunk) {
    end = chunk.end;
    if (chunk.type != "zTXt" && chunk.type != "iTXt" && chunk.type != "iCCP")
      kept += png.substr(chunk.start, chunk.end - chunk.start);
    return true;
  });
  return kept.append(png.substr(end));
}

std::string EncodePng(const cv::Mat& image) { return Encode(image, {}); }

std::string EncodePalettePng(const cv::Mat& indices, std::string_view rgb) {
  RequireType(indices, CV_8UC1, "indices");
  if (rgb.empty() || rgb.size() % 3 != 0 || rgb.size() > 768)
    throw Error("palette", "is not of 1 to 256 colours of three bytes each");
  double greatest = 0;
  cv::minMaxLoc(indices, nullptr, &greatest);
  if (greatest >= static_cast<double>(rgb.size() / 3))
    throw Error("indices", fmt::format("go to {:.0f} (a palette of {} colours ends at {})",
                                       greatest, rgb.size() / 3, rgb.size() / 3 - 1));
  return Encode(indices, rgb);
}

}  // namespace skinmask
