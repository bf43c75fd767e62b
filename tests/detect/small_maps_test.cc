// What adaptation makes of and for the small image.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "detect/adapt/refine.h"
#include "detect/adapt/resample.h"
#include "detect/adapt/seed_priors.h"
#include "detect/adapt/small_image.h"
#include "skinmask/base/logistic.h"
#include "support/colors.h"

namespace skinmask {
namespace {

cv::Mat NormalNoise(int height, int width) {
  testing::Random random(3);
  cv::Mat bgr(height, width, CV_8UC3);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < 3 * width; ++x)
      bgr.ptr(y)[x] = static_cast<std::uint8_t>(std::clamp(128 + 70 * random.Normal(), 0., 255.));
  return bgr;
}

// OpenCV rounds the same places, where it is compiled without contraction.
TEST(Warped, IsOpenCvsWarpAffine) {
  for (const auto& [from, to] : {std::pair(cv::Size(120, 90), cv::Size(150, 140)),
                                 {{61, 47}, {30, 200}},
                                 {{7, 1}, {20, 20}},
                                 {{1, 1}, {5, 3}}}) {
    cv::Mat1b grey;
    cv::extractChannel(NormalNoise(from.height, from.width), grey, 1);
    for (const double degrees : {0., 20., 32.5, -30., 90., -90., 180.})
      for (const double scale : {1., 0.7, 3.}) {
        const double c = scale * std::cos(degrees * std::numbers::pi / 180);
        const double s = scale * std::sin(degrees * std::numbers::pi / 180);
        const cv::Matx23d back(c, -s, from.width / 3., s, c, -from.height / 5.);
        const cv::Mat1b warped = Warped(grey, back, to);
        ASSERT_EQ(warped.size(), to);
        cv::Mat1b expected;
        cv::warpAffine(grey, expected, back, to, cv::INTER_LINEAR | cv::WARP_INVERSE_MAP,
                       cv::BORDER_REPLICATE);
        cv::Mat1b around(from.height + 2, from.width + 2, std::uint8_t{7});
        cv::Mat1b part = around(cv::Rect({1, 1}, from));
        grey.copyTo(part);
        EXPECT_EQ(cv::norm(Warped(part, back, to), warped, cv::NORM_INF), 0) << degrees;
#if defined(__x86_64__)
        EXPECT_EQ(cv::norm(warped, expected, cv::NORM_INF), 0) << degrees << " " << scale;
#else
        EXPECT_LE(cv::norm(warped, expected, cv::NORM_L1), 0.01 * to.area() * 255);
#endif
      }
  }
}

TEST(Interpolate, IsOpenCvsResize) {
  for (const auto& [from, to] : {std::pair(cv::Size(300, 256), cv::Size(451, 387)),
                                 {{300, 256}, {299, 131}},
                                 {{47, 61}, {500, 40}},
                                 {{9, 2}, {5, 3}},
                                 {{3, 1}, {2, 2}},
                                 {{1, 1}, {7, 1}}}) {
    cv::Mat1b noise, grey = SearchableMemory(from), larger = SearchableMemory(to), expected;
    cv::extractChannel(NormalNoise(from.height, from.width), noise, 1);
    noise.copyTo(grey);
    cv::resize(noise, expected, to, 0, 0, cv::INTER_LINEAR);
    for (const std::string& name : UsableTargets()) {
      const testing::ForcedTarget target(name);
      Interpolate(grey, 1 / (1. * to.width / from.width), 1 / (1. * to.height / from.height),
                  larger);
#if defined(__x86_64__)
      EXPECT_EQ(cv::norm(larger, expected, cv::NORM_INF), 0) << from << to;
#else
      EXPECT_LE(cv::norm(larger, expected, cv::NORM_INF), 1) << from << to;
#endif
    }
  }
}

// Against the integral of the picture, whose pixels are squares, and against OpenCV where that is
// compiled without contraction.
TEST(AreaMean, IsTheMeanOfTheArea) {
  for (const auto& [from, to] : {std::pair(cv::Size(300, 256), cv::Size(201, 236)),
                                 {{61, 47}, {61, 46}},
                                 {{500, 333}, {251, 170}},
                                 {{90, 5}, {23, 1}},
                                 {{7, 1}, {1, 1}},
                                 {{64, 64}, {64, 64}}}) {
    cv::Mat1b grey;
    cv::extractChannel(NormalNoise(from.height, from.width), grey, 1);
    const cv::Mat1b small = AreaMean(grey, to);
    ASSERT_EQ(small.size(), to);
    cv::Mat1d sums;
    cv::integral(grey, sums, CV_64F);
    const auto integral = [&](double x, double y) {
      const int i = std::min(static_cast<int>(x), grey.cols - 1);
      const int j = std::min(static_cast<int>(y), grey.rows - 1);
      const double a = x - i, b = y - j;
      return (1 - b) * ((1 - a) * sums(j, i) + a * sums(j, i + 1)) +
             b * ((1 - a) * sums(j + 1, i) + a * sums(j + 1, i + 1));
    };
    const double w = static_cast<double>(from.width) / to.width,
                 h = static_cast<double>(from.height) / to.height;
    for (int y = 0; y < to.height; ++y)
      for (int x = 0; x < to.width; ++x) {
        const double mean = (integral((x + 1) * w, (y + 1) * h) - integral(x * w, (y + 1) * h) -
                             integral((x + 1) * w, y * h) + integral(x * w, y * h)) /
                            (w * h);
        EXPECT_NEAR(small(y, x), mean, 0.6) << x << " " << y;  // rounding, and shares left out
      }
#ifdef __x86_64__
    cv::Mat1b theirs;
    cv::resize(grey, theirs, to, 0, 0, cv::INTER_AREA);
    EXPECT_EQ(cv::norm(small, theirs, cv::NORM_INF), 0);
#endif
  }
}

TEST(SmallImage, IsTheMeanOfEachSquare) {
  for (const cv::Size size : {cv::Size(1, 1), cv::Size(101, 37), cv::Size(64, 64), cv::Size(3, 500),
                              cv::Size(257, 91), cv::Size(20, 1), cv::Size(700, 300)}) {
    const cv::Mat bgr = NormalNoise(size.height, size.width);
    for (const int pixels : {1, 40, 300, 100000}) {
      const int square = SmallImageSquare(size, pixels);
      EXPECT_LE(size.area(), square * square * pixels);
      const cv::Mat small = SmallImage(bgr, pixels);
      EXPECT_NEAR(small.cols, static_cast<double>(size.width) / square, 1);
      EXPECT_NEAR(small.rows, static_cast<double>(size.height) / square, 1);
      for (int y = 0; y < small.rows; ++y)
        for (int x = 0; x < small.cols; ++x) {
          const cv::Rect cell =
              cv::Rect(x * square, y * square, square, square) & cv::Rect({}, size);
          const cv::Scalar mean = cv::mean(bgr(cell));
          for (int c = 0; c < 3; ++c)
            ASSERT_NEAR(small.at<cv::Vec3b>(y, x)[c], mean[c], 0.5001) << size << pixels;
        }
    }
  }
}

double MeanWithin(const cv::Mat1f& plane, int radius, int x, int y) {
  double sum = 0;
  int count = 0;
  for (int j = std::max(0, y - radius); j <= std::min(plane.rows - 1, y + radius); ++j)
    for (int i = std::max(0, x - radius); i <= std::min(plane.cols - 1, x + radius); ++i, ++count)
      sum += static_cast<double>(plane(j, i));
  return sum / count;
}

TEST(BoxMeans, AreThoseOfWhatIsInTheBox) {
  testing::Random random(8);
  for (int width = 1; width <= 70; ++width) {
    std::vector<cv::Mat1f> planes(4);
    for (cv::Mat1f& plane : planes) {
      plane.create(1 + width % 9, width);
      for (float& value : plane) value = static_cast<float>(random.Normal());
    }
    cv::Mat4f together, means;
    cv::merge(planes, together);
    for (const int radius : {1, 2, 3, 4, 7, 40}) {
      BoxMeans(together, radius, means);
      for (int y = 0; y < means.rows; ++y)
        for (int x = 0; x < width; ++x)
          for (int c = 0; c < 4; ++c)
            ASSERT_NEAR(means(y, x)[c],
                        MeanWithin(planes[static_cast<std::size_t>(c)], radius, x, y), 1e-5)
                << width << radius;
    }
  }
}

Message NeighboursMessage(const cv::Mat& bgr, const cv::Mat& z, double face_size,
                          const RefinementOptions& options) {
  MeanField field(bgr, face_size, options);
  field.Run(z, options.rounds - 1);
  field.Run(z, 1);  // goes on where the last one ended
  const Message message = field.message();
  // The message itself is what is added to log-odds.
  cv::Mat added = cv::Mat::zeros(z.size(), CV_32FC1);
  field.AddMessage(added);
  const int x = z.cols / 3, y = z.rows / 2;
  float sum = message.offset.at<float>(y, x);
  for (std::size_t c = 0; c < 3; ++c)
    sum += message.slope[c].at<float>(y, x) * static_cast<float>(bgr.ptr(y, x)[c]);
  EXPECT_NEAR(added.at<float>(y, x), sum, 1e-4);
  return message;
}

// One round by the definition of the guided filter, in double.
TEST(MeanField, IsTheGuidedFilterOfTheLabels) {
  const cv::Mat bgr = NormalNoise(19, 45);
  cv::Mat z(bgr.size(), CV_32FC1);
  cv::Mat1f label(bgr.size());
  std::array<cv::Mat1f, 3> guide;
  std::array<cv::Mat1f, 4> factors;  // of B, G, R and 1
  for (cv::Mat1f& plane : guide) plane.create(bgr.size());
  for (cv::Mat1f& plane : factors) plane.create(bgr.size());
  testing::Random random(4);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      z.at<float>(y, x) = static_cast<float>(5 * random.Normal());
      const double log_odds = std::clamp(static_cast<double>(z.at<float>(y, x)), -8., 8.);
      label(y, x) = static_cast<float>(std::tanh(log_odds / 2));
      for (std::size_t c = 0; c < 3; ++c)
        guide[c](y, x) = static_cast<float>(bgr.ptr(y, x)[c] / 255.);
    }
  RefinementOptions options;
  options.rounds = 1;
  options.min_radii_per_side = 10;
  const int radius = 3;  // of sqrt(19 * 45) / 10
  const auto mean = [&](const cv::Mat1f& plane, int x, int y) {
    return MeanWithin(plane, radius, x, y);
  };
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      cv::Matx33d covariance = cv::Matx33d::eye() * options.epsilon;
      cv::Vec3d with_label, means;
      const double l = mean(label, x, y);
      for (int i = 0; i < 3; ++i) {
        const cv::Mat1f& channel = guide[static_cast<std::size_t>(i)];
        means[i] = mean(channel, x, y);
        with_label[i] = mean(channel.mul(label), x, y) - means[i] * l;
        for (int j = 0; j < 3; ++j) {
          const cv::Mat1f& other = guide[static_cast<std::size_t>(j)];
          covariance(i, j) += mean(channel.mul(other), x, y) - means[i] * mean(other, x, y);
        }
      }
      const cv::Vec3d slope = covariance.inv() * with_label;
      for (int c = 0; c < 3; ++c)
        factors[static_cast<std::size_t>(c)](y, x) = static_cast<float>(slope[c]);
      factors[3](y, x) = static_cast<float>(l - slope.dot(means));
    }
  const Message message = NeighboursMessage(bgr, z, 1000, options);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      const double by = options.pairwise_weight;
      for (std::size_t c = 0; c < 3; ++c)
        ASSERT_NEAR(255 * message.slope[c].at<float>(y, x), by * mean(factors[c], x, y), 5e-3);
      ASSERT_NEAR(message.offset.at<float>(y, x), by * mean(factors[3], x, y), 5e-3);
    }
}

// Channels that are the same have a covariance without an inverse.
TEST(MeanField, IsFiniteOfGreyPictures) {
  cv::Mat bgr;
  cv::cvtColor(NormalNoise(60, 80), bgr, cv::COLOR_BGR2GRAY);
  cv::cvtColor(bgr, bgr, cv::COLOR_GRAY2BGR);
  RefinementOptions options;
  options.epsilon = 1e-4;  // the least
  const Message message =
      NeighboursMessage(bgr, cv::Mat(bgr.size(), CV_32FC1, cv::Scalar(1)), 40, options);
  for (const cv::Mat& map : {message.slope[0], message.slope[1], message.slope[2], message.offset})
    EXPECT_TRUE(cv::checkRange(map, true, nullptr, -100, 100));
}

// The oracle: docs/adaptation.md, step 5, in double.
double PriorOf(const Seed& seed, double x, double y, const SpatialPriorOptions& o) {
  const bool inside = seed.box.contains({static_cast<int>(x), static_cast<int>(y)});
  const cv::Point2d p = seed.face ? seed.face->FromImage({x, y})
                                  : cv::Point2d((x - seed.box.x) / seed.box.width - 0.5,
                                                (y - seed.box.y) / seed.box.height - 0.5);
  const auto decay = [](double distance, double each, double most) {
    return each * std::min(std::max(std::abs(distance) - 1, 0.), most);
  };
  const double beside = decay(p.x, o.decay_per_face_width, o.max_decay_widths);
  const double below = o.below - beside - decay(p.y, o.decay_per_face_height, o.max_decay_heights);
  if (!seed.face) return inside ? o.head : below;
  const double u = p.x / o.head_half_width, v = (p.y - kHeadCentre) / o.head_half_height;
  const double head = Logistic((1 - std::hypot(u, v)) / 0.1), chin = Logistic((p.y - 0.5) / 0.15);
  return head * o.head + (1 - head) * (chin * below + (1 - chin) * (o.above - beside));
}

// Likewise, what is added for a face that is alone, `aside` of the image's width from its middle.
double OfOnePerson(const FaceFrame& face, double aside, double x, double y) {
  const cv::Point2d p = face.FromImage({x, y});
  const double out = std::max({std::abs(p.x) - 2, -p.y - 1, 0.});
  const double sure = std::clamp((0.2 - aside) / 0.1, 0., 1.);
  return sure * (0.5 * std::clamp(p.y - 4, 0., 1.) - std::min(4 * out, 3.));
}

TEST(SpatialPrior, OneFaceInTheMiddleIsAlone) {
  const cv::Size image(300, 400), small(75, 100);
  for (const double place : {0.5, 0.35, 0.64, 0.2})
    for (const double weight : {0., 1., 2.}) {
      SpatialPriorOptions options;
      options.alone = weight;
      const FaceFrame face{{place * image.width, 60}, 45, 0.1};
      const Seed seed{face.Box(image), face, {}};
      const cv::Mat prior = SpatialPrior(small, image, std::vector{seed}, options);
      for (int j = 0; j < small.height; ++j)
        for (int i = 0; i < small.width; ++i) {
          const double x = 4 * i + 2, y = 4 * j + 2;
          ASSERT_NEAR(prior.at<float>(j, i),
                      PriorOf(seed, x, y, options) +
                          weight * OfOnePerson(face, std::abs(place - 0.5), x, y),
                      1e-3);
        }
    }
}

TEST(SpatialPrior, IsThatOfTheNearestSeed) {
  const FaceFrame face{{80, 60}, 40, 0.3}, other{{210, 90}, 25, -0.2};
  const cv::Size image(300, 200), small(101, 67);
  const std::vector<Seed> seeds{{face.Box(image), face, {}},
                                {other.Box(image), other, {}},
                                {cv::Rect(120, 140, 60, 30), std::nullopt, {}}};
  const SpatialPriorOptions options;
  const cv::Mat prior = SpatialPrior(small, image, seeds, options);
  const auto distance = [](const Seed& seed, double x, double y) {
    if (seed.face) return cv::norm(seed.face->FromImage({x, y}));
    return std::hypot((x - seed.box.x) / seed.box.width - 0.5,
                      (y - seed.box.y) / seed.box.height - 0.5);
  };
  for (int j = 0; j < small.height; ++j)
    for (int i = 0; i < small.width; ++i) {
      const double x = (i + 0.5) * image.width / small.width;
      const double y = (j + 0.5) * image.height / small.height;
      std::vector<double> distances;
      for (const Seed& seed : seeds) distances.push_back(distance(seed, x, y));
      const auto nearest = std::ranges::min_element(distances) - distances.begin();
      ASSERT_NEAR(prior.at<float>(j, i),
                  PriorOf(seeds[static_cast<std::size_t>(nearest)], x, y, options), 1e-3)
          << i << ' ' << j;
    }
}

TEST(SmallMaps, AreTheSameOnAllTargets) {
  const cv::Mat bgr = NormalNoise(53, 77);
  cv::Mat z(bgr.size(), CV_32FC1);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x)
      z.at<float>(y, x) = static_cast<float>(bgr.ptr(y, x)[0] - 128) / 20;
  const FaceFrame face{{30, 20}, 18, 0.1};
  const std::vector<Seed> seeds{{face.Box(bgr.size()), face, {}}};
  cv::Mat1b grey;
  cv::extractChannel(bgr, grey, 1);
  std::vector<cv::Mat> best;
  for (const std::string& name : UsableTargets()) {
    const testing::ForcedTarget target(name);
    const Message message = NeighboursMessage(bgr, z, 40, {});
    const std::vector<cv::Mat> found{message.slope[0],
                                     message.slope[1],
                                     message.slope[2],
                                     message.offset,
                                     Warped(grey, {.8, -.6, 20, .6, .8, -9}, {83, 61}),
                                     SpatialPrior(bgr.size(), bgr.size(), seeds, {})};
    if (best.empty()) best = found;
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(cv::countNonZero(found[i] != best[i]), 0) << name << i;
  }
}

}  // namespace
}  // namespace skinmask
