// Raw files of cameras: DNGs that are written here, of a Bayer pattern without compression
// (DNG 1.4).
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "media/image_codec.h"
#include "skinmask/base/error.h"
#include "skinmask/media/image.h"
#include "skinmask/media/inputs.h"
#include "support/files.h"
#include "support/pictures.h"

namespace skinmask {
namespace {

std::string Number(std::size_t value, int bytes) {
  std::string s;
  for (int i = 0; i < bytes; ++i) s += static_cast<char>(value >> 8 * i);
  return s;
}

// A TIFF of one directory, whose values stand behind it.
class Tiff {
 public:
  void Add(std::size_t tag, std::size_t type, std::size_t count, const std::string& values) {
    entries_ += Number(tag, 2) + Number(type, 2) + Number(count, 4);
    std::string inside = values;
    inside.resize(4);
    fixed_.push_back(values.size() > 4 ? values : "");
    entries_ += inside;
  }
  std::string File(const std::string& pixels) const {
    const std::size_t count = fixed_.size(), behind = 8 + 2 + 12 * count + 4;
    std::string values, entries = entries_;
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_of_pixels = entries.substr(12 * i, 2) == Number(273, 2);
      if (!is_of_pixels && fixed_[i].empty()) continue;
      const std::size_t at = behind + values.size();
      entries.replace(12 * i + 8, 4, Number(is_of_pixels ? kPixels : at, 4));
      values += fixed_[i];
    }
    std::string file =
        std::string("II*\0", 4) + Number(8, 4) + Number(count, 2) + entries + Number(0, 4) + values;
    EXPECT_LT(file.size(), kPixels);
    file.resize(kPixels);
    return file + pixels;
  }

 private:
  static constexpr std::size_t kPixels = 1024;
  std::string entries_;
  std::vector<std::string> fixed_;
};

double Light(int level) {
  const double v = level / 255.;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

// A picture of sRGB as a camera sees it that has the primaries of sRGB, twice as sensitive to
// green.
std::string Dng(const cv::Mat& bgr, int orientation = 1) {
  std::string pixels;
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      const int channel = y % 2 == 0 && x % 2 == 0 ? 2 : y % 2 == 1 && x % 2 == 1 ? 0 : 1;
      const double light = Light(bgr.at<cv::Vec3b>(y, x)[channel]) * (channel == 1 ? 1 : 0.5);
      pixels += Number(static_cast<std::size_t>(std::lround(60000 * light)), 2);
    }
  const auto rational = [](double value) {
    return Number(static_cast<std::size_t>(std::int64_t{std::lround(value * 10000)}), 4) +
           Number(10000, 4);
  };
  std::string matrix;  // X Y Z, D65, to the camera's
  for (const double m :
       {3.2405, -1.5371, -0.4985, -0.9693, 1.8760, 0.0416, 0.0556, -0.2040, 1.0572})
    matrix += rational(m);
  const auto cols = static_cast<std::size_t>(bgr.cols), rows = static_cast<std::size_t>(bgr.rows);
  Tiff tiff;
  tiff.Add(254, 4, 1, Number(0, 4));
  tiff.Add(256, 4, 1, Number(cols, 4));
  tiff.Add(257, 4, 1, Number(rows, 4));
  tiff.Add(258, 3, 1, Number(16, 2));
  tiff.Add(259, 3, 1, Number(1, 2));
  tiff.Add(262, 3, 1, Number(32803, 2));
  tiff.Add(271, 2, 5, std::string("Made\0", 5));
  tiff.Add(272, 2, 5, std::string("Here\0", 5));
  tiff.Add(273, 4, 1, Number(0, 4));
  tiff.Add(274, 3, 1, Number(static_cast<std::size_t>(orientation), 2));
  tiff.Add(277, 3, 1, Number(1, 2));
  tiff.Add(278, 4, 1, Number(rows, 4));
  tiff.Add(279, 4, 1, Number(pixels.size(), 4));
  tiff.Add(33421, 3, 2, Number(2, 2) + Number(2, 2));
  tiff.Add(33422, 1, 4, std::string("\0\1\1\2", 4));
  tiff.Add(50706, 1, 4, std::string("\1\4\0\0", 4));
  tiff.Add(50708, 2, 5, std::string("Here\0", 5));
  tiff.Add(50714, 4, 1, Number(0, 4));
  tiff.Add(50717, 4, 1, Number(60000, 4));
  tiff.Add(50721, 10, 9, matrix);
  tiff.Add(50728, 5, 3, rational(0.5) + rational(1) + rational(0.5));
  tiff.Add(50778, 3, 1, Number(21, 2));
  return tiff.File(pixels);
}

// Smooth, with so much white that nothing is made lighter.
cv::Mat Scene() {
  cv::Mat scene = testing::Gradient(160, 120);
  scene(cv::Rect(0, 0, 160, 20)).setTo(cv::Scalar::all(255));
  return scene;
}

bool ReadsRaw() {
  try {
    DecodeImage(Dng(Scene()), "x");
    return true;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("made without LibRaw"), std::string::npos) << e.what();
    return false;
  }
}
#define SKIP_WITHOUT_RAW() \
  if (!ReadsRaw()) GTEST_SKIP() << "needs LibRaw"

double MeanDifference(const cv::Mat& a, const cv::Mat& b) {
  EXPECT_EQ(a.size(), b.size());
  return cv::norm(a, b, cv::NORM_L1) / static_cast<double>(3 * a.total());
}

TEST(Raw, HasTheColoursOfTheScene) {
  SKIP_WITHOUT_RAW();
  const cv::Mat scene = Scene(), read = DecodeImage(Dng(scene), "x");
  const cv::Rect inner(8, 32, 144, 80);
  EXPECT_LT(MeanDifference(read(inner), scene(inner)), 3);
  EXPECT_STREQ(std::string(CodecOf(Dng(scene))->name).c_str(), "raw");
}

TEST(Raw, IsUprightAndSmallerWhereThatIsEnough) {
  SKIP_WITHOUT_RAW();
  const cv::Mat scene = Scene();
  cv::Mat turned, small;
  cv::rotate(scene, turned, cv::ROTATE_90_CLOCKWISE);
  EXPECT_LT(MeanDifference(DecodeImage(Dng(scene, 6), "x"), turned), 6);
  for (const int scale : {2, 4}) {
    cv::resize(turned, small, turned.size() / scale, 0, 0, cv::INTER_AREA);
    EXPECT_LT(MeanDifference(DecodeImage(Dng(scene, 6), "x", {.scale = scale}), small), 6);
  }
}

TEST(Raw, TheLimitOfPixelsHoldsAndDamageIsAnError) {
  SKIP_WITHOUT_RAW();
  const std::string dng = Dng(Scene());
  EXPECT_ERROR(DecodeImage(dng, "x", {.max_pixels = 160 * 120 - 1}), "the limit is");
  std::int64_t taken = 0;
  DecodeImage(dng, "x", {.take = [&](std::int64_t pixels) { taken += pixels; }});
  EXPECT_GE(taken, 160 * 120 * 3);
  EXPECT_ERROR(DecodeImage(dng.substr(0, dng.size() / 2), "x"), "raw file");
  EXPECT_THROW(DecodeImage(dng.substr(0, 300), "x"), Error);
  // Whatever changes in its head, it is a picture or a line.
  cv::RNG random(9);
  for (int i = 0; i < 80; ++i) {
    std::string other = dng;
    for (int n = random.uniform(1, 4); n > 0; --n)
      other[static_cast<std::size_t>(random.uniform(8, 700))] =
          static_cast<char>(random.uniform(0, 256));
    try {
      DecodeImage(other, "x", {.max_pixels = 1 << 20});
    } catch (const Error&) {
    }
  }
}

TEST(Raw, AreKnownByNameAndFirstBytes) {
  for (const char* name : {"a.dng", "a.CR2", "a.nef", "a.ARW", "a.raf", "a.orf", "a.rw2"})
    EXPECT_TRUE(NamedMedia(name).image) << name;
  for (const std::string& start :
       {std::string("FUJIFILMCCD-RAW 0201"), std::string("IIRO\x08\0\0\0", 8),
        std::string("IIU\0\x18\0\0\0", 8), std::string("II*\0\x10\0\0\0CR\2\0\0\0\0\0\0\0", 18),
        std::string("\0\0\0\x18"
                    "ftypcrx \0\0\0\1crx ",
                    20)})
    ASSERT_TRUE(CodecOf(start) && CodecOf(start)->name == "raw");
  const std::string dng = Dng(Scene());
  for (std::size_t size = 0; size < 20; ++size) CodecOf(dng.substr(0, size));  // is no error
  EXPECT_EQ(CodecOf(testing::Encode(".tif", testing::Gradient(9, 9)))->name, "TIFF");
}

}  // namespace
}  // namespace skinmask
