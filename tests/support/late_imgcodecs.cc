// What tests call as OpenCV's (imgcodecs.h).
#include <dlfcn.h>

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

}  // namespace

cv::Mat cv::imread(const String& file, int flags) { return Functions().imread(file, flags); }

cv::Mat cv::imdecode(InputArray bytes, int flags) { return Functions().imdecode(bytes, flags); }

bool cv::imwrite(const String& file, InputArray image, const std::vector<int>& options) {
  return Functions().imwrite(file, image, options);
}

bool cv::imencode(const String& extension, InputArray image, std::vector<uchar>& bytes,
                  const std::vector<int>& options) {
  return Functions().imencode(extension, image, bytes, options);
}
