#include "skinmask/media/ground_truth.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "skinmask/base/error.h"
#include "support/files.h"
#include "support/pictures.h"

namespace skinmask {
namespace {

using testing::Encode;

class MaskTest : public testing::FolderTest {
 protected:
  // Classes of a one-row mask of these B G R pixels.
  std::vector<int> Classes(const std::vector<cv::Vec3b>& pixels, const MaskRule& rule) {
    Put("mask.png", Encode(".png", cv::Mat(pixels, true).reshape(3, 1)));
    const ClassMap map = ReadMask(Path("mask.png"), rule);
    return std::vector<int>(map.classes.begin<std::uint8_t>(), map.classes.end<std::uint8_t>());
  }
  static cv::Vec3b Grey(int v) { return cv::Vec3b::all(static_cast<std::uint8_t>(v)); }
};

constexpr int kIgnored = MaskRule::kIgnored;

TEST_F(MaskTest, Above127IsSkin) {
  const MaskRule rule;
  EXPECT_EQ(rule.classes(), (std::vector<std::string>{"skin", "non-skin"}));
  EXPECT_EQ(Classes({Grey(0), Grey(127), Grey(128), Grey(255)}, rule), (std::vector{1, 1, 0, 0}));
  // Colours count by their luma: pure green is light, pure red and blue are dark.
  EXPECT_EQ(Classes({{0, 255, 0}, {0, 0, 255}, {255, 0, 0}}, rule), (std::vector{0, 1, 1}));
}

TEST_F(MaskTest, GreyOfEveryColorIsOpenCvs) {
  cv::Mat colors(256, 256, CV_8UC3), grey;
  for (int i = 0; i < 65536; ++i)
    colors.at<cv::Vec3b>(i / 256, i % 256) = {static_cast<std::uint8_t>(i),
                                              static_cast<std::uint8_t>(i >> 8),
                                              static_cast<std::uint8_t>(i * 31 >> 4)};
  cv::cvtColor(colors, grey, cv::COLOR_BGR2GRAY);
  Put("colors.png", Encode(".png", colors));
  const cv::Mat skin = ReadMask(Path("colors.png"), {}).classes == 0;
  EXPECT_EQ(cv::norm(skin, grey > 127, cv::NORM_INF), 0);
}

TEST_F(MaskTest, InvertAndIgnore) {
  EXPECT_EQ(Classes({Grey(0), Grey(255)}, MaskRule({}, {}, true)), (std::vector{1, 0}));
  EXPECT_EQ(MaskRule({}, {}, true).classes(), (std::vector<std::string>{"non-skin", "skin"}));
  EXPECT_EQ(Classes({Grey(0), Grey(128), Grey(255)}, MaskRule({}, {"128"}, false)),
            (std::vector{1, kIgnored, 0}));
}

TEST_F(MaskTest, LabelsAreGreyLevelsColorsAndTheRest) {
  const MaskRule rule({"skin=255,255,0", "skin=0,255,255", "hair=127,0,0", "non-skin=other"}, {"9"},
                      false);
  EXPECT_EQ(rule.classes(), (std::vector<std::string>{"skin", "hair", "non-skin"}));
  EXPECT_EQ(Classes({{0, 255, 255}, {255, 255, 0}, {0, 0, 127}, {1, 2, 3}, {9, 9, 9}}, rule),
            (std::vector{0, 0, 1, 2, kIgnored}));
  EXPECT_EQ(
      Classes({Grey(3), Grey(4), Grey(5)}, MaskRule({"skin=3", "non-skin=4"}, {"other"}, false)),
      (std::vector{0, 1, kIgnored}));
  EXPECT_ERROR(Classes({Grey(3), Grey(4)}, MaskRule({"skin=3"}, {}, false)),
               "has a pixel of value 4 (label it with `label`");
  EXPECT_ERROR(Classes({{1, 2, 3}}, MaskRule({"skin=3"}, {}, false)), "value 3,2,1");
}

TEST_F(MaskTest, MasksOfBlackAndOneDarkValueAreNotTakenForBlack) {
  EXPECT_ERROR(Classes({Grey(0), Grey(1)}, MaskRule({}, {}, false)),
               "(`label` says it: skin=1, non-skin=0)");
  EXPECT_ERROR(Classes({Grey(0), Grey(1)}, {}), "nothing above 127, which would be skin");
  EXPECT_EQ(Classes({Grey(0), Grey(1)}, MaskRule({"skin=1", "non-skin=0"}, {}, false)),
            (std::vector{1, 0}));
  EXPECT_EQ(Classes({Grey(0), Grey(0)}, {}), (std::vector{1, 1}));
  EXPECT_ERROR(Classes({Grey(100), Grey(0), Grey(100)}, {}), "holds only 0 and 100, nothing above");
  EXPECT_ERROR(Classes({Grey(1), Grey(1)}, {}), "holds only 1, nothing above 127");
  EXPECT_ERROR(Classes({{0, 0, 255}, {0, 0, 0}}, MaskRule({}, {}, false)),
               "skin=255,0,0, non-skin=0");
  // Probabilities of a picture without skin, and masks with skin.
  EXPECT_EQ(Classes({Grey(0), Grey(1), Grey(2)}, {}), (std::vector{1, 1, 1}));
  EXPECT_EQ(Classes({Grey(0), Grey(100), Grey(200)}, {}), (std::vector{1, 1, 0}));
  EXPECT_EQ(Classes({Grey(64), Grey(64)}, {}), (std::vector{1, 1}));  // with skin at 255, and none
}

TEST_F(MaskTest, LabelsOf16BitsAreAsTheyAreStored) {
  const MaskRule labels({"skin=1", "hair=255", "non-skin=0"}, {}, false), above_127;
  for (const char* format : {".png", ".tif", ".pgm"}) {
    const auto classes = [&](const std::vector<std::uint16_t>& values, const MaskRule& rule) {
      const std::string bytes = Encode(format, cv::Mat(values, true).reshape(1, 1));
      const cv::Mat read = DecodeMask(bytes, format, rule).classes;
      return std::vector<int>(read.begin<std::uint8_t>(), read.end<std::uint8_t>());
    };
    EXPECT_EQ(classes({0, 1, 255}, labels), (std::vector{2, 0, 1}));
    EXPECT_EQ(classes({0, 257, 65535}, labels), (std::vector{2, 0, 1}));  // made of 8 bits
    EXPECT_ERROR(classes({0, 1, 300}, labels), "has values of 16 bits, up to 300");
    EXPECT_ERROR(classes({0, 7}, labels), "has a pixel of value 7");
    // Without labels they are levels.
    EXPECT_EQ(classes({0, 32767, 32768, 65535}, above_127), (std::vector{1, 1, 0, 0}));
    EXPECT_EQ(classes({0, 32768}, above_127), (std::vector{1, 0}));
    EXPECT_EQ(classes({0, 1, 2, 200}, above_127), (std::vector{1, 1, 1, 1}));
    EXPECT_ERROR(classes({0, 1}, above_127), "holds only 0 and 1 in 16 bits");
    EXPECT_ERROR(classes({1, 1}, above_127), "holds only 1 in 16 bits");
    EXPECT_ERROR(classes({0, 1000}, above_127), "holds only 0 and 1000 in 16 bits");
    EXPECT_ERROR(classes({0, 1028}, above_127), "holds only 0 and 4, nothing above 127");
  }
  const auto classes_of = [](const std::string& values, const MaskRule& rule) {
    const cv::Mat read = DecodeMask("P5 2 1 1000\n" + values, "x", rule).classes;
    return std::vector<int>(read.begin<std::uint8_t>(), read.end<std::uint8_t>());
  };
  EXPECT_EQ(classes_of(std::string("\0\0\0\1", 4), labels), (std::vector{2, 0}));
  EXPECT_EQ(classes_of(std::string("\0\0\3\xE8", 4), above_127), (std::vector{1, 0}));
  // Without labels they are levels of the maximum.
  for (const std::string& pgm :
       {std::string("P5 2 1 300\n\0\0\0\xC8", 15), std::string("P2 2 1 100\n0 80\n")}) {
    const cv::Mat read = DecodeMask(pgm, "x", above_127).classes;
    EXPECT_EQ(std::vector<int>(read.begin<std::uint8_t>(), read.end<std::uint8_t>()),
              (std::vector{1, 0}))
        << pgm;
  }
  // Labels are not scaled by the maximum, of 16 bits or of text.
  for (const std::string& pgm :
       {std::string("P5 2 1 300\n\0\0\0\1", 15), std::string("P2 2 1 3\n0 1"),
        std::string("P2\n2 1 # a comment\n1\n0 1\n")}) {
    const cv::Mat read = DecodeMask(pgm, "x", labels).classes;
    EXPECT_EQ(std::vector<int>(read.begin<std::uint8_t>(), read.end<std::uint8_t>()),
              (std::vector{2, 0}))
        << pgm;
  }
  const cv::Mat colors = (cv::Mat_<cv::Vec<std::uint16_t, 3>>(1, 2) << cv::Vec<std::uint16_t, 3>(),
                          cv::Vec<std::uint16_t, 3>(3, 2, 1));
  const cv::Mat read =
      DecodeMask(Encode(".png", colors), "x", MaskRule({"a=0", "b=1,2,3"}, {}, 0)).classes;
  EXPECT_EQ(read.at<std::uint8_t>(0), 0);
  EXPECT_EQ(read.at<std::uint8_t>(1), 1);
}

TEST_F(MaskTest, JpegMasksCountTheirInBetweenPixels) {
  cv::Mat mask(64, 64, CV_8UC3, cv::Scalar::all(0));
  cv::circle(mask, {30, 30}, 20, cv::Scalar::all(255), -1);
  const std::string jpeg = Encode(".jpg", mask, {cv::IMWRITE_JPEG_QUALITY, 80});
  Put("mask.jpg", jpeg);
  const cv::Mat decoded = cv::imread(Path("mask.jpg").string(), cv::IMREAD_GRAYSCALE);
  const ClassMap map = ReadMask(Path("mask.jpg"), {});
  EXPECT_EQ(map.in_between,
            static_cast<std::uint64_t>(cv::countNonZero((decoded > 0) & (decoded < 255))));
  EXPECT_GT(map.in_between, 0u);
  EXPECT_EQ(cv::norm(map.classes == 0, decoded > 127, cv::NORM_INF), 0);
  // With labels, the nearest one.
  const ClassMap labelled =
      ReadMask(Path("mask.jpg"), MaskRule({"skin=255", "non-skin=0"}, {}, false));
  EXPECT_EQ(cv::norm(labelled.classes, map.classes, cv::NORM_INF), 0);
  // What is too far from all labels for noise is `other`, and no in-between pixel.
  const ClassMap near =
      ReadMask(Path("mask.jpg"), MaskRule({"skin=255", "non-skin=0"}, {"other"}, false));
  const auto taken = static_cast<std::uint64_t>(cv::countNonZero(near.classes != kIgnored)),
             exact =
                 static_cast<std::uint64_t>(cv::countNonZero((decoded == 0) | (decoded == 255)));
  EXPECT_LT(taken, decoded.total());
  EXPECT_EQ(near.in_between, taken - exact);
}

TEST_F(MaskTest, GreyWithoutLabelsIsInBetween) {
  const cv::Mat map = (cv::Mat_<std::uint8_t>(1, 5) << 0, 1, 128, 254, 255);
  const ClassMap read = DecodeMask(Encode(".png", map), "x", MaskRule());
  EXPECT_EQ(read.in_between, 3u);
  EXPECT_EQ(cv::norm(read.classes == 0, map > 127, cv::NORM_INF), 0);
  const MaskRule labels({"skin=128", "non-skin=other"}, {}, false);
  EXPECT_EQ(DecodeMask(Encode(".png", map), "x", labels).in_between, 0u);
}

TEST(MaskRule, RefusesWhatCannotBeMeant) {
  EXPECT_ERROR(MaskRule({"skin"}, {}, false), "`label` 'skin': is not understood (CLASS=VALUE");
  EXPECT_ERROR(MaskRule({"=3"}, {}, false), "is not understood");
  for (const char* bad :
       {"skin=", "skin=256", "skin=1,2", "skin=1,2,3,4", "skin=1;2;3", "skin=-1", "skin=1,2,3,"})
    EXPECT_ERROR(MaskRule({bad}, {}, false), "is not understood");
  EXPECT_ERROR(MaskRule({"skin=3", "hair=3"}, {}, false), "labelled already");
  EXPECT_ERROR(MaskRule({"skin=3", "hair=3,3,3"}, {}, false), "labelled already");
  EXPECT_ERROR(MaskRule({}, {"other"}, false), "needs `label`");
  EXPECT_ERROR(MaskRule({"a=1", "b=2", "c=3"}, {}, true), "needs two classes, not 3");
}

}  // namespace
}  // namespace skinmask
