#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "detect/adapt/adapt_steps.h"
#include "detect/adapt/settings.h"
#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

// In face boxes: u to the right of the centre, v down.
constexpr double kHeadCentre = 0.05, kHeadBlur = 0.1;
constexpr double kChin = 0.5, kChinBlur = 0.15;

double Length(double x, double y) { return std::sqrt(x * x + y * y); }

double Outside(double u, double v) {
  const double beyond = std::max(std::abs(u) - 1, 0.) + std::max(std::abs(v) - 1, 0.);
  return kBelow - kFall * std::min<double>(beyond, kFarthest);
}

double OfFace(double u, double v) {
  const double radius = Length(u / kHeadWidth, (v - kHeadCentre) / kHeadHeight);
  const double head = Logistic((1 - radius) / kHeadBlur);
  const double below = Logistic((v - kChin) / kChinBlur);
  return head * kFace + (1 - head) * (below * Outside(u, v) + (1 - below) * kAbove);
}

bool Marks(const Seed& seed, int x, int y) {
  return seed.box.contains({x, y}) &&
         (seed.skin.empty() || seed.skin.at<std::uint8_t>(y - seed.box.y, x - seed.box.x) != 0);
}

}  // namespace

cv::Mat Enlarged(const cv::Mat& small, const cv::Size& size, Scratch& buffer) {
  const auto bytes = static_cast<std::size_t>(size.area()) * sizeof(float);
  cv::Mat large(size, CV_32FC1, buffer.Get(bytes));
  cv::resize(small, large, size, 0, 0, cv::INTER_LINEAR);
  return large;
}

bool InInnerFace(const cv::Rect& box, cv::Point at) {
  const double u = (at.x + 0.5 - box.x) / box.width - 0.5,
               v = (at.y + 0.5 - box.y) / box.height - 0.5;
  return Length(u / kInnerWidth, (v - kHeadCentre) / kInnerHeight) < 1;
}

cv::Mat PlaceLogOdds(const cv::Size& to, const cv::Size& from, std::span<const Seed> seeds) {
  const double width = static_cast<double>(from.width) / to.width;
  const double height = static_cast<double>(from.height) / to.height;
  cv::Mat place(to, CV_32FC1);
  for (int j = 0; j < to.height; ++j) {
    const double y = (j + 0.5) * height;
    float* const row = place.ptr<float>(j);
    for (int i = 0; i < to.width; ++i) {
      const double x = (i + 0.5) * width;
      double nearest = HUGE_VAL, value = 0;
      for (const Seed& seed : seeds) {
        const double u = (x - seed.box.x) / seed.box.width - 0.5;
        const double v = (y - seed.box.y) / seed.box.height - 0.5;
        const double distance = u * u + v * v;
        if (distance >= nearest) continue;
        nearest = distance;
        value = seed.face                                               ? OfFace(u, v)
                : Marks(seed, static_cast<int>(x), static_cast<int>(y)) ? double(kFace)
                                                                        : Outside(u, v);
      }
      row[i] = static_cast<float>(value);
    }
  }
  return place;
}

}  // namespace skinmask
