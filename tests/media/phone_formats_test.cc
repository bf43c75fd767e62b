// GIF, and what telephones write: HEIC, AVIF, JPEG XL. The files are of other encoders
// (tests/fixtures/formats/make.sh).
#include <opencv2/imgproc.hpp>

#include "media/gif.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/media/image.h"
#include "skinmask/media/inputs.h"
#include "support/files.h"
#include "support/pictures.h"

namespace skinmask {
namespace {

using testing::Gradient;
using testing::fs::path;

path Fixture(const std::string& name) {
  return path(SKINMASK_SOURCE) / "tests/fixtures/formats" / name;
}
std::string Bytes(const std::string& name) { return ReadFile(Fixture(name)); }

double MeanDifference(const cv::Mat& a, const cv::Mat& b) {
  EXPECT_EQ(a.size(), b.size());
  EXPECT_EQ(a.type(), b.type());
  return cv::norm(a, b, cv::NORM_L1) / static_cast<double>(a.total() * 3);
}

TEST(PhoneFormats, HoldThePicture) {
  const cv::Mat gradient = Gradient(64, 48);
  EXPECT_EQ(MeanDifference(ReadImage(Fixture("gradient.jxl")), gradient), 0);  // lossless
  for (const char* name : {"gradient.heic", "deep.heic", "gradient.avif"})     // deep: 10 bits
    EXPECT_LT(MeanDifference(ReadImage(Fixture(name)), gradient), 2.5) << name;
  EXPECT_LT(MeanDifference(ReadImage(Fixture("gradient.gif")), gradient), 8);  // 256 colours
  // A JPEG in a JPEG XL is what it was, but for another inverse transform.
  EXPECT_LT(MeanDifference(ReadImage(Fixture("jpeg.jxl")), ReadImage(Fixture("gradient.jpg"))), 2);
}

TEST(PhoneFormats, AreUpright) {
  cv::Mat turned;
  cv::rotate(ReadImage(Fixture("jpeg.jxl")), turned, cv::ROTATE_90_CLOCKWISE);
  // libjxl 0.11 dithers as it rounds to 8 bits, by places of the picture before it is turned.
  EXPECT_LE(cv::norm(ReadImage(Fixture("turned.jxl")), turned, cv::NORM_INF), 1);
}

TEST(PhoneFormats, TheLimitOfPixelsHolds) {
  for (const char* name : {"gradient.heic", "gradient.avif", "gradient.jxl", "gradient.gif"}) {
    EXPECT_ERROR(ReadImage(Fixture(name), {.max_pixels = 64 * 48 - 1}), "64 x 48");
    EXPECT_NO_THROW(ReadImage(Fixture(name), {.max_pixels = 64 * 48})) << name;
    std::int64_t taken = 0;
    ReadImage(Fixture(name), {.take = [&](std::int64_t pixels) { taken += pixels; }});
    EXPECT_GE(taken, 64 * 48) << name;
  }
}

// A header that claims a smaller picture than there is gives none.
TEST(PhoneFormats, AFalseSizeIsAnError) {
  for (const char* name : {"gradient.heic", "gradient.avif"}) {
    std::string bytes = Bytes(name);
    const std::size_t size = bytes.find("ispe") + 8;  // behind version and flags
    ASSERT_LT(size, bytes.size());
    bytes[size + 3] = bytes[size + 7] = 16;
    EXPECT_THROW(DecodeImage(bytes, name, {.max_pixels = 1000}), Error) << name;
  }
}

// Layers of a JPEG XL count, each with its own size or that of the picture that it is laid over.
TEST(PhoneFormats, LayersCountAsPixels) {
  constexpr std::int64_t kAll = 12 * 64 * 48, kLarge = 2048 * 2048;
  for (const auto& [name, pixels] : {std::pair("layers.jxl", kAll), {"large-layer.jxl", kLarge}}) {
    EXPECT_ERROR(ReadImage(Fixture(name), {.max_pixels = pixels - 1}),
                 "has layers of " + std::to_string(pixels) + " pixels in all");
    std::int64_t taken = 0;
    const auto take = [&](std::int64_t count) { taken += count; };
    EXPECT_EQ(ReadImage(Fixture(name), {.max_pixels = pixels, .take = take}).size(),
              cv::Size(64, 48));
    EXPECT_GE(taken, pixels) << name;
  }
  EXPECT_NO_THROW(ReadImage(Fixture("four-channels.jxl")));
  EXPECT_ERROR(ReadImage(Fixture("five-channels.jxl")), "has 5 extra channels");
}

TEST(PhoneFormats, ScaledDownLikeOthers) {
  EXPECT_EQ(ReadImage(Fixture("gradient.jxl"), {.scale = 4}).size(), cv::Size(16, 12));
  EXPECT_EQ(ReadImage(Fixture("gradient.avif"), {.scale = 8}).size(), cv::Size(8, 6));
}

// Wherever a file is cut off, it gives no half picture.
TEST(PhoneFormats, HalfFilesAreErrors) {
  for (const char* name :
       {"gradient.heic", "gradient.avif", "gradient.jxl", "jpeg.jxl", "gradient.gif"}) {
    const std::string whole = Bytes(name);
    for (std::size_t size = 1; size + 2 < whole.size(); size += 1 + whole.size() / 60)
      EXPECT_THROW(DecodeImage(whole.substr(0, size), name), Error) << name << " " << size;
  }
}

// As of a copy that was broken off in a file of the full size.
TEST(PhoneFormats, AHalfOfZerosIsAnError) {
  for (const char* name : {"gradient.heic", "gradient.avif"}) {
    std::string bytes = Bytes(name);
    const std::size_t pixels = bytes.rfind("mdat") + 4, half = (bytes.size() - pixels) / 2;
    std::fill(bytes.end() - static_cast<std::ptrdiff_t>(half), bytes.end(), '\0');
    EXPECT_ERROR(DecodeImage(bytes, name), "is a damaged HEIC or AVIF: its pixels end in zeros");
  }
}

TEST(Gif, AnimationsAreVideos) {
  EXPECT_EQ(WalkGif(Bytes("gradient.gif")).pictures, 1u);
  EXPECT_EQ(WalkGif(Bytes("animation.gif")).pictures, 3u);
  EXPECT_ERROR(ReadImage(Fixture("animation.gif")), "animation");
  for (const std::string name : {"gradient.gif", "animation.gif"}) {
    const std::string whole = Bytes(name), file = ::testing::TempDir() + "/cut.gif";
    EXPECT_TRUE(ReachesGifEnd(Fixture(name)));
    for (std::size_t size = 0; size < whole.size(); size += 1 + size / 40) {
      WriteFile(file, whole.substr(0, size), IfExists::kReplace);
      EXPECT_EQ(ReachesGifEnd(file), WalkGif(whole.substr(0, size)).ended) << name << size;
    }
  }
  for (const auto& [name, video] : {std::pair("gradient.gif", false), {"animation.gif", true}}) {
    const auto files = ListInputs({Fixture(name)}, {.wanted = Inputs::kAll});
    ASSERT_EQ(files.size(), 1u);
    EXPECT_EQ(files[0].media == Media::kVideo, video) << name;
  }
  const InputList gifs = ListInputs({Fixture("")}, {.wanted = Inputs::kAll, .include = {"*.gif"}});
  for (const InputFile file : gifs)
    EXPECT_EQ(file.media == Media::kVideo, file.relative == "animation.gif") << file.relative;
}

// Also where the cut leaves its first picture whole.
TEST(Gif, AnAnimationThatIsCutOffIsNoPicture) {
  const std::string whole = Bytes("animation.gif"), file = ::testing::TempDir() + "/cut.gif";
  const std::string control = "!\xF9\4";
  const std::size_t second = whole.find(control, whole.find(control) + 1);
  ASSERT_NE(second, whole.npos);
  for (std::size_t size = second; size < whole.size(); size += 1 + size / 40) {
    WriteFile(file, whole.substr(0, size), IfExists::kReplace);
    if (size == second || size == second + 8) continue;  // between two blocks
    EXPECT_FALSE(IsStillGif(file)) << size;
    EXPECT_ANY_THROW(ReadImage(file)) << size;
  }
}

// A GIF whose codes are bytes: those of pixels of 7 bits, with the table cleared before it grows.
// Row y has the grey 2 y.
std::string PlainGif(int width, int height, bool interlaced, bool local_palette) {
  const auto number = [](int value) {
    return std::string{static_cast<char>(value), static_cast<char>(value >> 8)};
  };
  std::string palette;
  for (int i = 0; i < 128; ++i) palette += std::string(3, static_cast<char>(2 * i));
  const std::string size = number(width) + number(height);
  std::string gif = "GIF89a" + size + (local_palette ? '\0' : '\x86') + std::string(2, '\0');
  if (!local_palette) gif += palette;
  const int kind = (local_palette ? 0x86 : 0) | (interlaced ? 0x40 : 0);
  gif += "," + number(0) + number(0) + size + static_cast<char>(kind);
  if (local_palette) gif += palette;
  gif += '\7';
  for (const auto& [from, step] : {std::pair(0, interlaced ? 8 : 1), {4, 8}, {2, 4}, {1, 2}})
    for (int y = from; y < height && (interlaced || step == 1); y += step)
      gif += static_cast<char>(width + 1) +
             ("\x80" + std::string(static_cast<std::size_t>(width), static_cast<char>(y)));
  return gif + std::string("\1\x81\0;", 4);
}

TEST(Gif, InterlacedOnesAndThoseWithPalettesOfTheirOwnAreRead) {
  for (const bool interlaced : {false, true})
    for (const bool local : {false, true}) {
      const cv::Mat image = DecodeImage(PlainGif(64, 48, interlaced, local), "x");
      ASSERT_EQ(image.size(), cv::Size(64, 48));
      for (int y = 0; y < 48; ++y) EXPECT_EQ(image.at<cv::Vec3b>(y, 63)[0], 2 * y) << interlaced;
    }
}

TEST(Gif, TransparentPixelsHaveTheColorOfTheirIndex) {
  for (const bool local : {false, true})
    for (const char index : {'\0', '\x14'}) {
      const std::string plain = PlainGif(64, 48, false, local);
      std::string marked = plain;
      marked.insert(local ? 13 : 397, std::string("!\xF9\4\1\0\0", 6) + index + '\0');
      EXPECT_EQ(cv::norm(DecodeImage(marked, "x"), DecodeImage(plain, "x"), cv::NORM_INF), 0);
    }
}

// Its place reads as such a mark, which would move it up by a row.
TEST(Gif, APictureIsNoMarkOfTransparency) {
  std::string gif = PlainGif(64, 48, false, false);
  const std::size_t canvas = 6, place = 13 + 3 * 128 + 1;
  gif.replace(canvas, 4, std::string("\0\6\x40\0", 4));
  gif.replace(place, 4, std::string("\xF9\4\1\0", 4));
  EXPECT_EQ(DecodeImage(gif, "x").at<cv::Vec3b>(48, 0x4F9)[0], 2 * 47);
}

TEST(Gif, APictureThatReachesBeyondTheCanvasIsAnError) {
  for (const std::size_t side : {6, 8}) {
    std::string gif = PlainGif(64, 48, false, false);
    --gif[side];
    EXPECT_ERROR(DecodeImage(gif, "x"), "damaged GIF");
  }
}

// FFmpeg only logs that rows are missing.
TEST(Gif, PixelsThatAreMissingAreAnError) {
  const std::string end("\0;", 2), plain = PlainGif(64, 48, false, false),
                                   real = Bytes("gradient.gif");
  EXPECT_NO_THROW(
      DecodeImage(plain.substr(0, plain.size() - 4) + end, "x"));  // without its last code
  for (std::size_t rows = 0; rows < 48; ++rows)
    EXPECT_ERROR(DecodeImage(plain.substr(0, 408 + rows * 66) + end, "x"), "damaged GIF");
  const std::size_t picture = real.find(std::string(",\0\0\0\0\x40\0\x30\0", 9));
  ASSERT_NE(picture, real.npos);
  for (std::size_t at = picture + 11; real[at] != 0; at += 1 + static_cast<std::uint8_t>(real[at]))
    EXPECT_ERROR(DecodeImage(real.substr(0, at) + end, "x"), "damaged GIF");
  std::string none = plain;
  none[408 + 66 * 20 + 9] = '\xF0';  // a code that there is not yet
  EXPECT_ERROR(DecodeImage(none, "x"), "damaged GIF");
}

}  // namespace
}  // namespace skinmask
