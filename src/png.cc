#include "png.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "skinmask/error.h"
#include "skinmask/image.h"

namespace skinmask {
namespace {

constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);
constexpr std::size_t kFrame = 12;  // a chunk's length, type and CRC

std::uint32_t BigEndian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

void PutBigEndian(std::uint32_t value, char* to) {
  for (int shift = 24; shift >= 0; shift -= 8) *to++ = static_cast<char>(value >> shift);
}

std::uint32_t Crc(std::string_view bytes) {
  return crc32_gzip_refl(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

// Completes the chunk that begins at `start` of `png`, its data being in place.
void CloseChunk(std::string& png, std::size_t start, const char* type) {
  const std::size_t length = png.size() - start - 8;
  PutBigEndian(static_cast<std::uint32_t>(length), &png[start]);
  std::memcpy(&png[start + 4], type, 4);
  const std::uint32_t crc = Crc(std::string_view(png).substr(start + 4));
  png.resize(png.size() + 4);
  PutBigEndian(crc, &png[png.size() - 4]);
}

// Rows as PNG has them: a filter byte, then the pixels in R G B (A) order. Grey stays as it is, since
// masks are runs; colours are differences to the pixel on the left (filter Sub).
std::vector<std::uint8_t> FilteredRows(const cv::Mat& image) {
  const auto channels = static_cast<std::size_t>(image.channels());
  const std::size_t bytes = static_cast<std::size_t>(image.cols) * channels;
  std::vector<std::uint8_t> rows((bytes + 1) * static_cast<std::size_t>(image.rows));
  std::uint8_t* out = rows.data();
  for (int y = 0; y < image.rows; ++y, out += bytes + 1) {
    const std::uint8_t* in = image.ptr<std::uint8_t>(y);
    out[0] = channels > 1;  // filter type: 0 None, 1 Sub
    if (channels == 1) {
      std::memcpy(out + 1, in, bytes);
      continue;
    }
    for (std::size_t i = 0; i < bytes; i += channels)
      for (std::size_t c = 0; c < channels; ++c) {
        const std::size_t from = i + (c < 3 ? 2 - c : c);  // B G R (A) to R G B (A)
        out[1 + i + c] = static_cast<std::uint8_t>(in[from] - (i > 0 ? in[from - channels] : 0));
      }
  }
  return rows;
}

void AppendDeflated(std::vector<std::uint8_t>& rows, std::string& png) {
  constexpr int kLevel = 1;
  thread_local std::vector<std::uint8_t> level_buffer(ISAL_DEF_LVL1_DEFAULT);
  isal_zstream stream;
  isal_deflate_stateless_init(&stream);
  stream.level = kLevel;
  stream.level_buf = level_buffer.data();
  stream.level_buf_size = static_cast<std::uint32_t>(level_buffer.size());
  stream.gzip_flag = IGZIP_ZLIB;
  stream.end_of_stream = 1;
  stream.next_in = rows.data();
  stream.avail_in = static_cast<std::uint32_t>(rows.size());
  // What does not shrink is stored in blocks of at least 32 KiB, with a few bytes each.
  const std::size_t start = png.size(), bound = rows.size() + rows.size() / 1024 + 1024;
  png.resize(start + bound);
  stream.next_out = reinterpret_cast<std::uint8_t*>(&png[start]);
  stream.avail_out = static_cast<std::uint32_t>(bound);
  if (isal_deflate_stateless(&stream) != COMP_OK)
    throw Error("PNG", "cannot be compressed (a picture below 4 GiB)");
  png.resize(start + stream.total_out);
}

}  // namespace

bool IsPng(std::string_view bytes) { return bytes.starts_with(kSignature); }

std::string CheckedPng(std::string_view png, std::string_view subject) {
  std::string kept(kSignature);
  for (std::size_t at = kSignature.size(); at + kFrame <= png.size();) {
    const std::size_t length = BigEndian(png, at);
    if (length > png.size() - at - kFrame) break;
    const std::string_view type = png.substr(at + 4, 4);
    if (Crc(png.substr(at + 4, length + 4)) != BigEndian(png, at + 8 + length))
      throw Error(subject, "is a damaged PNG: a chunk has a wrong checksum (a whole file)");
    const bool critical = (type[0] & 0x20) == 0;
    if (critical || type == "tRNS" || type == "eXIf") kept += png.substr(at, length + kFrame);
    if (type == "IEND") return kept;
    at += length + kFrame;
  }
  throw Error(subject, "is a truncated PNG (a whole file)");
}

std::string EncodePng(const cv::Mat& image) {
  CV_Assert(image.depth() == CV_8U && image.channels() != 2 && image.channels() <= 4);
  constexpr std::array<char, 5> kColorType{0, 0, 0, 2, 6};  // by channels: grey, RGB, RGBA
  std::string png(kSignature);
  const auto open_chunk = [&] {
    png.resize(png.size() + 8);
    return png.size() - 8;
  };
  std::size_t chunk = open_chunk();
  std::array<char, 13> header{};
  PutBigEndian(static_cast<std::uint32_t>(image.cols), &header[0]);
  PutBigEndian(static_cast<std::uint32_t>(image.rows), &header[4]);
  header[8] = 8;  // bits
  header[9] = kColorType[static_cast<std::size_t>(image.channels())];
  png.append(header.data(), header.size());
  CloseChunk(png, chunk, "IHDR");
  chunk = open_chunk();
  std::vector<std::uint8_t> rows = FilteredRows(image);
  AppendDeflated(rows, png);
  CloseChunk(png, chunk, "IDAT");
  CloseChunk(png, open_chunk(), "IEND");
  return png;
}

}  // namespace skinmask
