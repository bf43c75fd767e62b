#include "skinmask/data/tone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "support/world.h"

namespace skinmask {
namespace {

// Of sRGB as it is OpenCV interpolates in a table and is off by 0.4; of linear light by 0.03.
TEST(Tone, LabIsOpenCvsOfLinearLight) {
  constexpr int kSide = 52, kStep = 5;
  const auto linear = [](int byte) {
    const double v = byte / 255.;
    return static_cast<float>(v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
  };
  cv::Mat light(kSide * kSide, kSide, CV_32FC3), lab;
  for (int i = 0; i < light.rows; ++i)
    for (int r = 0; r < kSide; ++r)
      light.at<cv::Vec3f>(i, r) = {linear(kStep * (i / kSide)), linear(kStep * (i % kSide)),
                                   linear(kStep * r)};
  cv::cvtColor(light, lab, cv::COLOR_LBGR2Lab);
  double most = 0;
  const auto byte = [](int i) { return static_cast<std::uint8_t>(kStep * i); };
  for (int i = 0; i < light.rows; ++i)
    for (int r = 0; r < kSide; ++r) {
      const Lab own = LabOfSrgb(byte(i / kSide), byte(i % kSide), byte(r));
      const auto& other = lab.at<cv::Vec3f>(i, r);
      most = std::max({most, std::abs(own.l - other[0]), std::abs(own.a - other[1]),
                       std::abs(own.b - other[2])});
    }
  EXPECT_LT(most, 0.05);
  for (const std::uint8_t grey : {0, 1, 10, 127, 255}) {
    EXPECT_NEAR(LabOfSrgb(grey, grey, grey).a, 0, 1e-12);
    EXPECT_NEAR(LabOfSrgb(grey, grey, grey).b, 0, 1e-12);
  }
  EXPECT_DOUBLE_EQ(LabOfSrgb(255, 255, 255).l, 100);
}

// The ten colours and their CIELAB as skintone.google has them.
TEST(Tone, MonkTonesAreThosePublished) {
  const struct {
    std::uint8_t r, g, b;
    Lab lab;
  } published[] = {
      {0xf6, 0xed, 0xe4, {94.211, 1.503, 5.422}},  {0xf3, 0xe7, 0xdb, {92.275, 2.061, 7.28}},
      {0xf7, 0xea, 0xd0, {93.091, 0.216, 14.205}}, {0xea, 0xda, 0xba, {87.573, 0.459, 17.748}},
      {0xd7, 0xbd, 0x96, {77.902, 3.471, 23.136}}, {0xa0, 0x7e, 0x56, {55.142, 7.783, 26.74}},
      {0x82, 0x5c, 0x43, {42.47, 12.325, 20.53}},  {0x60, 0x41, 0x34, {30.678, 11.667, 13.335}},
      {0x3a, 0x31, 0x2a, {21.069, 2.69, 5.964}},   {0x29, 0x24, 0x20, {14.61, 1.482, 3.525}}};
  int tone = 0;
  for (const auto& one : published) {
    const Lab lab = LabOfSrgb(one.b, one.g, one.r);
    EXPECT_NEAR(lab.l, one.lab.l, 0.02);
    EXPECT_NEAR(lab.a, one.lab.a, 0.02);
    EXPECT_NEAR(lab.b, one.lab.b, 0.02);
    EXPECT_EQ(NearestMonkTone(one.lab), ++tone);
  }
}

TEST(Tone, AnglesAndClassesAreThoseOfTheFormula) {
  EXPECT_NEAR(ItaDegrees({65, 9, 15}), 45, 1e-12);
  EXPECT_NEAR(ItaDegrees({50, 9, 15}), 0, 1e-12);
  EXPECT_NEAR(ItaDegrees({35, 9, 15}), -45, 1e-12);
  EXPECT_NEAR(ItaDegrees({67.320508075688775, 9, 10}), 60, 1e-9);  // 50 + 10 tan 60
  EXPECT_NEAR(ItaDegrees({70, 9, 0}), 90, 1e-12);
  EXPECT_GT(ItaDegrees({70, 9, -1}), 90);
  EXPECT_LT(ItaDegrees({30, 9, -1}), -90);
  const std::pair<double, std::string_view> classes[] = {
      {93, "very light"},   {55.01, "very light"},   {55, "light"}, {41.01, "light"},
      {41, "intermediate"}, {28.01, "intermediate"}, {28, "tan"},   {10.01, "tan"},
      {10, "brown"},        {-29.99, "brown"},       {-30, "dark"}, {-93, "dark"}};
  for (const auto& [degrees, name] : classes)
    EXPECT_EQ(ItaClasses()[ItaClass(degrees)], name) << degrees;
}

TEST(Tone, MediansAreThoseOfSortedValues) {
  EXPECT_FALSE(MedianLab().Median());
  testing::Random random(3);
  for (const std::size_t count : {1u, 2u, 3u, 100u, 1001u}) {
    MedianLab median;
    std::vector<double> l, a, b;
    for (std::size_t i = 0; i < count; ++i) {
      const Lab lab = LabOfSrgb(random.Byte(), random.Byte(), random.Byte());
      median.Add(lab);
      l.push_back(lab.l);
      a.push_back(lab.a);
      b.push_back(lab.b);
    }
    const auto middle = [](std::vector<double> values) {
      std::ranges::sort(values);
      return values[(values.size() - 1) / 2];
    };
    EXPECT_NEAR(median.Median()->l, middle(l), 1. / 128 + 1e-12) << count;
    EXPECT_NEAR(median.Median()->a, middle(a), 1. / 128 + 1e-12) << count;
    EXPECT_NEAR(median.Median()->b, middle(b), 1. / 128 + 1e-12) << count;
  }
  MedianLab white;
  white.Add(LabOfSrgb(255, 255, 255));
  EXPECT_LE(white.Median()->l, 100);
}

}  // namespace
}  // namespace skinmask
