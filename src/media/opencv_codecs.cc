#include "media/opencv_codecs.h"

#include "media/late_module.h"

namespace skinmask {

cv::Mat DecodeByOpenCv(std::string_view bytes, int flags) {
  static auto* const decode = reinterpret_cast<decltype(&skinmask_imdecode)>(
      FindInModule("skinmask-imgcodecs.so", "skinmask_imdecode"));
  cv::Mat image;
  decode(bytes, flags, image);
  return image;
}

}  // namespace skinmask
