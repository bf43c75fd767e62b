#include <png.h>

#include <array>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "media/png.h"
#include "media/png_inflate.h"
#include "skinmask/base/error.h"
#include "skinmask/base/scratch.h"

namespace skinmask {
namespace {

// The file as libpng reads it, and why it gave up.
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

void Ignore(png_structp, png_const_charp) {}

void AskForBgr(png_structp png, png_infop info, bool keep_grey) {
  const int color = png_get_color_type(png, info);
  const bool grey = (color & PNG_COLOR_MASK_COLOR) == 0;
  png_set_scale_16(png);
  if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (grey && png_get_bit_depth(png, info) < 8) png_set_expand_gray_1_2_4_to_8(png);
  png_set_strip_alpha(png);
  if (grey && !keep_grey) png_set_gray_to_rgb(png);
  png_set_bgr(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
}

// The steps of reading that may jump back: nothing in here has a destructor to run. False on error.
bool ReadHead(png_structp png, png_infop info, bool keep_grey) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_info(png, info);
  AskForBgr(png, info, keep_grey);
  return true;
}

// Nothing is kept of what no pixel depends on. Texts and profiles are deflated, and each may hold
// 8 MB of memory in 8 kB of a file. A negative count means all chunks that are not needed for
// pixels, libpng's list of which has the orientation.
void DropAllButPixels(png_structp png) {
  constexpr png_byte kOrientation[] = "eXIf";
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_AS_DEFAULT, kOrientation, 1);
}

bool ReadRows(png_structp png, png_infop info, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_image(png, rows);
  png_read_end(png, info);
  return true;
}

}  // namespace

cv::Mat Allocate(int rows, int cols, int channels, Scratch* buffer) {
  if (!buffer) return cv::Mat(rows, cols, CV_8UC(channels));
  const std::size_t size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) *
                           static_cast<std::size_t>(channels);
  return cv::Mat(rows, cols, CV_8UC(channels), buffer->Get(size));
}

bool IsPng(std::string_view bytes) { return bytes.starts_with(kPngSignature); }

DecodedPng DecodePng(std::string_view bytes, std::string_view subject, bool keep_grey,
                     Scratch* buffer) {
  thread_local Scratch inflated;
  const ScratchTrim trim(inflated);
  const std::optional<std::string_view> stored = WithStoredData(bytes, inflated);
  PngSource source{stored.value_or(bytes), {"it ends too early"}};
  const auto fail = [&] {
    throw Error(subject,
                std::string("is a damaged PNG: ") + source.reason.data() + " (a whole file)");
  };
  if (!stored && !ReachesItsEnd(bytes)) fail();
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, GiveUp, Ignore);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  const auto destroy = [&](png_structp* p) { png_destroy_read_struct(p, &info, nullptr); };
  const std::unique_ptr<png_structp, decltype(destroy)> owner(&png, destroy);
  if (!info) throw std::bad_alloc();
  png_set_read_fn(png, &source, Read);
  if (stored) png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_DEFAULT);  // checked already
  DropAllButPixels(png);
  if (!ReadHead(png, info, keep_grey)) fail();
  DecodedPng decoded;
  decoded.image = Allocate(static_cast<int>(png_get_image_height(png, info)),
                           static_cast<int>(png_get_image_width(png, info)),
                           png_get_channels(png, info), buffer);
  std::vector<png_bytep> rows;
  for (int y = 0; y < decoded.image.rows; ++y) rows.push_back(decoded.image.ptr<std::uint8_t>(y));
  if (!ReadRows(png, info, rows.data())) fail();
  png_uint_32 size = 0;
  png_bytep exif = nullptr;
  if (png_get_eXIf_1(png, info, &size, &exif) == PNG_INFO_eXIf)
    decoded.exif.assign(reinterpret_cast<const char*>(exif), size);
  return decoded;
}

}  // namespace skinmask
