// What tests call as OpenCV's (imgcodecs.h). What most of them do with PNG and JPEG, libpng and
// TurboJPEG do here, with OpenCV's settings and none of the project's code. imdecode, with which
// image_test.cc holds the project's decoders to OpenCV's, is always OpenCV's.
#include <dlfcn.h>
#include <png.h>
#include <turbojpeg.h>
#include <zlib.h>

#include <cstdio>
#include <memory>
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

// Errors of libpng end the test, as nothing waits for them.
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

// The pixels of a PNG of grey, RGB or RGBA of 8 bits; empty for any other file.
cv::Mat ReadPng(const std::string& file) {
  const auto close = [](std::FILE* open) { std::fclose(open); };
  const std::unique_ptr<std::FILE, decltype(close)> input(std::fopen(file.c_str(), "rb"));
  png_byte signature[8];
  if (!input || std::fread(signature, 1, 8, input.get()) != 8 || png_sig_cmp(signature, 0, 8) != 0)
    return {};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, input.get());
  png_set_sig_bytes(png, 8);
  png_read_info(png, info);
  cv::Mat image;
  const int channels = png_get_channels(png, info);
  if (png_get_bit_depth(png, info) == 8 && channels != 2 &&
      png_get_color_type(png, info) != PNG_COLOR_TYPE_PALETTE &&
      png_get_interlace_type(png, info) == PNG_INTERLACE_NONE &&
      !png_get_valid(png, info, PNG_INFO_tRNS)) {
    png_set_bgr(png);
    image.create(static_cast<int>(png_get_image_height(png, info)),
                 static_cast<int>(png_get_image_width(png, info)), CV_8UC(channels));
    for (int y = 0; y < image.rows; ++y) png_read_row(png, image.ptr(y), nullptr);
    png_read_end(png, nullptr);
  }
  png_destroy_read_struct(&png, &info, nullptr);
  return image;
}

void EncodeJpeg(const cv::Mat& image, std::vector<uchar>& bytes) {
  const bool grey = image.channels() == 1;
  const tjhandle turbo = tjInitCompress();
  unsigned char* jpeg = nullptr;
  unsigned long size = 0;
  if (tjCompress2(turbo, image.data, image.cols, static_cast<int>(image.step), image.rows,
                  grey ? TJPF_GRAY : TJPF_BGR, &jpeg, &size, grey ? TJSAMP_GRAY : TJSAMP_420, 95,
                  TJFLAG_ACCURATEDCT) != 0)
    throw std::runtime_error(tjGetErrorStr2(turbo));
  bytes.assign(jpeg, jpeg + size);
  tjFree(jpeg);
  tjDestroy(turbo);
}

}  // namespace

cv::Mat cv::imread(const String& file, int flags) {
  const Mat image = ReadPng(file);
  const int wanted = flags == IMREAD_UNCHANGED   ? image.channels()
                     : flags == IMREAD_GRAYSCALE ? 1
                     : flags == IMREAD_COLOR     ? 3
                                                 : 0;
  return !image.empty() && image.channels() == wanted ? image : Functions().imread(file, flags);
}

cv::Mat cv::imdecode(InputArray bytes, int flags) { return Functions().imdecode(bytes, flags); }

bool cv::imwrite(const String& file, InputArray image, const std::vector<int>& options) {
  return Functions().imwrite(file, image, options);
}

bool cv::imencode(const String& extension, InputArray image, std::vector<uchar>& bytes,
                  const std::vector<int>& options) {
  const Mat picture = image.getMat();
  if (extension == ".png" && options.empty() && picture.depth() == CV_8U && !picture.empty() &&
      (picture.channels() % 2 == 1 ? picture.channels() <= 3 : picture.channels() == 4)) {
    bytes.clear();
    EncodePng(picture, bytes);
    return true;
  }
  if (extension == ".jpg" && options.empty() && !picture.empty() &&
      (picture.type() == CV_8UC1 || picture.type() == CV_8UC3)) {
    EncodeJpeg(picture, bytes);
    return true;
  }
  return Functions().imencode(extension, image, bytes, options);
}
