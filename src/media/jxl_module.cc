// The module skinmask-jxl.
#include <jxl/decode.h>

#include <memory>

#include "media/phone_codecs.h"

namespace {

using DecoderPtr = std::unique_ptr<JxlDecoder, void (*)(JxlDecoder*)>;

// What the header says; empty where the picture can be taken.
std::string CheckHeader(const JxlBasicInfo& info, const skinmask::CheckPicture& check) {
  if (info.have_animation) return "is an animation (a JPEG XL of one picture)";
  check({info.xsize, info.ysize});
  return {};
}

}  // namespace

void skinmask_decode_jxl(std::string_view bytes, const skinmask::CheckPicture& check, cv::Mat& rgb,
                         std::string& problem) {
  constexpr JxlPixelFormat kRgb{3, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  const DecoderPtr decoder(JxlDecoderCreate(nullptr), JxlDecoderDestroy);
  JxlDecoderSubscribeEvents(decoder.get(), JXL_DEC_BASIC_INFO | JXL_DEC_FULL_IMAGE);
  JxlDecoderSetInput(decoder.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()),
                     bytes.size());
  cv::Mat picture;
  while (true) {
    const JxlDecoderStatus status = JxlDecoderProcessInput(decoder.get());
    if (status == JXL_DEC_BASIC_INFO) {
      JxlBasicInfo info;
      JxlDecoderGetBasicInfo(decoder.get(), &info);
      problem = CheckHeader(info, check);
      if (!problem.empty()) return;
      picture.create(static_cast<int>(info.ysize), static_cast<int>(info.xsize), CV_8UC3);
    } else if (status == JXL_DEC_NEED_IMAGE_OUT_BUFFER) {
      if (JxlDecoderSetImageOutBuffer(decoder.get(), &kRgb, picture.data,
                                      picture.total() * picture.elemSize()) != JXL_DEC_SUCCESS)
        break;
    } else if (status == JXL_DEC_FULL_IMAGE) {
      rgb = picture;
      return;
    } else {
      break;  // an error, or the end of a file that has no whole picture
    }
  }
  problem = "is a damaged JPEG XL, or one that ends too early (a whole file)";
}
