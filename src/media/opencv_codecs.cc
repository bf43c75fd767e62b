#include "media/opencv_codecs.h"

#include <dlfcn.h>

#include "skinmask/base/error.h"

namespace skinmask {
namespace {

// cv::Mat cv::imdecode(cv::InputArray, int), by its name in the Itanium C++ ABI. That the name and
// the signature are right is what reading any BMP tests.
constexpr char kImdecode[] = "_ZN2cv8imdecodeERKNS_11_InputArrayEi";
using Imdecode = cv::Mat(const cv::_InputArray&, int);

Imdecode* Load() {
  void* const library = dlopen(SKINMASK_IMGCODECS, RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library ? dlsym(library, kImdecode) : nullptr;
  if (!symbol) throw Error(SKINMASK_IMGCODECS, std::string("cannot be loaded: ") + dlerror());
  return reinterpret_cast<Imdecode*>(symbol);
}

}  // namespace

cv::Mat DecodeByOpenCv(std::string_view bytes, int flags) {
  static Imdecode* const imdecode = Load();
  const cv::Mat buffer(1, static_cast<int>(bytes.size()), CV_8UC1, const_cast<char*>(bytes.data()));
  return imdecode(buffer, flags);
}

}  // namespace skinmask
