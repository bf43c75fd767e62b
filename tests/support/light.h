// Pictures in other light, and pictures of one surface.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>

#include "support/world.h"

namespace skinmask::testing {

// The linear light of a byte of sRGB.
inline double Light(int byte) {
  const double v = byte / 255.;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

// With these gains in linear light, as a camera would have it.
inline cv::Mat Under(const cv::Mat& bgr, const std::array<double, 3>& gains) {
  cv::Mat table(1, 256, CV_8UC3), under;
  for (int i = 0; i < 256; ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      const double light = std::min(1., Light(i) * gains[c]);
      const double v =
          light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
      table.at<cv::Vec3b>(0, i)[static_cast<int>(c)] =
          static_cast<std::uint8_t>(std::lround(255 * v));
    }
  cv::LUT(bgr, table, under);
  return under;
}

// A hand that is lit from the right, before a wall.
inline cv::Mat RoundHand() {
  Random random(5);
  cv::Mat bgr(240, 320, CV_8UC3);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      const bool skin = std::hypot(x - 160., y - 120.) < 70;
      const double share = skin ? std::pow(0.55 + 0.5 * (x - 90) / 140, 1 / 2.4) : 1;
      const cv::Vec3d color = skin ? cv::Vec3d(110, 130, 180) : cv::Vec3d(120, 130, 110);
      for (int c = 0; c < 3; ++c)
        bgr.at<cv::Vec3b>(y, x)[c] =
            static_cast<std::uint8_t>(std::clamp(share * color[c] + 3 * random.Normal(), 0., 255.));
    }
  return bgr;
}

// A hand before a wall, of random light in all places, of an exposure that needs none.
inline cv::Mat Hand(double noise) {
  Random random(5);
  cv::Mat bgr(240, 320, CV_8UC3);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      const bool skin = std::hypot(x - 160., y - 120.) < 70;
      const cv::Vec3d color = skin ? cv::Vec3d(125, 150, 205) : cv::Vec3d(235, 240, 225);
      for (int c = 0; c < 3; ++c)
        bgr.at<cv::Vec3b>(y, x)[c] =
            static_cast<std::uint8_t>(std::clamp(color[c] + noise * random.Normal(), 0., 255.));
    }
  return bgr;
}

inline cv::Mat Darker(const cv::Mat& bgr, double stops) {
  const double gain = std::exp2(-stops);
  return Under(bgr, {gain, gain, gain});
}

// The photograph in one hue: as grey with `share` 0, as sepia with 0.2.
inline cv::Mat Toned(const cv::Mat& bgr, double share) {
  cv::Mat toned = bgr.clone();
  for (int y = 0; y < toned.rows; ++y)
    for (int x = 0; x < toned.cols; ++x) {
      auto& pixel = toned.at<cv::Vec3b>(y, x);
      const int tone = cvRound(share * pixel[1]);
      pixel[0] = cv::saturate_cast<std::uint8_t>(pixel[1] - tone);
      pixel[2] = cv::saturate_cast<std::uint8_t>(pixel[1] + tone);
    }
  return toned;
}

// Dark skin that fills most of the image, lit from the right, between white cloth above and below.
inline cv::Mat DarkTorso() {
  Random random(5);
  cv::Mat bgr(240, 320, CV_8UC3);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      const bool body = std::abs(x - 160) < 130, skin = body && y > 40 && y < 220;
      const double lit = 0.25 * (0.1 + 0.9 * std::exp(-std::pow((x - 200) / 90., 2)));
      const cv::Vec3d color = skin   ? std::pow(lit, 1 / 2.2) * cv::Vec3d(48, 66, 110)
                              : body ? cv::Vec3d(240, 240, 240)
                                     : cv::Vec3d(110, 95, 85);
      for (int c = 0; c < 3; ++c)
        bgr.at<cv::Vec3b>(y, x)[c] =
            static_cast<std::uint8_t>(std::clamp(color[c] + 3 * random.Normal(), 0., 255.));
    }
  return bgr;
}

// All colours from a dark wood's to nearly skin's: for each pixel that is called skin there are
// others that are nearly skin.
inline cv::Mat Wood(const cv::Vec3d& lightest) {
  Random random(7);
  const cv::Vec3d darkest(70, 95, 110);
  cv::Mat bgr(120, 160, CV_8UC3);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      const cv::Vec3d color = darkest + (x + 0.5) / bgr.cols * (lightest - darkest);
      const double grain = 8 * random.Normal();
      for (int c = 0; c < 3; ++c)
        bgr.at<cv::Vec3b>(y, x)[c] =
            static_cast<std::uint8_t>(std::clamp(color[c] + grain + 8 * random.Normal(), 0., 255.));
    }
  cv::resize(bgr, bgr, {}, 2, 2, cv::INTER_NEAREST);
  return bgr;
}

}  // namespace skinmask::testing
