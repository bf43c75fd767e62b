// Colours over masks and faces: against sums of doubles, pixel by pixel.
#include "skinmask/detect/measure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "skinmask/base/error.h"
#include "skinmask/detect/detector.h"
#include "skinmask/detect/draw.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/detect/region.h"
#include "support/scenes.h"

namespace skinmask {
namespace {

// The same whichever tests ran before.
cv::Mat NoiseOf(const cv::Size& size) {
  cv::Mat bgr(size, CV_8UC3);
  cv::RNG(1).fill(bgr, cv::RNG::UNIFORM, 0, 256);
  return bgr;
}

// Blobs, so that something is left when it is eroded.
cv::Mat Blobs(const cv::Size& size) {
  cv::Mat mask(size, CV_8UC1);
  cv::RNG(3).fill(mask, cv::RNG::UNIFORM, 0, 256);
  cv::GaussianBlur(mask, mask, {0, 0}, 4);
  return mask > 126;
}

bool AllSkinAround(const cv::Mat& mask, cv::Point at, int erosion) {
  for (int y = at.y - erosion; y <= at.y + erosion; ++y)
    for (int x = at.x - erosion; x <= at.x + erosion; ++x)
      if (cv::Rect({}, mask.size()).contains({x, y}) && mask.at<std::uint8_t>(y, x) == 0)
        return false;
  return true;
}

// Two passes over the pixels where `counts(point)`.
template <class Counts>
void ExpectColors(const ColorSums& sums, const cv::Mat& bgr, const Counts& counts) {
  double n = 0;
  cv::Vec3d sum, squares;
  std::vector<cv::Vec3d> pixels;
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x)
      if (counts(cv::Point(x, y))) pixels.emplace_back(bgr.at<cv::Vec3b>(y, x));
  for (const cv::Vec3d& pixel : pixels) sum += pixel, ++n;
  const cv::Vec3d mean = sum / n;
  for (const cv::Vec3d& pixel : pixels) squares += (pixel - mean).mul(pixel - mean);
  ASSERT_EQ(static_cast<double>(sums.pixels), n);
  ASSERT_GT(n, 0);
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(sums.Mean(static_cast<std::size_t>(c)), mean[c], 1e-9);
    EXPECT_NEAR(sums.Deviation(static_cast<std::size_t>(c)), std::sqrt(squares[c] / n), 1e-9);
  }
}

TEST(Measure, MeansAreThoseOfTheMaskThatIsLeft) {
  for (const cv::Size size : {cv::Size(97, 61), cv::Size(20000, 3)})
    for (const int erosion : {0, 1, 2, 5}) {
      const cv::Mat bgr = NoiseOf(size);
      // Within a larger picture, of which nothing may be seen.
      cv::Mat larger = cv::Mat::zeros(size + cv::Size(9, 9), CV_8UC1);
      const cv::Mat mask = larger(cv::Rect({4, 4}, size));
      Blobs(size).copyTo(mask);
      const Measurement measured = Measure(bgr, mask, {}, erosion);
      ExpectColors(measured.skin, bgr,
                   [&](cv::Point at) { return AllSkinAround(mask, at, erosion); });
      EXPECT_TRUE(measured.faces.empty());
    }
}

TEST(Measure, TheLargestSumsAreExact) {
  const cv::Mat white(40, 40000, CV_8UC3, cv::Scalar::all(255));
  const Measurement measured = Measure(white, cv::Mat(white.size(), CV_8UC1, cv::Scalar(255)), {});
  EXPECT_EQ(measured.skin.pixels, white.total());
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(measured.skin.squares[c], 255u * 255u * white.total());
    EXPECT_EQ(measured.skin.Mean(c), 255);
    EXPECT_EQ(measured.skin.Deviation(c), 0);
  }
}

TEST(Measure, WhereNothingIsThereAreNoNumbers) {
  const cv::Mat bgr = NoiseOf({30, 20});
  const Face outside{7, {0, 0, 5, 5}, {{-400, -300}, 60, 0}};
  const Measurement measured =
      Measure(bgr, cv::Mat(bgr.size(), CV_8UC1, cv::Scalar(255)), {&outside, 1});
  EXPECT_EQ(Measure(bgr, cv::Mat::zeros(bgr.size(), CV_8UC1), {}).skin.pixels, 0u);
  ASSERT_EQ(measured.faces.size(), 1u);
  EXPECT_EQ(measured.faces[0].face.id, 7);
  EXPECT_TRUE(std::isnan(measured.faces[0].of(FacePart::kForehead).Mean(0)));
  EXPECT_TRUE(std::isnan(measured.faces[0].of(FacePart::kForehead).Deviation(0)));
  EXPECT_THROW(Measure(bgr, cv::Mat::zeros(10, 10, CV_8UC1), {}), Error);
  EXPECT_THROW(Measure(bgr, cv::Mat::zeros(bgr.size(), CV_8UC1), {}, -1), Error);
}

// Also of faces that are tilted, that reach beyond the picture, and are smaller than a pixel.
TEST(Measure, PartsOfAFaceAreEllipsesInItsFrame) {
  const cv::Mat bgr = NoiseOf({160, 120}), mask = Blobs(bgr.size());
  for (const FaceFrame& frame : {FaceFrame{{80.3, 60.7}, 70, 0}, FaceFrame{{70, 55}, 61.5, .5},
                                 FaceFrame{{15, 20}, 90, -.8}, FaceFrame{{80, 60}, 170, 2.5}}) {
    const Face face{1, frame.Box(bgr.size()), frame};
    const Measurement measured = Measure(bgr, mask, {&face, 1}, 1);
    for (std::size_t i = 0; i < kFaceParts; ++i) {
      const auto part = static_cast<FacePart>(i);
      const FacePartEllipse& e = EllipseOf(part);
      ExpectColors(measured.faces[0].of(part), bgr, [&](cv::Point at) {
        const cv::Point2d p = frame.FromImage({at.x + .5, at.y + .5});
        return std::hypot((p.x - e.x) / e.half_width, (p.y - e.y) / e.half_height) < 1 &&
               AllSkinAround(mask, at, 1);
      });
      const cv::Point2d there(e.x, e.y), back = frame.FromImage(frame.ToImage(there));
      EXPECT_NEAR(back.x, there.x, 1e-12);
      EXPECT_NEAR(back.y, there.y, 1e-12);
    }
  }
  const Face dot{1, {10, 10, 1, 1}, {{10.5, 10.5}, 1e-9, 0}};
  EXPECT_EQ(Measure(bgr, mask, {&dot, 1}).faces[0].of(FacePart::kForehead).pixels, 0u);
}

// Of the judgement they are its mask and its picture, by the options, and of a smaller one the
// same.
TEST(Measure, AJudgementMeasuresItself) {
  const cv::Mat bgr = testing::Astronaut().bgr;
  DetectorOptions options;
  options.erode = 4;
  const Detector detector(DefaultModel(), options);
  Judgement judgement = detector.Judge(bgr);
  const Measurement& measured = judgement.Measured();
  ASSERT_EQ(measured.faces.size(), 1u);
  EXPECT_EQ(measured.faces[0].face.id, 1);
  EXPECT_EQ(measured.skin, Measure(bgr, judgement.Mask(), {}, 4).skin);
  for (std::size_t i = 0; i < kFaceParts; ++i)
    EXPECT_GT(measured.faces[0].parts[i].pixels, 100u) << i;
  // The middle of the face, by eye.
  EXPECT_LT(cv::norm(measured.faces[0].face.frame.centre - cv::Point2d(224, 115)), 20);
  Judgement smaller = judgement.Smaller(bgr.size() / 2);
  EXPECT_EQ(smaller.Measured().skin, measured.skin);
  EXPECT_NEAR(smaller.Faces()[0].frame.size, judgement.Faces()[0].frame.size / 2, 1e-9);
  const Detector of_usual(DefaultModel());
  Judgement usual = of_usual.Judge(bgr);
  EXPECT_EQ(usual.Measured().skin, Measure(bgr, judgement.Mask(), {}, kUsualErosion).skin);
}

TEST(Measure, OverlaysHaveFacesAndEllipsesWhereTheyAreAskedFor) {
  const cv::Mat bgr = testing::Astronaut().bgr;
  const auto overlay = [&](const char* draw) {
    DetectorOptions options;
    if (*draw) DetectorTable().Set(options, "draw", draw);
    const Detector detector(DefaultModel(), options);
    Judgement judgement = detector.Judge(bgr);
    return Draw(Output::kOverlay, judgement);
  };
  const cv::Mat plain = overlay(""), faces = overlay("faces"), both = overlay("faces,ellipse");
  const Detector detector(DefaultModel());
  Judgement judgement = detector.Judge(bgr);
  cv::Mat expected = plain.clone();
  DrawFaces(expected, judgement.Faces());
  EXPECT_GT(cv::norm(plain, expected, cv::NORM_INF), 100);
  EXPECT_EQ(cv::norm(faces, expected, cv::NORM_INF), 0);
  const cv::Rect box = judgement.Faces()[0].box;
  EXPECT_EQ(faces.at<cv::Vec3b>(box.y, box.x + box.width / 2), cv::Vec3b::all(255));
  DrawRegion(expected, RegionOf(MapMomentsOf(judgement.Mask())).value());
  EXPECT_EQ(cv::norm(both, expected, cv::NORM_INF), 0);
  DetectorOptions options;
  EXPECT_THROW(DetectorTable().Set(options, "draw", "face"), Error);
  EXPECT_THROW(DetectorTable().Set(options, "draw", "faces,"), Error);
  EXPECT_THROW(DetectorTable().Set(options, "erode", "-1"), Error);
  DetectorTable().Set(options, "draw", "ellipse");
  EXPECT_EQ(DetectorTable().Get(options, "draw"), "ellipse");
  EXPECT_THROW(RequireShown(options, {Output::kMask}), Error);
}

}  // namespace
}  // namespace skinmask
