#include "detect/adapt/resample.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "skinmask/media/image.h"
#include "support/files.h"

namespace skinmask {
namespace {

// Where tiles are whole OpenCV has the same, in floats: it rounds each curve, and spreads what is
// above the limit in whole levels.
TEST(LocalContrast, IsThatOfOpenCv) {
  cv::Mat grey, shaded, theirs, difference;
  cv::cvtColor(ReadImage(testing::SamplesFolder() / "photos/grace_hopper.jpg"), grey,
               cv::COLOR_BGR2GRAY);
  for (const cv::Size size : {cv::Size(400, 480), cv::Size(640, 768)}) {
    cv::resize(grey, shaded, size, 0, 0, cv::INTER_AREA);
    for (const double light : {1., .2}) {
      shaded *= light;
      cv::createCLAHE(3, {8, 8})->apply(shaded, theirs);
      cv::absdiff(Equalized(shaded), theirs, difference);
      EXPECT_LE(cv::norm(difference, cv::NORM_INF), 6) << size << light;
      EXPECT_LE(cv::mean(difference)[0], 1) << size << light;
    }
  }
}

TEST(LocalContrast, TakesAnySizeAndAnyLevels) {
  for (const cv::Size size :
       {cv::Size(1, 1), cv::Size(7, 300), cv::Size(8, 8), cv::Size(13, 101)}) {
    cv::Mat noise(size, CV_8UC1);
    cv::RNG(3).fill(noise, cv::RNG::UNIFORM, 0, 256);
    EXPECT_EQ(Equalized(noise).size(), size);
    for (const int level : {0, 100, 255}) {
      const cv::Mat flat = Equalized(cv::Mat(size, CV_8UC1, cv::Scalar(level)));
      double least, most;
      cv::minMaxLoc(flat, &least, &most);
      EXPECT_LE(most - least, 12) << size << level;  // tiles of a few pixels, and not all as large
    }
  }
}

}  // namespace
}  // namespace skinmask
