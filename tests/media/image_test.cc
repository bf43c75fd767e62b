#include "skinmask/media/image.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <ctime>
#include <opencv2/imgproc.hpp>

#include "skinmask/base/error.h"
#include "support/files.h"
#include "support/hostile.h"
#include "support/pictures.h"

namespace skinmask {
namespace {

using testing::Encode;
using testing::Gradient;
using testing::WithOrientation;

bool SamePixels(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && a.type() == b.type() && cv::norm(a, b, cv::NORM_INF) == 0;
}

cv::Mat ByOpenCv(const std::string& bytes) {
  return cv::imdecode(std::vector<unsigned char>(bytes.begin(), bytes.end()), cv::IMREAD_COLOR);
}

TEST(Image, JpegHasTheSamePixelsAsImread) {
  for (const int quality : {35, 90, 100}) {
    const std::string jpeg = Encode(".jpg", Gradient(61, 47), {cv::IMWRITE_JPEG_QUALITY, quality});
    EXPECT_TRUE(SamePixels(DecodeImage(jpeg, "x"), ByOpenCv(jpeg)));
  }
  const std::string progressive =
      Encode(".jpg", Gradient(61, 47), {cv::IMWRITE_JPEG_PROGRESSIVE, 1});
  EXPECT_TRUE(SamePixels(DecodeImage(progressive, "x"), ByOpenCv(progressive)));
}

// Each scan passes over the whole picture. What looks like one in other data is none.
TEST(Image, JpegHasABoundedNumberOfScans) {
  const std::string most = testing::JpegOfScans(64);
  EXPECT_TRUE(SamePixels(DecodeImage(most, "x"), ByOpenCv(most)));
  EXPECT_ERROR(DecodeImage(testing::JpegOfScans(65), "x"),
               "is a JPEG of 65 scans (one of at most 64");
  std::string comment("\xFF\xFE\1\2", 4);
  for (int i = 0; i < 128; ++i) comment += "\xFF\xDA";
  const std::string commented = most.substr(0, 2) + comment + most.substr(2) + comment + most;
  EXPECT_TRUE(SamePixels(DecodeImage(commented, "x"), ByOpenCv(most)));
}

TEST(Image, EveryOrientationHasTheSamePixelsAsImread) {
  const std::string jpeg = Encode(".jpg", Gradient(61, 47));
  for (int orientation = 0; orientation <= 9; ++orientation)
    for (const bool big_endian : {false, true}) {
      const std::string turned = WithOrientation(jpeg, orientation, big_endian);
      const cv::Mat image = DecodeImage(turned, "x");
      EXPECT_EQ(image.rows, orientation >= 5 && orientation <= 8 ? 61 : 47);
      EXPECT_TRUE(SamePixels(image, ByOpenCv(turned))) << orientation;
    }
}

// Five thousand times the way to a directory, which is the same: it is not taken, and the
// orientation behind is found.
TEST(Image, ExifIsReadNoFurtherThanItsFirstDirectory) {
  std::string exif("Exif\0\0II*\0\x08\0\0\0\x89\x13", 16);
  for (int i = 0; i < 5000; ++i) exif += std::string("\x69\x87\4\0\1\0\0\0\x08\0\0\0", 12);
  exif += std::string("\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0", 16);
  const std::size_t length = exif.size() + 2;
  const std::string jpeg = Encode(".jpg", Gradient(64, 48));
  const std::string turned = jpeg.substr(0, 2) + "\xFF\xFF\xE1" +  // with a fill byte
                             static_cast<char>(length >> 8) + static_cast<char>(length) + exif +
                             jpeg.substr(2);
  const std::clock_t start = std::clock();
  EXPECT_EQ(DecodeImage(turned, "x").size(), cv::Size(48, 64));
  EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC / 2);
}

TEST(Image, GreyAlphaAndSixteenBits) {
  const cv::Mat bgr = Gradient(40, 30);
  cv::Mat grey, spread, bgra(bgr.size(), CV_8UC4), sixteen;
  cv::cvtColor(bgr, grey, cv::COLOR_BGR2GRAY);
  cv::cvtColor(grey, spread, cv::COLOR_GRAY2BGR);
  EXPECT_TRUE(SamePixels(DecodeImage(Encode(".png", grey), "x"), spread));
  EXPECT_EQ(DecodeImage(Encode(".jpg", grey), "x").type(), CV_8UC3);
  cv::cvtColor(bgr, bgra, cv::COLOR_BGR2BGRA);
  for (int y = 0; y < bgra.rows; ++y)
    for (int x = 0; x < bgra.cols; ++x) bgra.at<cv::Vec4b>(y, x)[3] = static_cast<std::uint8_t>(x);
  EXPECT_TRUE(SamePixels(DecodeImage(Encode(".png", bgra), "x"), bgr));
  bgr.convertTo(sixteen, CV_16U, 257);
  EXPECT_TRUE(SamePixels(DecodeImage(Encode(".png", sixteen), "x"), bgr));
  EXPECT_TRUE(SamePixels(DecodeImage(Encode(".tiff", sixteen), "x"), bgr));
  // Scaled and rounded, not cut: 257 v + 128 is still v, 257 v + 129 is v + 1.
  sixteen = cv::Mat(1, 2, CV_16UC3, cv::Scalar::all(257 * 100 + 128));
  sixteen.at<cv::Vec3w>(0, 1) = {257 * 100 + 129, 257 * 100 + 129, 257 * 100 + 129};
  const cv::Mat rounded = DecodeImage(Encode(".png", sixteen), "x");
  EXPECT_EQ(rounded.at<cv::Vec3b>(0, 0)[0], 100);
  EXPECT_EQ(rounded.at<cv::Vec3b>(0, 1)[0], 101);
}

TEST(Image, LosslessFormatsKeepPixels) {
  for (const char* extension : {".png", ".bmp", ".tiff", ".ppm"})
    EXPECT_TRUE(SamePixels(DecodeImage(Encode(extension, Gradient(33, 21)), "x"), Gradient(33, 21)))
        << extension;
}

TEST(Image, EveryTruncationIsAnError) {
  ::testing::internal::CaptureStderr();  // OpenCV's decoders print
  for (const std::string& bytes :
       {Encode(".jpg", Gradient(64, 48)),
        Encode(".jpg", Gradient(64, 48), {cv::IMWRITE_JPEG_PROGRESSIVE, 1}),
        Encode(".png", Gradient(64, 48)), Encode(".bmp", Gradient(64, 48)),
        Encode(".ppm", Gradient(64, 48))}) {
    ASSERT_NO_THROW(DecodeImage(bytes, "x"));
    for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 40)
      EXPECT_THROW(DecodeImage(std::string_view(bytes).substr(0, size), "x"), Error)
          << size << " of " << bytes.size();
    EXPECT_THROW(DecodeImage(std::string_view(bytes).substr(0, bytes.size() - 2), "x"), Error);
  }
  ::testing::internal::GetCapturedStderr();
}

TEST(Image, DamageIsAnErrorAndIsNamed) {
  std::string png = Encode(".png", Gradient(64, 48));
  png[png.size() / 2] ^= 1;
  EXPECT_ERROR(DecodeImage(png, "a.png"), "a.png: is a damaged PNG: ");
  const std::string jpeg = Encode(".jpg", Gradient(64, 48));
  EXPECT_ERROR(DecodeImage(jpeg.substr(0, jpeg.size() / 2), "a.jpg"), "a.jpg: is a damaged JPEG: ");
  EXPECT_ERROR(DecodeImage("", "a.jpg"), "a.jpg: is empty");
  EXPECT_ERROR(DecodeImage("a shopping list", "a.jpg"), "a.jpg: is no image");
}

TEST(Image, WhatLibjpegOnlyWarnsOfIsDamage) {
  // Lost codes end the scan early; libjpeg makes up the rest and speaks of stray bytes.
  std::string jpeg = Encode(".jpg", Gradient(64, 48));
  jpeg.erase(jpeg.size() - 200, 100);
  EXPECT_ERROR(DecodeImage(jpeg, "x"), "is a damaged JPEG: Corrupt JPEG data");
}

TEST(Image, ScalesJpegInItsOwnDomainAndTheRestByArea) {
  const cv::Mat picture = Gradient(61, 47);
  for (const int scale : {2, 4, 8}) {
    const cv::Size size((61 + scale - 1) / scale, (47 + scale - 1) / scale);
    cv::Mat expected;
    cv::resize(picture, expected, size, 0, 0, cv::INTER_AREA);
    EXPECT_TRUE(SamePixels(DecodeImage(Encode(".png", picture), "x", {.scale = scale}), expected));
    const std::string jpeg = Encode(".jpg", picture, {cv::IMWRITE_JPEG_QUALITY, 98});
    const cv::Mat small = DecodeImage(jpeg, "x", {.scale = scale});
    ASSERT_EQ(small.size(), size);
    // libjpeg's last block reaches beyond the picture; inside, both are averages.
    const cv::Rect inside(0, 0, size.width - 1, size.height - 1);
    EXPECT_LT(cv::norm(small(inside), expected(inside), cv::NORM_INF), 16);
    EXPECT_EQ(DecodeImage(testing::WithOrientation(jpeg, 8), "x", {.scale = scale}).rows,
              size.width);
  }
}

TEST(Image, ABufferHoldsThePicture) {
  Scratch buffer;
  const std::string large = Encode(".jpg", Gradient(300, 200)),
                    small = Encode(".jpg", Gradient(40, 30));
  const cv::Mat first = DecodeImage(large, "x", {.buffer = &buffer});
  EXPECT_TRUE(SamePixels(first, DecodeImage(large, "x")));
  const cv::Mat second = DecodeImage(small, "x", {.buffer = &buffer});
  EXPECT_EQ(second.data, first.data);
  EXPECT_TRUE(SamePixels(second, DecodeImage(small, "x")));
}

TEST(Image, PngOfEveryKindIsImreads) {
  // Palettes, few bits, interlace and orientation come from files that other programs wrote.
  const cv::Mat picture = Gradient(40, 30);
  for (const int depth : {CV_8U, CV_16U})
    for (const int channels : {1, 3, 4}) {
      cv::Mat image(30, 40, CV_MAKETYPE(depth, channels));
      cv::randu(image, 0, depth == CV_8U ? 256 : 65536);
      const std::string png = Encode(".png", image);
      const cv::Mat read = cv::imdecode(std::vector<unsigned char>(png.begin(), png.end()),
                                        cv::IMREAD_COLOR | cv::IMREAD_ANYDEPTH);
      cv::Mat expected;
      read.convertTo(expected, CV_8U, depth == CV_8U ? 1 : 255. / 65535);
      EXPECT_TRUE(SamePixels(DecodeImage(png, "x"), expected)) << depth << channels;
    }
  const std::string bits = Encode(".png", picture.reshape(1).colRange(0, 40).clone() > 128,
                                  {cv::IMWRITE_PNG_BILEVEL, 1});
  EXPECT_TRUE(SamePixels(DecodeImage(bits, "x"), ByOpenCv(bits)));
  EXPECT_EQ(DecodeImage(bits, "x", {.keep_grey = true}).type(), CV_8UC1);
  EXPECT_EQ(DecodeImage(Encode(".png", picture), "x", {.keep_grey = true}).type(), CV_8UC3);
}

TEST(Image, AnyByteOfAPngThatChangesIsNoticed) {
  // Written by OpenCV in several IDAT chunks, and by us in one.
  cv::Mat noise(90, 100, CV_8UC3);
  cv::randu(noise, 0, 256);
  for (const std::string& png : {Encode(".png", noise), EncodePng(Gradient(40, 30))})
    for (std::size_t at = 8; at < png.size(); at += 1 + at / 97) {
      std::string changed = png;
      changed[at] ^= 0x10;
      EXPECT_THROW(DecodeImage(changed, "x"), Error) << "byte " << at << " of " << png.size();
    }
}

// A chunk of type and data with its sum.
std::string Chunk(const std::string& body) {
  const auto number = [](std::size_t value) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
    return text;
  };
  const auto* const bytes = reinterpret_cast<const unsigned char*>(body.data());
  return number(body.size() - 4) + body +
         number(crc32(0, bytes, static_cast<unsigned>(body.size())));
}

// libpng can be built to overlook Adler-32 or not to: it is never overlooked.
TEST(Image, AWrongAdler32InAPngIsNoticed) {
  for (const std::string& png : {Encode(".png", Gradient(64, 48)), EncodePng(Gradient(40, 30))}) {
    const std::size_t at = png.find("IDAT"), end = png.find("IEND") - 8;  // of type and data
    EXPECT_EQ(png.substr(at, end - at + 4), Chunk(png.substr(at, end - at)).substr(4))
        << "one IDAT";
    for (std::size_t i = 1; i <= 4; ++i) {
      std::string body = png.substr(at, end - at);
      body[body.size() - i] ^= 1;
      EXPECT_ERROR(DecodeImage(png.substr(0, at - 4) + Chunk(body) + png.substr(end + 4), "a.png"),
                   "a.png: is a damaged PNG: ");
    }
  }
}

// Texts of 8 MB each in a picture of 64 x 48: none of them is unpacked, and the orientation behind
// them is found.
TEST(Image, TextsOfAPngTakeNoMemory) {
  const std::string letters(7'990'000, 'A');
  std::string packed(100'000, '\0');
  uLongf size = packed.size();
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                     reinterpret_cast<const Bytef*>(letters.data()), letters.size()),
            Z_OK);
  packed.resize(size);
  std::string chunks;
  for (int i = 0; i < 30; ++i)
    chunks += Chunk(std::string("zTXta\0\0", 7) + packed) +
              Chunk(std::string("iTXta\0\1\0\0\0", 10) + packed);
  chunks += Chunk(std::string("eXIfII*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0", 30));
  const std::string png = Encode(".png", Gradient(64, 48));
  const auto peak = [] {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const long before = peak();
  EXPECT_EQ(DecodeImage(png.substr(0, 33) + chunks + png.substr(33), "x").size(), cv::Size(48, 64));
  EXPECT_LT(peak() - before, 100'000);  // kilobytes
}

TEST(Image, NoiseThatDoesNotShrinkIsWrittenAllTheSame) {
  for (const int channels : {1, 3, 4}) {
    cv::Mat noise(211, 333, CV_8UC(channels));
    cv::randu(noise, 0, 256);
    const std::string png = EncodePng(noise);
    const cv::Mat back =
        cv::imdecode(std::vector<unsigned char>(png.begin(), png.end()), cv::IMREAD_UNCHANGED);
    EXPECT_TRUE(SamePixels(back, noise));
  }
}

TEST(Image, NothingIsPrinted) {
  // libpng would complain of a broken colour profile, libjpeg of missing data.
  std::string png = Encode(".png", Gradient(16, 16));
  const std::string chunk("\0\0\0\x04iCCPxxxx\0\0\0\0", 16);
  std::string with_profile = png.substr(0, 33) + chunk + png.substr(33);
  ::testing::internal::CaptureStderr();
  EXPECT_NO_THROW(DecodeImage(with_profile, "x"));  // its checksum is wrong, but it is no pixel
  EXPECT_THROW(DecodeImage(png.substr(0, 80), "x"), Error);
  EXPECT_THROW(DecodeImage(Encode(".jpg", Gradient(64, 64)).substr(0, 700), "x"), Error);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Image, PngRoundTrips) {
  const cv::Mat image = Gradient(37, 19);
  EXPECT_TRUE(SamePixels(ByOpenCv(EncodePng(image)), image));
  const cv::Mat mask = image.reshape(1).colRange(0, 37).clone() > 99;
  const std::string png = EncodePng(mask);
  const cv::Mat back =
      cv::imdecode(std::vector<unsigned char>(png.begin(), png.end()), cv::IMREAD_UNCHANGED);
  EXPECT_TRUE(SamePixels(back, mask));
}

// Only the number of pixels is limited.
TEST(Image, APngMayBeLong) {
  for (const cv::Size size : {cv::Size(1'000'001, 1), cv::Size(1, 1'000'001)}) {
    const cv::Mat image(size, CV_8UC3, cv::Scalar(1, 2, 3));
    EXPECT_TRUE(SamePixels(DecodeImage(EncodePng(image), "x"), image)) << size;
  }
}

using ReadImageTest = testing::FolderTest;

TEST_F(ReadImageTest, TakesUnicodePathsAndRefusesFolders) {
  const std::string name = "hände 手 🖐.png";
  Put(name, Encode(".png", Gradient(9, 7)));
  EXPECT_TRUE(SamePixels(ReadImage(Path(name)), Gradient(9, 7)));
  EXPECT_ERROR(ReadImage(folder_), "is a folder");
  EXPECT_ERROR(ReadImage(Path("absent.png")), "absent.png: cannot be read: No such file");
}

}  // namespace
}  // namespace skinmask
