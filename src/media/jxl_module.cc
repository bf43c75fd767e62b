// The module skinmask-jxl: JPEG XL by libjxl.
#include <jxl/decode.h>

#include <algorithm>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <type_traits>

#include "media/image_codec.h"

namespace {

using DecoderPtr = std::unique_ptr<JxlDecoder, void (*)(JxlDecoder*)>;

constexpr char kDamaged[] = "is a damaged JPEG XL, or one that ends too early (a whole file)";

DecoderPtr Open(std::string_view bytes, int events) {
  DecoderPtr decoder(JxlDecoderCreate(nullptr), JxlDecoderDestroy);
  JxlDecoderSubscribeEvents(decoder.get(), events);
  JxlDecoderSetInput(decoder.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()),
                     bytes.size());
  return decoder;
}

// The problem of the header, or empty.
std::string CheckHeader(const JxlBasicInfo& info) {
  // For alpha and similar channels. Only the colours are needed, but each extra channel takes as
  // long to decode.
  constexpr std::uint32_t kMaxChannels = 4;
  if (info.have_animation) return "is an animation (a JPEG XL of one picture)";
  if (info.num_extra_channels <= kMaxChannels) return {};
  return "has " + std::to_string(info.num_extra_channels) +
         " extra channels (a JPEG XL of 4 at most)";
}

// The cost of a layer in pixels: its own pixels or those of the picture on which it is blended.
std::int64_t PixelsOf(const JxlLayerInfo& layer, const JxlBasicInfo& info) {
  return std::max(std::int64_t{layer.xsize} * layer.ysize, std::int64_t{info.xsize} * info.ysize);
}

// libjxl before 0.9 has an additional parameter for the pixel format, which it ignores.
template <class Function, class... Rest>
JxlDecoderStatus OfPixels(Function* function, JxlDecoder* decoder, Rest... rest) {
  if constexpr (std::is_invocable_v<Function*, JxlDecoder*, JxlColorProfileTarget, Rest...>)
    return function(decoder, JXL_COLOR_PROFILE_TARGET_DATA, rest...);
  else
    return function(decoder, nullptr, JXL_COLOR_PROFILE_TARGET_DATA, rest...);
}

// The ICC profile of the colours that the decoder returns.
std::string ProfileOf(JxlDecoder* decoder) {
  std::size_t size = 0;
  if (OfPixels(JxlDecoderGetICCProfileSize, decoder, &size) != JXL_DEC_SUCCESS ||
      size > skinmask::kMaxProfile)
    return {};
  std::string icc(size, '\0');
  const bool got = OfPixels(JxlDecoderGetColorAsICCProfile, decoder,
                            reinterpret_cast<std::uint8_t*>(icc.data()), size) == JXL_DEC_SUCCESS;
  return got ? icc : std::string();
}

}  // namespace

// Reads all headers, including those of layers: a few bytes can hold many layers, each larger than
// the picture.
void skinmask_read_header(std::string_view bytes, skinmask::ImageHeader& header,
                          std::string& problem) {
  constexpr std::int64_t kEnough = std::int64_t{1} << 60;
  const DecoderPtr decoder =
      Open(bytes, JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FRAME);
  JxlDecoderSetCoalescing(decoder.get(), JXL_FALSE);
  JxlBasicInfo info{};
  for (bool is_last = false; !is_last && problem.empty();) {
    const JxlDecoderStatus status = JxlDecoderProcessInput(decoder.get());
    if (status == JXL_DEC_BASIC_INFO) {
      JxlDecoderGetBasicInfo(decoder.get(), &info);
      header.size = {info.xsize, info.ysize};
      problem = CheckHeader(info);
    } else if (status == JXL_DEC_COLOR_ENCODING) {
      header.icc = ProfileOf(decoder.get());
    } else if (status == JXL_DEC_FRAME) {
      JxlFrameHeader frame;
      JxlDecoderGetFrameHeader(decoder.get(), &frame);
      const std::int64_t pixels = std::min(kEnough, PixelsOf(frame.layer_info, info));
      header.layers = std::min(kEnough, header.layers + pixels);
      is_last = frame.is_last;
    } else {
      problem = kDamaged;
    }
  }
}

void skinmask_decode(std::string_view bytes, bool, cv::Mat& pixels, std::string& problem) {
  constexpr JxlPixelFormat kRgb{3, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  const DecoderPtr decoder = Open(bytes, JXL_DEC_BASIC_INFO | JXL_DEC_FULL_IMAGE);
  cv::Mat picture;
  while (true) {
    const JxlDecoderStatus status = JxlDecoderProcessInput(decoder.get());
    if (status == JXL_DEC_BASIC_INFO) {
      JxlBasicInfo info;
      JxlDecoderGetBasicInfo(decoder.get(), &info);
      picture.create(static_cast<int>(info.ysize), static_cast<int>(info.xsize), CV_8UC3);
    } else if (status == JXL_DEC_NEED_IMAGE_OUT_BUFFER) {
      if (JxlDecoderSetImageOutBuffer(decoder.get(), &kRgb, picture.data,
                                      picture.total() * picture.elemSize()) != JXL_DEC_SUCCESS)
        break;
    } else if (status == JXL_DEC_FULL_IMAGE) {
      cv::cvtColor(picture, pixels, cv::COLOR_RGB2BGR);
      return;
    } else {
      break;  // an error, or the end of a file without a whole picture
    }
  }
  problem = kDamaged;
}
