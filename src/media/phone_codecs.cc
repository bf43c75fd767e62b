#include "media/phone_codecs.h"

#include <opencv2/imgproc.hpp>

#include "media/late_module.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

using PhoneDecoder = decltype(&skinmask_decode_heif);

cv::Mat Decode(PhoneDecoder decode, std::string_view bytes, std::string_view subject,
               const CheckPicture& check) {
  cv::Mat picture;
  std::string problem;
  decode(bytes, check, picture, problem);
  if (!problem.empty()) throw Error(subject, problem);
  cv::cvtColor(picture, picture, cv::COLOR_RGB2BGR);
  return picture;
}

PhoneDecoder Find(const char* module, const char* symbol) {
  return reinterpret_cast<PhoneDecoder>(FindInModule(module, symbol));
}

}  // namespace

cv::Mat DecodeHeif(std::string_view bytes, std::string_view subject, const CheckPicture& check) {
#ifdef SKINMASK_HEIF
  static const PhoneDecoder decode = Find("skinmask-heif.so", "skinmask_decode_heif");
  return Decode(decode, bytes, subject, check);
#else
  throw Error(subject,
              "is HEIC or AVIF, which this build does not read (it was made without libheif)");
#endif
}

cv::Mat DecodeJxl(std::string_view bytes, std::string_view subject, const CheckPicture& check) {
#ifdef SKINMASK_JXL
  static const PhoneDecoder decode = Find("skinmask-jxl.so", "skinmask_decode_jxl");
  return Decode(decode, bytes, subject, check);
#else
  throw Error(subject, "is JPEG XL, which this build does not read (it was made without libjxl)");
#endif
}

}  // namespace skinmask
