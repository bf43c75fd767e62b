// The module skinmask-raw: raw files of cameras, by LibRaw.
#include <libraw/libraw.h>

#include <memory>
#include <opencv2/imgproc.hpp>

#include "media/image_codec.h"

namespace {

constexpr char kDamaged[] = "is a damaged raw file of a camera, or of one that is not known: ";

// The type of the offset differs between versions of LibRaw.
template <class Offset>
void NoteDamage(void* data, const char*, Offset) {
  *static_cast<bool*>(data) = true;
}

// Keeps LibRaw from printing: 0.20 has a handler for lack of memory that prints, 0.21 has none.
#if LIBRAW_COMPILE_CHECK_VERSION_NOTLESS(0, 21)
constexpr unsigned kQuiet = LIBRAW_OPTIONS_NONE;
#else
constexpr unsigned kQuiet = LIBRAW_OPIONS_NO_MEMERR_CALLBACK;
#endif

// Allocated on the heap, because a LibRaw object is too large for the stack.
std::unique_ptr<LibRaw> Open(std::string_view bytes, bool& is_damaged, std::string& problem) {
  auto raw = std::make_unique<LibRaw>(kQuiet);
  raw->set_dataerror_handler(NoteDamage, &is_damaged);
  const int result = raw->open_buffer(const_cast<char*>(bytes.data()), bytes.size());
  if (result != LIBRAW_SUCCESS) problem = std::string(kDamaged) + libraw_strerror(result);
  return raw;
}

// White balance of the camera, sRGB, and LibRaw's default brightness, which is that of photographs.
void SetOptions(libraw_output_params_t& options, bool half) {
  constexpr int kSrgb = 1;
  options.use_camera_wb = 1;
  options.output_color = kSrgb;
  options.output_bps = 8;
  options.gamm[0] = 1 / 2.4;
  options.gamm[1] = 12.92;
  options.half_size = half;
}

}  // namespace

void skinmask_read_header(std::string_view bytes, skinmask::ImageHeader& header,
                          std::string& problem) {
  constexpr std::int64_t kFourOf16Bits = 8, kBgr = 3;
  bool is_damaged = false;
  const std::unique_ptr<LibRaw> raw = Open(bytes, is_damaged, problem);
  if (!problem.empty()) return;
  if (raw->imgdata.idata.raw_count > 1 || raw->imgdata.idata.filters == 0)
    problem = "is a raw file of a kind that is not read (one picture of a colour filter array)";
  raw->adjust_sizes_info_only();
  const libraw_image_sizes_t& sizes = raw->imgdata.sizes;
  header.size = {sizes.iwidth, sizes.iheight};
  header.pixel_bytes = kFourOf16Bits + kBgr;
  // LibRaw reads the data of the whole sensor first.
  header.layers = std::int64_t{sizes.raw_width} * sizes.raw_height;
}

void skinmask_decode(std::string_view bytes, bool half, cv::Mat& pixels, std::string& problem) {
  bool is_damaged = false;
  const std::unique_ptr<LibRaw> raw = Open(bytes, is_damaged, problem);
  if (!problem.empty()) return;
  SetOptions(raw->imgdata.params, half);
  int result = raw->unpack();
  if (result == LIBRAW_SUCCESS) result = raw->dcraw_process();
  libraw_processed_image_t* made = nullptr;
  if (result == LIBRAW_SUCCESS) made = raw->dcraw_make_mem_image(&result);
  const std::unique_ptr<libraw_processed_image_t, decltype(&LibRaw::dcraw_clear_mem)> owner(
      made, LibRaw::dcraw_clear_mem);
  if (result != LIBRAW_SUCCESS || is_damaged || !made || made->bits != 8 || made->colors != 3) {
    problem = std::string(kDamaged) + (is_damaged ? "it ends too early" : libraw_strerror(result)) +
              " (a whole file)";
    return;
  }
  const cv::Mat rgb(made->height, made->width, CV_8UC3, made->data);
  cv::cvtColor(rgb, pixels, cv::COLOR_RGB2BGR);
}
