// The module skinmask-heif. H.265 is decoded by libde265, as libheif does, but into zeroed memory.
// A picture that is larger than announced or incomplete is an error.
#include <libde265/de265.h>
#include <libheif/heif.h>
#include <libheif/heif_plugin.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <opencv2/imgproc.hpp>

#include "media/image_codec.h"

namespace {

// The limit for coded pixels of a picture in this thread; 0: no limit.
thread_local std::int64_t most_pixels = 0;

constexpr heif_error kFine{heif_error_Ok, heif_suberror_Unspecified, "Success"};
constexpr heif_error kDamaged{heif_error_Decoder_plugin_error, heif_suberror_Unspecified,
                              "its pixels are damaged, or end too early"};
constexpr heif_error kNoMemory{heif_error_Memory_allocation_error, heif_suberror_Unspecified,
                               "there is no memory for it"};

const char* Name() { return "skinmask"; }
void Nothing() {}
int Priority(heif_compression_format format) {
  constexpr int kBeforeOthers = 1000;
  return format == heif_compression_HEVC ? kBeforeOthers : 0;
}

std::size_t BytesOf(int bits) { return static_cast<std::size_t>(bits + 7) / 8; }

void ReleasePicture(de265_decoder_context*, de265_image* image, void*) {
  for (int i = 0; i < 3; ++i) {
    std::free(de265_get_image_plane_user_data(image, i));
    de265_set_image_plane(image, i, nullptr, 0, nullptr);
  }
}

// Allocates zeroed planes, because libde265 leaves pixels unchanged where it fails. The planes are
// as large as those of libde265's own function with two bytes a sample.
int ZeroedPicture(de265_decoder_context*, de265_image_spec* spec, de265_image* image, void*) {
  constexpr std::size_t kAlignment = 64;
  if (most_pixels > 0 && std::int64_t{spec->width} * spec->height > most_pixels) return 0;
  const bool mono = spec->format == de265_image_format_mono8;
  for (int i = 0; i < (mono ? 1 : 3); ++i) {
    const bool half_width = i > 0 && spec->format != de265_image_format_YUV444P8;
    const bool half_height = i > 0 && spec->format == de265_image_format_YUV420P8;
    const int width = half_width ? spec->width / 2 : spec->width;
    const int height = half_height ? spec->height / 2 : spec->height;
    const int stride = (width + spec->alignment - 1) / spec->alignment * spec->alignment;
    const std::size_t bytes =
        2 * static_cast<std::size_t>(stride) * static_cast<std::size_t>(height) + kAlignment;
    void* const memory =
        std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    if (!memory) return 0;  // the earlier planes are released with the picture
    std::memset(memory, 0, bytes);
    const auto sample = static_cast<int>(BytesOf(de265_get_bits_per_pixel(image, i)));
    de265_set_image_plane(image, i, memory, stride * sample, memory);  // the stride is in bytes
  }
  return 1;
}

heif_error NewDecoder(void** decoder) {
  de265_decoder_context* const context = de265_new_decoder();
  de265_set_parameter_bool(context, DE265_DECODER_PARAM_SUPPRESS_FAULTY_PICTURES, 1);
  *decoder = context;
  return kFine;
}

// NAL units, each preceded by its length in four bytes.
heif_error PushData(void* decoder, const void* data, size_t size) {
  const auto* at = static_cast<const std::uint8_t*>(data);
  while (size >= 4) {
    const std::size_t length = std::size_t{at[0]} << 24 | at[1] << 16 | at[2] << 8 | at[3];
    at += 4;
    size -= 4;
    if (length > size) return kDamaged;
    de265_push_NAL(decoder, at, static_cast<int>(length), 0, nullptr);
    at += length;
    size -= length;
  }
  return size == 0 ? kFine : kDamaged;
}

heif_error CopyPlane(const de265_image* from, int plane, heif_image* to) {
  constexpr heif_channel kChannels[] = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};
  const int width = de265_get_image_width(from, plane),
            height = de265_get_image_height(from, plane),
            bits = de265_get_bits_per_pixel(from, plane);
  if (bits != de265_get_bits_per_pixel(from, 0)) return kDamaged;
  int from_stride = 0, to_stride = 0;
  const std::uint8_t* const source = de265_get_image_plane(from, plane, &from_stride);
  if (heif_image_add_plane(to, kChannels[plane], width, height, bits).code != heif_error_Ok)
    return kNoMemory;
  std::uint8_t* const rows = heif_image_get_plane(to, kChannels[plane], &to_stride);
  if (!rows || !source) return kNoMemory;
  for (int y = 0; y < height; ++y)
    std::memcpy(rows + std::ptrdiff_t{y} * to_stride, source + std::ptrdiff_t{y} * from_stride,
                static_cast<std::size_t>(width) * BytesOf(bits));
  return kFine;
}

// Copies the stream's description of its colours.
void CopyColors(const de265_image* from, heif_image* to) {
  heif_color_profile_nclx* const colors = heif_nclx_color_profile_alloc();
  if (!colors) return;
  heif_nclx_color_profile_set_color_primaries(
      colors, static_cast<std::uint16_t>(de265_get_image_colour_primaries(from)));
  heif_nclx_color_profile_set_transfer_characteristics(
      colors, static_cast<std::uint16_t>(de265_get_image_transfer_characteristics(from)));
  heif_nclx_color_profile_set_matrix_coefficients(
      colors, static_cast<std::uint16_t>(de265_get_image_matrix_coefficients(from)));
  colors->full_range_flag = de265_get_image_full_range_flag(from) != 0;
  heif_image_set_nclx_color_profile(to, colors);
  heif_nclx_color_profile_free(colors);
}

heif_error CopyPicture(const de265_image* from, heif_image** picture) {
  const de265_chroma chroma = de265_get_chroma_format(from);
  const bool mono = chroma == de265_chroma_mono;
  const heif_error error =
      heif_image_create(de265_get_image_width(from, 0), de265_get_image_height(from, 0),
                        mono ? heif_colorspace_monochrome : heif_colorspace_YCbCr,
                        static_cast<heif_chroma>(chroma), picture);
  if (error.code != heif_error_Ok) return error;
  for (int plane = 0; plane < (mono ? 1 : 3); ++plane)
    if (const heif_error problem = CopyPlane(from, plane, *picture);
        problem.code != heif_error_Ok) {
      heif_image_release(*picture);
      *picture = nullptr;
      return problem;
    }
  CopyColors(from, *picture);
  return kFine;
}

// libde265 reports lost data by warnings, and continues.
bool LostSomething(de265_decoder_context* decoder) {
  bool lost = false;
  for (de265_error warning = de265_get_warning(decoder); warning != DE265_OK;
       warning = de265_get_warning(decoder))
    lost |= warning != DE265_WARNING_NO_WPP_CANNOT_USE_MULTITHREADING &&
            warning != DE265_WARNING_NUMBER_OF_THREADS_LIMITED_TO_MAXIMUM;
  return lost;
}

heif_error DecodePicture(void* decoder, heif_image** picture) {
  *picture = nullptr;
  if (de265_flush_data(decoder) != DE265_OK) return kDamaged;
  for (int more = 1; more && !*picture;) {
    more = 0;
    if (de265_decode(decoder, &more) != DE265_OK) return kDamaged;
    const de265_image* const image = de265_get_next_picture(decoder);
    if (!image) continue;
    if (LostSomething(decoder)) return kDamaged;
    const heif_error error = CopyPicture(image, picture);
    de265_release_next_picture(decoder);
    if (error.code != heif_error_Ok) return error;
  }
  return *picture ? kFine : kDamaged;
}

// Adds the functions that libheif requires since 1.21 and that 1.15 does not have.
template <class Plugin>
void AddSecondForms(Plugin& plugin) {
  if constexpr (requires { plugin.decode_next_image2; }) {
    plugin.plugin_api_version = 5;
    plugin.id_name = Name();
    plugin.set_strict_decoding = [](void*, int) {};
    plugin.does_support_format2 = [](const auto* description) {
      return Priority(description->format);
    };
    plugin.new_decoder2 = [](void** decoder, const auto*) { return NewDecoder(decoder); };
    plugin.push_data2 = [](void* decoder, const void* data, std::size_t size, std::uintptr_t) {
      return PushData(decoder, data, size);
    };
    plugin.flush_data = [](void*) { return kFine; };  // DecodePicture flushes
    plugin.decode_next_image2 = [](void* decoder, heif_image** picture, std::uintptr_t* of_data,
                                   const auto*) {
      if (of_data) *of_data = 0;
      return DecodePicture(decoder, picture);
    };
  }
}

// Registers the decoder with libheif once; later calls do nothing.
void RegisterHevcDecoder() {
  // For a picture with an SAO filter, libde265 allocates by its default functions even if the
  // decoder has its own; therefore the defaults are replaced.
  [[maybe_unused]] static const bool replaced = [] {
    auto* const defaults =
        const_cast<de265_image_allocation*>(de265_get_default_image_allocation_functions());
    *defaults = {ZeroedPicture, ReleasePicture};
    return true;
  }();
  static const heif_decoder_plugin plugin = [] {
    heif_decoder_plugin functions{};
    functions.plugin_api_version = 1;
    functions.get_plugin_name = Name;
    functions.init_plugin = Nothing;
    functions.deinit_plugin = Nothing;
    functions.does_support_format = Priority;
    functions.new_decoder = NewDecoder;
    functions.free_decoder = [](void* decoder) { de265_free_decoder(decoder); };
    functions.push_data = PushData;
    functions.decode_image = DecodePicture;
    AddSecondForms(functions);
    return functions;
  }();
  [[maybe_unused]] static const heif_error registered = heif_register_decoder_plugin(&plugin);
}

template <class T>
using Owned = std::unique_ptr<T, void (*)(const T*)>;

std::string ProblemOf(const heif_error& error) {
  if (error.subcode == heif_suberror_Security_limit_exceeded)
    return "is larger than libheif takes (32768 x 32768 pixels), or damaged";
  return std::string("is a damaged HEIC or AVIF, or one that ends too early: ") + error.message;
}

// Copies rows of 8-bit R G B, which libheif has made upright.
void CopyRows(const heif_image* image, cv::Mat& bgr) {
  int stride = 0;
  const std::uint8_t* const rows =
      heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride);
  const int width = heif_image_get_width(image, heif_channel_interleaved);
  const int height = heif_image_get_height(image, heif_channel_interleaved);
  if (!rows || width <= 0 || height <= 0) return;
  const cv::Mat rgb(height, width, CV_8UC3, const_cast<std::uint8_t*>(rows),
                    static_cast<std::size_t>(stride));
  cv::cvtColor(rgb, bgr, cv::COLOR_RGB2BGR);
}

}  // namespace

void skinmask_decode(std::string_view bytes, bool, cv::Mat& pixels, std::string& problem) {
  RegisterHevcDecoder();
  const std::unique_ptr<heif_context, void (*)(heif_context*)> context(heif_context_alloc(),
                                                                       heif_context_free);
  // Several images are decoded in parallel already.
  heif_context_set_max_decoding_threads(context.get(), 0);
  heif_error error = heif_context_read_from_memory_without_copy(context.get(), bytes.data(),
                                                                bytes.size(), nullptr);
  heif_image_handle* handle = nullptr;
  if (error.code == heif_error_Ok)
    error = heif_context_get_primary_image_handle(context.get(), &handle);
  if (error.code != heif_error_Ok) {
    problem = ProblemOf(error);
    return;
  }
  const Owned<heif_image_handle> primary(handle, heif_image_handle_release);
  const cv::Size told(heif_image_handle_get_width(handle), heif_image_handle_get_height(handle));
  constexpr std::int64_t kPadding = 64;  // for rounding up to whole blocks
  // The coded picture may be larger than the told one, which `clap` crops.
  most_pixels = (heif_image_handle_get_ispe_width(handle) + kPadding) *
                (heif_image_handle_get_ispe_height(handle) + kPadding);
  heif_image* image = nullptr;
  error =
      heif_decode_image(handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGB, nullptr);
  const Owned<heif_image> decoded(image, heif_image_release);
  most_pixels = 0;
  if (error.code == heif_error_Ok) CopyRows(image, pixels);
  if (pixels.empty())
    problem = ProblemOf(error);
  else if (pixels.size() != told)
    problem = "is a damaged HEIC or AVIF: its picture has another size than its header says";
}
