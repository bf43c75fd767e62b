// Images of any format: a whole picture of the right type, the same each time, or an Error. The
// first byte has the options.
#include "fuzz/input.h"
#include "fuzz/pictures.h"

namespace skinmask {
namespace {

bool Equal(const cv::Mat& a, const cv::Mat& b) {
  if (a.size() != b.size() || a.type() != b.type()) return false;
  const std::size_t row = static_cast<std::size_t>(a.cols) * a.elemSize();
  for (int y = 0; y < a.rows; ++y)
    if (!std::equal(a.ptr(y), a.ptr(y) + row, b.ptr(y))) return false;
  return true;
}

}  // namespace
}  // namespace skinmask

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skinmask;
  fuzz::Input input(data, size);
  const std::uint8_t flags = input.Byte();
  DecodeOptions options{
      .scale = 1 << (flags & 3), .keep_grey = (flags & 4) != 0, .lenient = (flags & 8) != 0};
  std::string bytes(input.Rest());
  if (flags & 16 && bytes.starts_with("\x89PNG")) bytes = fuzz::WithRightSums(bytes);
  options.max_pixels = fuzz::kMaxPixels;
  cv::Mat image;
  if (!fuzz::Succeeds([&] { image = DecodeImage(bytes, "image", options); })) return 0;
  fuzz::Require(image.type() == CV_8UC3 || (options.keep_grey && image.type() == CV_8UC1),
                "a picture has three channels, or one that was kept");
  fuzz::Require(!image.empty() && image.total() <= fuzz::kMaxPixels, "a picture has pixels");
  // Into memory that holds something else.
  static Scratch scratch;
  std::fill_n(scratch.Get(image.total() * 4), image.total() * 4, std::uint8_t{0xA5});
  options.buffer = &scratch;
  fuzz::Require(Equal(image, DecodeImage(bytes, "image", options)),
                "a picture is the same each time");
  return 0;
}
