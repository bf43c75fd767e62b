#include "detect/adapt/steady.h"

#include <gtest/gtest.h>

#include <iostream>
#include <opencv2/imgproc.hpp>

#include "skinmask/detect/adapt_stream.h"
#include "skinmask/detect/detect_image.h"
#include "support/scenes.h"

namespace skinmask {
namespace {

using testing::AdapterOf;
using testing::Astronaut;
using testing::Hopper;
using testing::Noisy;
using testing::Same;
using testing::Scene;
using testing::ScoredStream;
using testing::Window;

// Of 160 x 120 pixels, from this corner of a blurred noise on.
cv::Mat3b SeenFrom(int x, int y) {
  static const cv::Mat3b whole = [] {
    cv::Mat3b noise(200, 300);
    testing::Random random(3);
    for (cv::Vec3b& pixel : noise)
      for (int i = 0; i < 3; ++i)
        pixel[i] = cv::saturate_cast<std::uint8_t>(128 + 300 * random.Normal());
    cv::Mat3b smooth;
    cv::GaussianBlur(noise, smooth, {}, 4);
    return smooth;
  }();
  return whole(cv::Rect(x, y, 160, 120)).clone();
}

cv::Mat1b GreenOf(const cv::Mat3b& bgr) {
  cv::Mat1b green;
  cv::extractChannel(bgr, green, 1);
  return green;
}

TEST(Motion, FindsWhereAnImageCameFrom) {
  for (const cv::Point& step : {cv::Point(0, 0), cv::Point(3, -2), cv::Point(-13, 9)}) {
    const BlockMotion motion =
        MotionTo(GreenOf(SeenFrom(60, 40)), GreenOf(SeenFrom(60 + step.x, 40 + step.y)));
    ASSERT_EQ(motion.size(), cv::Size(20, 15));
    for (int y = 4; y < 11; ++y)
      for (int x = 4; x < 16; ++x)
        EXPECT_LE(cv::norm(cv::Vec2i(motion(y, x)) -
                               cv::Vec2i(kMotionUnits * step.x, kMotionUnits * step.y),
                           cv::NORM_INF),
                  1)
            << step << x << "," << y;
  }
}

TEST(Motion, VectorsOfPixelsAreLinearBetweenBlocks) {
  BlockMotion motion(2, 3);
  for (int x = 0; x < 3; ++x) {
    motion(0, x) = cv::Vec2s(static_cast<short>(8 * x), -16);
    motion(1, x) = cv::Vec2s(static_cast<short>(8 * x), 16);
  }
  std::vector<cv::Vec2s> row;
  MotionOfRow(motion, 8, 24, row);
  for (int x = 4; x <= 20; ++x)
    EXPECT_EQ(row[static_cast<std::size_t>(x)], cv::Vec2s(static_cast<short>(x - 4), 0)) << x;
  MotionOfRow(motion, 0, 24, row);
  EXPECT_EQ(row[0], cv::Vec2s(0, -16));
  EXPECT_EQ(row[23], cv::Vec2s(16, -16));
  BlockMotion slow(1, 2);
  slow(0, 0) = {0, 0};
  slow(0, 1) = {4, -4};
  MotionOfRow(slow, 0, 16, row);
  for (int x = 0; x <= 8; ++x)  // halves are rounded up
    EXPECT_EQ(row[static_cast<std::size_t>(x + 4)],
              cv::Vec2s(static_cast<short>((x + 1) / 2), static_cast<short>(-(x / 2))))
        << x;
}

TEST(SteadyFilter, IsAnExponentialFilterAlongTheMotion) {
  constexpr int kStep = 2;
  SteadyFilter filter(3);  // three quarters of the past
  EXPECT_TRUE(filter.Add(SeenFrom(60, 40), cv::Mat1f(120, 160, 2.f), {}).empty());
  float expected = 2;
  for (int i = 1; i < 6; ++i) {
    const cv::Mat3b now = SeenFrom(60 + kStep * i, 40), before = SeenFrom(60 + kStep * (i - 1), 40);
    const float told = i % 2 ? -1.f : 2.f;
    const cv::Mat1f gain =
        filter.Add(now, cv::Mat1f(120, 160, told), MotionTo(GreenOf(before), GreenOf(now)));
    expected = told + 0.75f * (expected - told);
    EXPECT_NEAR(told + gain(60, 80), expected, 1e-4) << i;
  }
}

TEST(SteadyFilter, ForgetsWhereTheColourIsAnother) {
  SteadyFilter filter(3);
  const cv::Mat3b before(40, 40, cv::Vec3b(90, 90, 90));
  cv::Mat3b now = before.clone();
  now(cv::Rect(0, 0, 20, 40)).setTo(cv::Scalar(90, 130, 160));
  filter.Add(before, cv::Mat1f(40, 40, -3.f), {});
  const cv::Mat1f gain =
      filter.Add(now, cv::Mat1f(40, 40, 3.f), BlockMotion(5, 5, cv::Vec2s(0, 0)));
  EXPECT_EQ(gain(20, 10), 0);
  EXPECT_EQ(gain(20, 30), 0.75f * -6);
}

// So that what was sure is forgotten as soon as what was nearly so.
TEST(SteadyFilter, RemembersAtMostSix) {
  SteadyFilter filter(3);
  const cv::Mat3b frame(40, 40, cv::Vec3b(90, 90, 90));
  filter.Add(frame, cv::Mat1f(40, 40, 20.f), {});
  EXPECT_EQ(filter.Add(frame, cv::Mat1f(40, 40, 0.f), BlockMotion(5, 5, cv::Vec2s(0, 0)))(20, 20),
            0.75f * 6);
}

std::shared_ptr<const Adapter> AdapterOfSteadiness(double steady) {
  std::vector<std::unique_ptr<SeedFinder>> finders;
  finders.push_back(HogFaceFinder());
  AdaptOptions options;
  options.steady = steady;
  const Model model = DefaultModel();
  return std::make_shared<const Adapter>(model, model.decision.threshold, std::move(finders),
                                         options);
}

TEST(Steady, AFilmOfOnePictureNeverChanges) {
  const cv::Mat bgr = Window(Astronaut(), 0).bgr;
  ScoredStream stream(AdapterOfSteadiness(0.5));
  const cv::Mat first = stream.LogOdds(bgr);
  for (int i = 0; i < 40; ++i) EXPECT_TRUE(Same(stream.LogOdds(bgr), first)) << i;
}

// Between fits to an image without faces the next frame's is made of the last one's.
TEST(Steady, WhatWasHandedOutStaysAsItWas) {
  AdaptOptions options;
  options.steady = 0.5;
  options.image.enabled = true;
  options.image.max_unsure = 100;  // no frame is unclear
  const Model model = DefaultModel();
  StreamAdapter stream(std::make_shared<const Adapter>(
      model, model.decision.threshold, std::vector<std::unique_ptr<SeedFinder>>(), options));
  std::vector<std::shared_ptr<const Adaptation>> handed;
  std::vector<cv::Mat> copies;
  for (std::uint64_t i = 0; i < 8; ++i) {
    handed.push_back(stream.Follow(Noisy(Window(Astronaut(), 0).bgr, i)));
    ASSERT_TRUE(handed.back());
    EXPECT_NE(handed.back()->summary.by, AdaptationSummary::By::kSeeds);
    copies.push_back(handed.back()->offset.clone());
  }
  for (std::size_t i = 0; i < handed.size(); ++i)
    EXPECT_TRUE(Same(handed[i]->offset, copies[i])) << i;
  EXPECT_FALSE(Same(copies[5], copies[6]));
}

// Of what changes in a picture with noise, most is left out by what was expected of the places.
TEST(Steady, NoiseOfSinglePixelsHasNoSay) {
  const auto adapter = AdapterOfSteadiness(0.5);
  StreamAdapter stream(adapter);
  const double threshold = DefaultModel().decision.threshold;
  int steady = 0, loose = 0;
  cv::Mat last, last_loose;
  for (std::uint64_t i = 0; i < 8; ++i) {
    const cv::Mat bgr = Noisy(Window(Astronaut(), 0).bgr, i);
    Adaptation adaptation = *stream.Follow(bgr);
    cv::Mat mask = MaskOf(adapter->LogOdds(bgr, adaptation), threshold);
    EXPECT_EQ(adaptation.expected.empty(), i == 0);
    adaptation.expected.release();
    cv::Mat mask_loose = MaskOf(adapter->LogOdds(bgr, adaptation), threshold);
    if (i > 0) steady += cv::countNonZero(mask != last);
    if (i > 0) loose += cv::countNonZero(mask_loose != last_loose);
    last = mask;
    last_loose = mask_loose;
  }
  std::cout << steady << " pixels change, " << loose << " if all their noise counts\n";
  EXPECT_LT(steady, 0.85 * loose);
}

// After a cut all is as in a stream that begins there, also where both scenes are as light.
TEST(Steady, ACutBringsNothingWithIt) {
  const cv::Mat second = Window(Hopper(), 0).bgr;
  cv::Mat first = Window(Astronaut(), 0).bgr;
  cv::addWeighted(first, 0.3, cv::Mat(first.size(), CV_8UC3, cv::mean(second)), 0.7, 0, first);
  const auto adapter = AdapterOfSteadiness(0.5);
  ScoredStream joined(adapter), alone(adapter);
  for (int i = 0; i < 6; ++i) joined.LogOdds(first);
  for (int i = 0; i < 6; ++i) {
    const cv::Mat bgr = Noisy(second, static_cast<std::uint64_t>(i));
    EXPECT_TRUE(Same(joined.LogOdds(bgr), alone.LogOdds(bgr))) << i;
  }
}

}  // namespace
}  // namespace skinmask
