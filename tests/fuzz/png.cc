// The reader of PNG, whose chunks get their right sums. The first byte has the options.
#include "fuzz/input.h"
#include "fuzz/pictures.h"

namespace skinmask {
namespace {

// The same picture in the other forms that the reader has.
void CompareForms(std::string_view bytes, const cv::Mat& kept, DecodeOptions options) {
  options.keep_grey = false;
  const cv::Mat bgr = DecodeImage(bytes, "png", options);
  fuzz::Require(bgr.type() == CV_8UC3 && bgr.size() == kept.size(), "a picture has three channels");
  const int channels = kept.channels();
  for (int y = 0; y < kept.rows; ++y)
    for (int x = 0; x < kept.cols; ++x)
      for (int c = 0; c < 3; ++c)
        fuzz::Require(bgr.ptr(y)[3 * x + c] == kept.ptr(y)[channels * x + c % channels],
                      "grey is the same in all channels");
}

}  // namespace
}  // namespace skinmask

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skinmask;
  fuzz::Input input(data, size);
  const std::uint8_t flags = input.Byte();
  std::string bytes(input.Rest());
  if (flags & 1) bytes = fuzz::WithRightSums(bytes);
  if (!bytes.starts_with("\x89PNG\r\n\x1a\n")) return 0;
  DecodeOptions options{.keep_grey = true};
  options.max_pixels = fuzz::kMaxPixels;
  cv::Mat image;
  if (!fuzz::Succeeds([&] { image = DecodeImage(bytes, "png", options); })) return 0;
  fuzz::Require(image.type() == CV_8UC3 || image.type() == CV_8UC1, "grey or colour");
  CompareForms(bytes, image, options);
  return 0;
}
