// What tests call as OpenCV's (imgcodecs.h).
#include <dlfcn.h>
#include <png.h>
#include <zlib.h>

#include <stdexcept>

#include "support/imgcodecs.h"

namespace {

const skinmask::testing::Imgcodecs& Functions() {
  static const auto* const functions = [] {
    void* const module = dlopen(SKINMASK_TEST_IMGCODECS, RTLD_NOW | RTLD_LOCAL);
    if (!module) throw std::runtime_error(dlerror());
    return reinterpret_cast<decltype(&skinmask_imgcodecs)>(dlsym(module, "skinmask_imgcodecs"))();
  }();
  return *functions;
}

// With OpenCV's settings. Errors of libpng end the test, as nothing waits for them.
void EncodePng(const cv::Mat& image, std::vector<uchar>& bytes) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &bytes,
      [](png_structp to, png_bytep data, std::size_t size) {
        auto& all = *static_cast<std::vector<uchar>*>(png_get_io_ptr(to));
        all.insert(all.end(), data, data + size);
      },
      nullptr);
  png_set_compression_level(png, Z_BEST_SPEED);
  png_set_compression_strategy(png, Z_RLE);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
  constexpr int kTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.cols),
               static_cast<png_uint_32>(image.rows), 8, kTypes[image.channels() / 2],
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  png_set_bgr(png);
  for (int y = 0; y < image.rows; ++y) png_write_row(png, image.ptr(y));
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
}

}  // namespace

cv::Mat cv::imread(const String& file, int flags) { return Functions().imread(file, flags); }

cv::Mat cv::imdecode(InputArray bytes, int flags) { return Functions().imdecode(bytes, flags); }

bool cv::imwrite(const String& file, InputArray image, const std::vector<int>& options) {
  return Functions().imwrite(file, image, options);
}

bool cv::imencode(const String& extension, InputArray image, std::vector<uchar>& bytes,
                  const std::vector<int>& options) {
  // Most pictures of tests, for which nothing needs to be opened.
  const Mat picture = image.getMat();
  if (extension == ".png" && options.empty() && picture.depth() == CV_8U && !picture.empty() &&
      (picture.channels() % 2 == 1 ? picture.channels() <= 3 : picture.channels() == 4)) {
    bytes.clear();
    EncodePng(picture, bytes);
    return true;
  }
  return Functions().imencode(extension, image, bytes, options);
}
