// GIF, and what telephones write: HEIC, AVIF, JPEG XL. The files are of other encoders
// (tests/fixtures/formats/make.sh).
#include <opencv2/imgproc.hpp>

#include "media/gif.h"
#include "skinmask/base/error.h"
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
  for (const char* name : {"gradient.heic", "gradient.avif"})
    EXPECT_LT(MeanDifference(ReadImage(Fixture(name)), gradient), 2.5) << name;
  EXPECT_LT(MeanDifference(ReadImage(Fixture("gradient.gif")), gradient), 8);  // 256 colours
  // A JPEG in a JPEG XL is what it was, but for another inverse transform.
  EXPECT_LT(MeanDifference(ReadImage(Fixture("jpeg.jxl")), ReadImage(Fixture("gradient.jpg"))), 2);
}

TEST(PhoneFormats, AreUpright) {
  cv::Mat turned;
  cv::rotate(ReadImage(Fixture("jpeg.jxl")), turned, cv::ROTATE_90_CLOCKWISE);
  EXPECT_EQ(MeanDifference(ReadImage(Fixture("turned.jxl")), turned), 0);
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

TEST(Gif, AnimationsAreVideos) {
  EXPECT_EQ(CountGifPictures(Bytes("gradient.gif")), 1u);
  EXPECT_EQ(CountGifPictures(Bytes("animation.gif")), 3u);
  EXPECT_ERROR(ReadImage(Fixture("animation.gif")), "animation");
  for (const auto& [name, video] : {std::pair("gradient.gif", false), {"animation.gif", true}}) {
    const auto files = ListInputs({Fixture(name)}, {.wanted = Inputs::kAll});
    ASSERT_EQ(files.size(), 1u);
    EXPECT_EQ(files[0].media == Media::kVideo, video) << name;
  }
  const InputList gifs = ListFolder(Fixture(""), {.wanted = Inputs::kAll, .include = {"*.gif"}});
  for (const InputFile file : gifs)
    EXPECT_EQ(file.media == Media::kVideo, file.relative == "animation.gif") << file.relative;
}

}  // namespace
}  // namespace skinmask
