// The module skinmask-heif.
#include <libheif/heif.h>

#include <memory>

#include "media/hevc_decoder.h"
#include "media/phone_codecs.h"

namespace {

template <class T>
using Owned = std::unique_ptr<T, void (*)(const T*)>;

std::string ProblemOf(const heif_error& error) {
  if (error.subcode == heif_suberror_Security_limit_exceeded)
    return "is larger than libheif takes (32768 x 32768 pixels), or damaged";
  return std::string("is a damaged HEIC or AVIF, or one that ends too early: ") + error.message;
}

// Rows of 8-bit R G B, which libheif has made upright.
void CopyRows(const heif_image* image, cv::Mat& rgb) {
  int stride = 0;
  const std::uint8_t* const rows =
      heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride);
  const int width = heif_image_get_width(image, heif_channel_interleaved);
  const int height = heif_image_get_height(image, heif_channel_interleaved);
  if (!rows || width <= 0 || height <= 0) return;
  cv::Mat(height, width, CV_8UC3, const_cast<std::uint8_t*>(rows), static_cast<std::size_t>(stride))
      .copyTo(rgb);
}

}  // namespace

void skinmask_decode_heif(std::string_view bytes, const skinmask::CheckPicture& check, cv::Mat& rgb,
                          std::string& problem) {
  RegisterHevcDecoder();
  const std::unique_ptr<heif_context, void (*)(heif_context*)> context(heif_context_alloc(),
                                                                       heif_context_free);
  heif_context_set_max_decoding_threads(context.get(), 0);  // images are read side by side
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
  check({told.width, told.height}, std::int64_t{told.width} * told.height);
  constexpr std::int64_t kPadding = 64;  // to whole blocks
  LimitHevcPictures((told.width + kPadding) * (told.height + kPadding));
  heif_image* image = nullptr;
  error =
      heif_decode_image(handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGB, nullptr);
  const Owned<heif_image> decoded(image, heif_image_release);
  LimitHevcPictures(0);
  if (error.code == heif_error_Ok) CopyRows(image, rgb);
  if (rgb.empty())
    problem = ProblemOf(error);
  else if (rgb.size() != told)
    problem = "is a damaged HEIC or AVIF: its picture has another size than its header says";
}
