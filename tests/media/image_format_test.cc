// What the first bytes and the headers of images decide.
#include "media/image_codec.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <tuple>

#include "media/file_bytes.h"
#include "skinmask/base/error.h"
#include "skinmask/media/image.h"
#include "support/files.h"
#include "support/hostile.h"

namespace skinmask {
namespace {

using testing::Encode;
using testing::Gradient;

const char* const kExtensions[] = {".jpg", ".png", ".bmp", ".tiff", ".webp", ".ppm"};

TEST(ImageFormat, ClosedListByFirstBytes) {
  for (const char* extension : kExtensions)
    EXPECT_TRUE(CodecOf(Encode(extension, Gradient(9, 7)))) << extension;
  using namespace std::string_view_literals;
  for (const std::string_view head :
       {"GIF88a"sv, "#?RADIANCE\n"sv, "\x59\xA6\x6A\x95"sv, "\0\0\0\x0CjP  \r\n\x87\n"sv,
        "\xFF\x4F\xFF\x51"sv, "\x76\x2F\x31\x01"sv, "P7\n"sv, "PF\n"sv, "P6"sv, "II+\0"sv,
        "RIFF\0\0\0\0AVI "sv, "RIFF"sv, "\x89PNG"sv, "NITF02.10"sv,
        "\0\0\0\x1C"
        "ftypisom"sv})
    EXPECT_FALSE(CodecOf(std::string(head) + (head.size() > 8 ? std::string(90, ' ') : "")))
        << head;
  for (const auto& [name, bytes] : testing::HostileFiles("/x"))
    EXPECT_THROW(DecodeImage(bytes, name), Error) << name;
  const std::string gif = "GIF89a" + std::string(90, '\0');
  EXPECT_ERROR(DecodeImage(gif, "a.png"), "damaged");
}

// A BMP of these pixels, with the header's fields for them.
std::string Bmp(cv::Size size, std::uint16_t bits, std::uint32_t compression,
                const std::string& masks, const std::string& palette, const std::string& pixels) {
  const auto number = [](std::int64_t value, int bytes) {
    return LittleEndianBytes(static_cast<std::uint64_t>(value), bytes);
  };
  const std::string header = number(40, 4) + number(size.width, 4) + number(size.height, 4) +
                             number(1, 2) + number(bits, 2) + number(compression, 4) +
                             number(static_cast<std::int64_t>(pixels.size()), 4) + number(0, 8) +
                             number(static_cast<std::int64_t>(palette.size() / 4), 4) +
                             number(0, 4);
  const std::string before = header + masks + palette;
  const auto start = static_cast<std::int64_t>(14 + before.size());
  return "BM" + number(start + static_cast<std::int64_t>(pixels.size()), 4) + number(0, 4) +
         number(start, 4) + before + pixels;
}

// OpenCV reads such files as if the channels were B, G, R, and goes on in the next row where a run
// is too long.
TEST(ImageFormat, BmpsThatWouldBecomeOtherPicturesAreRefused) {
  using namespace std::string_literals;
  const auto masks = [](std::uint32_t r, std::uint32_t g, std::uint32_t b) {
    return LittleEndianBytes(r, 4) + LittleEndianBytes(g, 4) + LittleEndianBytes(b, 4);
  };
  constexpr std::uint32_t kHigh = 0xFF0000, kMiddle = 0xFF00, kLow = 0xFF;
  const cv::Size one(1, 1);
  const std::string pixel = "\x01\x02\x03\x00"s;
  const cv::Mat read = DecodeImage(Bmp(one, 32, 3, masks(kHigh, kMiddle, kLow), "", pixel), "x");
  EXPECT_EQ(read.at<cv::Vec3b>(0, 0), cv::Vec3b(1, 2, 3));
  for (const std::string& other : {masks(kLow, kMiddle, kHigh), masks(0x3FF00000, 0xFFC00, 0x3FF),
                                   masks(kHigh, kLow, kMiddle)})
    EXPECT_ERROR(DecodeImage(Bmp(one, 32, 3, other, "", pixel), "x"), "x: is a BMP whose channels");

  const std::string palette = "\1\2\3\0\x11\x12\x13\0"s;
  const auto runs = [&](const std::string& codes, std::uint16_t bits = 8) {
    return DecodeImage(Bmp({3, 2}, bits, bits == 8 ? 1 : 2, "", palette, codes), "x");
  };
  const std::string rows = "\3\0\0\0"s,
                    by_pixels = "\0\3\1\0\1\0"s;  // the lower row, and the upper
  const cv::Mat two = runs(rows + by_pixels + "\0\0\0\1"s);
  EXPECT_EQ(two.at<cv::Vec3b>(0, 2), cv::Vec3b(0x11, 0x12, 0x13));
  EXPECT_EQ(two.at<cv::Vec3b>(0, 1), cv::Vec3b(1, 2, 3));
  EXPECT_EQ(two.at<cv::Vec3b>(1, 2), cv::Vec3b(1, 2, 3));
  EXPECT_EQ(runs("\3\x10\0\0\3\x01\0\1"s, 4).size(), cv::Size(3, 2));
  // Rows without a mark of their end, and a last row that ends early, are read.
  const cv::Mat unmarked = runs("\3\0\3\1\0\1"s);
  EXPECT_EQ(unmarked.at<cv::Vec3b>(0, 0), cv::Vec3b(0x11, 0x12, 0x13));
  EXPECT_EQ(unmarked.at<cv::Vec3b>(1, 2), cv::Vec3b(1, 2, 3));
  EXPECT_EQ(runs(rows + "\2\1\0\1"s).at<cv::Vec3b>(0, 2), cv::Vec3b(1, 2, 3));
  EXPECT_ERROR(runs("\4\0\0\0\3\0\0\1"s), "a run of pixels that is longer than its row");
  // The padding of a row as a run of its own.
  EXPECT_ERROR(runs("\3\0\1\0\0\0\3\1\1\0\0\0\0\1"s), "a run of pixels that is longer than");
  EXPECT_ERROR(runs("\2\0\0\3\1\0\1\0\0\1"s), "a run of pixels that is longer than its row");
  for (const std::string& cut : {rows, rows + "\0\1"s, "\2\0\0\1"s, rows + "\0\3\1"s})
    EXPECT_ERROR(runs(cut), "its pixels end too early");
}

TEST(ImageFormat, SequencesAreRefusedAsSuch) {
  const std::string avif = std::string(4, '\0') + "ftypavis" + std::string(90, '\0');
  EXPECT_ERROR(DecodeImage(avif, "x"), "x: is a sequence of AVIF images");
}

TEST(ImageFormat, HeadersTellTheSizeBeforeMemoryIsTaken) {
  for (const char* extension : kExtensions) {
    const std::string bytes = Encode(extension, Gradient(64, 48));
    std::int64_t taken = 0;
    const auto take = [&](std::int64_t pixels) { taken += pixels; };
    EXPECT_NO_THROW(DecodeImage(bytes, "x", {.max_pixels = 64 * 48, .take = take})) << extension;
    EXPECT_EQ(taken, 64 * 48) << extension;
    taken = 0;
    EXPECT_ERROR(DecodeImage(bytes, "x", {.max_pixels = 64 * 48 - 1, .take = take}),
                 "has 64 x 48 pixels");
    EXPECT_EQ(taken, 0) << extension;
  }
  for (const char* extension : {".png", ".tif"}) {
    const cv::Mat deep(48, 64, CV_16UC3, cv::Scalar::all(1));
    std::int64_t taken = 0;
    DecodeImage(Encode(extension, deep), "x", {.take = [&](std::int64_t n) { taken += n; }});
    EXPECT_EQ(taken, 64 * 48 * 6 / 4) << extension;
  }
  EXPECT_ERROR(DecodeImage(testing::PngOfSize(60000, 60000), "x"), "has 60000 x 60000 pixels");
  EXPECT_ERROR(DecodeImage(testing::PngOfSize(0, 5), "x"), "no pixels");
  EXPECT_ERROR(DecodeImage("P5 # a comment\n 70000\n#another\n70000 255\n", "x"),
               "has 70000 x 70000 pixels");
}

TEST(ImageFormat, TiffAndWebPThatEndEarlyAreErrors) {
  for (const std::string& bytes :
       {Encode(".tiff", Gradient(64, 48)),
        Encode(".tiff", Gradient(64, 48), {cv::IMWRITE_TIFF_COMPRESSION, 1}),
        Encode(".webp", Gradient(64, 48)),
        Encode(".webp", Gradient(64, 48), {cv::IMWRITE_WEBP_QUALITY, 101})}) {
    ASSERT_NO_THROW(DecodeImage(bytes, "x"));
    for (std::size_t left = 1; left < bytes.size(); left += 1 + bytes.size() / 60)
      EXPECT_THROW(DecodeImage(std::string_view(bytes).substr(0, bytes.size() - left), "x"), Error)
          << left;
  }
}

std::string Little(std::size_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i);
  return text;
}

// Writes a number into a little-endian TIFF, where its directory has a tag (TIFF 6.0, section 2).
void SetTag(std::string& tiff, std::size_t tag, std::size_t number) {
  const std::string entry = Little(tag, 2) + Little(3, 2) + Little(1, 4);
  const std::size_t at = tiff.rfind(entry);
  ASSERT_NE(at, std::string::npos);
  tiff.replace(at + entry.size(), 2, Little(number, 2));
}

TEST(ImageFormat, TiffsOfOtherKindsAreErrors) {
  constexpr std::size_t kPhotometric = 0x106, kPlanes = 0x11C;
  cv::Mat grey(48, 64, CV_16UC1, cv::Scalar(300)), rgb(48, 64, CV_16UC3, cv::Scalar(1, 2, 3));
  for (const auto& [image, tag, number] :
       {std::tuple(grey, kPhotometric, 2u), {grey, kPhotometric, 0u}, {rgb, kPlanes, 2u}}) {
    std::string tiff = Encode(".tiff", image);
    ASSERT_NO_THROW(DecodeImage(tiff, "x"));
    SetTag(tiff, tag, number);
    EXPECT_ERROR(DecodeImage(tiff, "x"), "is a TIFF of a kind that is not read");
  }
  for (const std::size_t bits : {2u, 4u}) {
    std::string tiff = Encode(".tiff", cv::Mat(48, 64, CV_8UC1, cv::Scalar(3)));
    SetTag(tiff, 0x102, bits);
    EXPECT_ERROR(DecodeImage(tiff, "x"), "is a TIFF of a kind that is not read");
  }
  std::string whole_numbers = Encode(".tiff", cv::Mat(48, 64, CV_32FC1, cv::Scalar(3)));
  SetTag(whole_numbers, 0x153, 1);  // of 32 bits
  EXPECT_ERROR(DecodeImage(whole_numbers, "x"), "is a TIFF of a kind that is not read");
  // Without the tag of what the samples mean, which libtiff would guess.
  std::string untold = Encode(".tiff", cv::Mat(48, 64, CV_8UC3, cv::Scalar(1, 2, 3)));
  untold.replace(untold.rfind(Little(kPhotometric, 2) + Little(3, 2) + Little(1, 4)), 2,
                 Little(kPhotometric + 1, 2));
  EXPECT_ERROR(DecodeImage(untold, "x"), "is a TIFF of a kind that is not read");
}

// A TIFF whose one strip is a JPEG (TIFF's technical note 2).
std::string TiffOf(const std::string& jpeg, std::size_t width, std::size_t height,
                   std::size_t unit = 2) {
  const std::size_t bits = 8 + jpeg.size(), directory = bits + 6;
  std::string entries;
  const auto put = [&](std::size_t tag, std::size_t type, std::size_t count, std::size_t value) {
    entries += Little(tag, 2) + Little(type, 2) + Little(count, 4) + Little(value, 4);
  };
  put(256, 4, 1, width);
  put(257, 4, 1, height);
  put(258, 3, 3, bits);
  put(259, 3, 1, 7);
  put(262, 3, 1, 6);
  put(273, 4, 1, 8);
  put(277, 3, 1, 3);
  put(278, 4, 1, height);
  put(279, 4, 1, jpeg.size());
  put(296, 3, 1, unit);  // of the resolution, which is not told
  return "II*" + std::string(1, '\0') + Little(directory, 4) + jpeg + Little(8, 2) + Little(8, 2) +
         Little(8, 2) + Little(10, 2) + entries + Little(0, 4);
}

// A little-endian TIFF in tiles, of the picture as it is stored: B G R, grey, or grey and alpha.
std::string TiledTiff(const cv::Mat& picture, std::size_t orientation, int side = 32,
                      std::size_t photometric = 2) {
  cv::Mat rgb = picture.clone();
  const auto samples = static_cast<std::size_t>(picture.channels());
  if (samples == 3) cv::cvtColor(picture, rgb, cv::COLOR_BGR2RGB);
  std::string tiles, offsets, sizes, entries;
  for (int y = 0; y < rgb.rows; y += side)
    for (int x = 0; x < rgb.cols; x += side) {
      const cv::Mat tile = rgb(cv::Rect(x, y, side, side)).clone();
      offsets += Little(8 + tiles.size(), 4);
      sizes += Little(tile.total() * samples, 4);
      tiles.append(reinterpret_cast<const char*>(tile.data), tile.total() * samples);
    }
  const std::size_t at = 8 + tiles.size(), count = offsets.size() / 4;
  const auto put = [&](std::size_t tag, std::size_t type, std::size_t n, std::size_t value) {
    entries += Little(tag, 2) + Little(type, 2) + Little(n, 4) + Little(value, 4);
  };
  put(256, 3, 1, static_cast<std::size_t>(rgb.cols));
  put(257, 3, 1, static_cast<std::size_t>(rgb.rows));
  put(258, 3, samples, samples == 3 ? at + 8 * count : 0x00080008);
  put(259, 3, 1, 1);
  put(262, 3, 1, photometric);
  put(274, 3, 1, orientation);
  put(277, 3, 1, samples);
  put(322, 3, 1, static_cast<std::size_t>(side));
  put(323, 3, 1, static_cast<std::size_t>(side));
  put(324, 4, count, at);
  put(325, 4, count, at + 4 * count);
  return "II*" + std::string(1, '\0') + Little(at + 8 * count + 6, 4) + tiles + offsets + sizes +
         Little(8, 2) + Little(8, 2) + Little(8, 2) + Little(11, 2) + entries + Little(0, 4);
}

// From files that are not mapped, libtiff calls tiles of 768 bytes damaged.
TEST(ImageFormat, TiffsInTilesOfAnySizeAreRead) {
  const cv::Mat stored = Gradient(96, 48);
  for (const int side : {16, 48})
    EXPECT_EQ(cv::norm(DecodeImage(TiledTiff(stored, 1, side), "x"), stored, cv::NORM_INF), 0)
        << side;
  cv::Mat grey, alpha;
  cv::extractChannel(stored, grey, 1);
  constexpr int kSide = 16;
  const cv::Mat white_is_0 = 255 - grey;
  EXPECT_EQ(cv::norm(DecodeImage(TiledTiff(white_is_0, 1, kSide, 0), "x", {.keep_grey = true}),
                     grey, cv::NORM_INF),
            0);
  cv::merge(std::vector<cv::Mat>{grey, cv::Mat(grey.size(), CV_8UC1, cv::Scalar(255))}, alpha);
  std::string tiff = TiledTiff(alpha, 1, kSide, 1);
  EXPECT_EQ(cv::norm(DecodeImage(tiff, "x", {.keep_grey = true}), grey, cv::NORM_INF), 0);
  SetTag(tiff, 0x100, 90);  // in the last tile of each row
  EXPECT_ERROR(DecodeImage(tiff, "x"), "is a TIFF of a kind that is not read");
}

// libtiff would mirror each tile in itself.
TEST(ImageFormat, TiffsInTilesAreTurnedAsAWhole) {
  constexpr int kUpsideDown = 0, kMirrored = 1, kBoth = -1;
  const cv::Mat stored = Gradient(96, 64);
  const auto flipped = [](const cv::Mat& picture, int how) {
    cv::Mat made;
    cv::flip(picture, made, how);
    return made;
  };
  const cv::Mat across = stored.t();
  const cv::Mat expected[] = {
      stored, flipped(stored, kMirrored), flipped(stored, kBoth), flipped(stored, kUpsideDown),
      across, flipped(across, kMirrored), flipped(across, kBoth), flipped(across, kUpsideDown)};
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    const cv::Mat read = DecodeImage(TiledTiff(stored, i + 1), "x");
    ASSERT_EQ(read.size(), expected[i].size()) << i + 1;
    EXPECT_EQ(cv::norm(read, expected[i], cv::NORM_INF), 0) << i + 1;
  }
}

// Replaces the pixels of a TIFF, which stand before its directory, from the middle on.
std::string WithDamage(std::string tiff, char damage) {
  std::size_t directory = 0;
  for (std::size_t i = 8; i-- > 4;) directory = directory << 8 | static_cast<std::uint8_t>(tiff[i]);
  const std::size_t half = directory / 2, count = directory - 6 - half;
  return tiff.replace(half, count, count, damage);
}

// After an error libtiff goes on, and a part of the picture would be what its memory held.
TEST(ImageFormat, TiffsWhosePixelsAreDamagedAreErrors) {
  const cv::Mat picture = Gradient(64, 48);
  const auto with = [&](int compression) {
    return Encode(".tiff", picture, {cv::IMWRITE_TIFF_COMPRESSION, compression});
  };
  constexpr int kNone = 1, kLzw = 5, kDeflate = 8, kPackBits = 32773;
  for (const auto& [tiff, damage] : {std::pair(TiffOf(Encode(".jpg", picture), 64, 48), '\xFF'),
                                     {with(kLzw), '\xFF'},
                                     {with(kDeflate), '\xFF'},
                                     {with(kPackBits), '\x80'}}) {
    EXPECT_NEAR(cv::mean(DecodeImage(tiff, "x"))[0], cv::mean(picture)[0], 1);
    EXPECT_ERROR(DecodeImage(WithDamage(tiff, damage), "x"), "its pixels are damaged");
    EXPECT_NO_THROW(DecodeImage(tiff, "x"));
  }
  EXPECT_THROW(DecodeImage(TiffOf(Encode(".jpg", Gradient(64, 32)), 64, 48), "x"), Error);
  for (const int claimed : {kLzw, kDeflate, 32946, 34661, 34712, 50000, 50001}) {
    std::string tiff = with(kNone);
    SetTag(tiff, 0x103, static_cast<std::size_t>(claimed));
    EXPECT_THROW(DecodeImage(tiff, "x"), Error) << claimed;
  }
}

// libtiff calls it an error when a tag makes no sense that no pixel depends on.
TEST(ImageFormat, TagsThatMakeNoSenseDamageNoPixel) {
  const std::string jpeg = Encode(".jpg", Gradient(64, 48));
  const cv::Mat expected = DecodeImage(TiffOf(jpeg, 64, 48), "x");
  for (const std::size_t unit : {0, 4})
    EXPECT_EQ(cv::norm(DecodeImage(TiffOf(jpeg, 64, 48, unit), "x"), expected, cv::NORM_INF), 0);
}

// The extended form of a WebP (its container's specification, 2023), with an EXIF chunk.
std::string WebPWithOrientation(const std::string& webp, int width, int height, int orientation) {
  const std::string exif = std::string("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", 18) +
                           Little(static_cast<std::size_t>(orientation), 4) + Little(0, 4);
  const std::string body = "WEBPVP8X" + Little(10, 4) + Little(8, 4) +
                           Little(static_cast<std::size_t>(width - 1), 3) +
                           Little(static_cast<std::size_t>(height - 1), 3) + webp.substr(12) +
                           "EXIF" + Little(exif.size(), 4) + exif;
  return "RIFF" + Little(body.size(), 4) + body;
}

// As of a copy that was broken off in a file of the full size. A picture of one colour has few
// bytes, and none of them so.
TEST(ImageFormat, AWebPOfWhichHalfIsZerosIsAnError) {
  cv::Mat noise(60, 80, CV_8UC3);
  cv::randu(noise, 0, 256);
  for (const int quality : {80, 101}) {
    std::string webp = Encode(".webp", noise, {cv::IMWRITE_WEBP_QUALITY, quality});
    EXPECT_NO_THROW(DecodeImage(webp, "x"));
    std::fill(webp.begin() + static_cast<std::ptrdiff_t>(webp.size() / 2), webp.end(), '\0');
    EXPECT_ERROR(DecodeImage(webp, "x"), "is a damaged WebP: its pixels end in zeros");
    for (const int level : {0, 255})
      EXPECT_NO_THROW(
          DecodeImage(Encode(".webp", cv::Mat(1500, 2000, CV_8UC3, cv::Scalar::all(level)),
                             {cv::IMWRITE_WEBP_QUALITY, quality}),
                      "x"));
  }
}

TEST(ImageFormat, WebPIsLibwebpsAndUpright) {
  const cv::Mat bgr = Gradient(33, 21);
  const std::string webp = Encode(".webp", bgr, {cv::IMWRITE_WEBP_QUALITY, 101});
  EXPECT_EQ(cv::norm(DecodeImage(webp, "x"), bgr, cv::NORM_INF), 0);
  cv::Mat turned;
  cv::rotate(bgr, turned, cv::ROTATE_90_CLOCKWISE);
  const cv::Mat upright = DecodeImage(WebPWithOrientation(webp, 33, 21, 6), "x");
  ASSERT_EQ(upright.size(), turned.size());
  EXPECT_EQ(cv::norm(upright, turned, cv::NORM_INF), 0);
}

// OpenCV passes over what the header says of the greatest value, and would make the picture dark.
TEST(ImageFormat, PnmsAreScaledByTheirGreatestValue) {
  for (const int most : {1, 15, 100, 254, 256, 1023, 4095, 65535}) {
    std::string pixels;
    for (const int value : {0, most / 3, most}) {
      if (most > 255) pixels += static_cast<char>(value / 256);
      pixels += static_cast<char>(value % 256);
    }
    const std::string header = " # of\n" + std::to_string(most) + "\n";
    const cv::Mat grey = DecodeImage("P5 3 1" + header + pixels, "x");
    const cv::Mat rgb = DecodeImage("P6 1 1" + header + pixels, "x");
    const int expected[] = {0, cvRound(255. * (most / 3) / most), 255};
    for (int x = 0; x < 3; ++x) {
      EXPECT_NEAR(grey.at<cv::Vec3b>(0, x)[1], expected[x], 1) << most << " " << x;
      EXPECT_NEAR(rgb.at<cv::Vec3b>(0, 0)[2 - x], expected[x], 1) << most << " " << x;
    }
  }
  EXPECT_EQ(cv::norm(DecodeImage("P5 1 1 1\n\1", "x", {.keep_grey = true}), cv::NORM_INF), 1);
  EXPECT_EQ(cv::norm(DecodeImage("P2 1 1 15\n15\n", "x"), cv::NORM_INF), 255);
  // White space is between numbers, and need not be behind the last one.
  EXPECT_EQ(DecodeImage("P2 2 1 255\n7 90", "x").at<cv::Vec3b>(0, 1), cv::Vec3b(90, 90, 90));
  EXPECT_EQ(DecodeImage("P3 1 1 255\n7 8 90", "x").at<cv::Vec3b>(0, 0), cv::Vec3b(90, 8, 7));
  EXPECT_ERROR(DecodeImage("P2 1 1 1023\n15\n", "x"), "whose greatest value is 1023");
}

}  // namespace
}  // namespace skinmask
