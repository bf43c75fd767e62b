// The rows of an image by its adaptation: the ways of asking for them agree.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "skinmask/base/logistic.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/detect/detect_image.h"
#include "support/colors.h"
#include "support/scenes.h"

namespace skinmask {
namespace {

using testing::LogOddsOf;
using testing::Same;

// A head and a hand before two walls, with noise.
cv::Mat HeadAndHand(const cv::Size& size) {
  testing::Random random(21);
  cv::Mat bgr(size, CV_8UC3);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const double u = static_cast<double>(x) / size.width,
                   v = static_cast<double>(y) / size.height;
      const bool skin = std::hypot(u - 0.5, v - 0.4) < 0.2 || (u > 0.8 && v > 0.8);
      const cv::Vec3d color = skin ? cv::Vec3d(110, 130, 185) : cv::Vec3d(90 + 90 * u, 120, 110);
      for (int c = 0; c < 3; ++c)
        bgr.at<cv::Vec3b>(y, x)[c] =
            static_cast<std::uint8_t>(std::clamp(color[c] + 9 * random.Normal(), 0., 255.));
    }
  return bgr;
}

Adapter AdapterFor(const Model& model, const cv::Size& size) {
  std::vector<std::unique_ptr<SeedFinder>> finders;
  finders.push_back(FixedSeed(
      cv::Rect(size.width * 2 / 5, size.height * 3 / 10, size.width / 5, size.height / 5)));
  return Adapter(model, model.decision.threshold, std::move(finders));
}

TEST(Adapter, WrongArgumentsAreErrors) {
  const Model model = testing::TrainedOfKind(Kind::kQda);
  EXPECT_ERROR(Adapter(model, std::nan(""), {}), "`threshold` nan: is out of range");
  std::vector<std::unique_ptr<SeedFinder>> finders(1);
  EXPECT_ERROR(Adapter(model, 0.5, std::move(finders)), "finders: have one that is null");
}

// Of a model that is one quadratic, and of one that is none.
TEST(Adapter, MasksAndProbabilitiesAreThoseOfTheLogOdds) {
  for (const Kind kind : {Kind::kQda, Kind::kHistogramNb}) {
    const Model model = testing::TrainedOfKind(kind);
    for (const cv::Size size : {cv::Size(90, 70), cv::Size(401, 303), cv::Size(633, 420)}) {
      const cv::Mat bgr = HeadAndHand(size);
      const Adapter adapter = AdapterFor(model, size);
      const std::optional<Adaptation> adaptation = adapter.Adapt(bgr);
      ASSERT_TRUE(adaptation);
      const cv::Mat z = adapter.LogOdds(bgr, *adaptation);
      EXPECT_TRUE(Same(z, LogOddsOf(adapter, bgr)));
      cv::Mat found, probability;
      for (const double threshold : {0., 0.0004, model.decision.threshold, 0.5, 0.99, 1.}) {
        adapter.MaskAndProbability(bgr, *adaptation, threshold, found, probability);
        EXPECT_TRUE(Same(found, MaskOf(z, threshold))) << size << threshold;
        EXPECT_TRUE(Same(probability, ProbabilityOf(z))) << size << threshold;
        found = adapter.Mask(bgr, *adaptation, threshold, found);
        EXPECT_TRUE(Same(found, MaskOf(z, threshold))) << size << threshold;
      }
      found = adapter.Probability(bgr, *adaptation, found);
      EXPECT_TRUE(Same(found, ProbabilityOf(z))) << size;
    }
  }
}

// Images with a seed, divided ones, and one that only a valley divides.
TEST(Adapter, CalibrationChangesProbabilitiesAndNoMask) {
  const cv::Size size(401, 303);
  const cv::Mat bgr = HeadAndHand(size);
  Model model = testing::TrainedOfKind(Kind::kQda);
  Model calibrated = model;
  calibrated.adapted_calibration = {
      {0.25, {0.8, {{0, 0.5}, {2, 0.1}}}}, {{0.1, {{0, 0.75}}}, 2}, {}, "test"};
  const double threshold = model.decision.threshold, own = Logit(threshold);
  const Adapter by_seed = AdapterFor(model, size),
                calibrated_by_seed = AdapterFor(calibrated, size);
  const Adapter by_image(model, threshold, {}), calibrated_by_image(calibrated, threshold, {});
  for (const auto& [before, after, scales] :
       {std::tuple(&by_seed, &calibrated_by_seed, calibrated.adapted_calibration.faces),
        std::tuple(&by_image, &calibrated_by_image, calibrated.adapted_calibration.image)}) {
    const std::optional<Adaptation> adaptation = before->Adapt(bgr);
    ASSERT_TRUE(adaptation);
    const cv::Mat z = before->LogOdds(bgr, *adaptation), found = after->LogOdds(bgr, *adaptation);
    for (int y = 0; y < z.rows; ++y)
      for (int x = 0; x < z.cols; ++x) {
        const double expected = own + scales(z.at<float>(y, x) - own);
        ASSERT_NEAR(found.at<float>(y, x), expected, 1e-5 * (1 + std::abs(expected)));
      }
    cv::Mat mask, same;
    mask = before->Mask(bgr, *adaptation, threshold);
    same = after->Mask(bgr, *adaptation, threshold);
    EXPECT_TRUE(Same(mask, same));
    EXPECT_GT(cv::countNonZero(mask), 0);
    // The rows that ask fewer Gaussians agree with those that ask all.
    mask = after->Mask(bgr, *adaptation, 0.9);
    EXPECT_TRUE(Same(mask, MaskOf(found, 0.9)));
    mask = after->Probability(bgr, *adaptation);
    EXPECT_TRUE(Same(mask, ProbabilityOf(found)));
    Adaptation valley = *adaptation;
    valley.local.reset();
    mask = before->Mask(bgr, valley, threshold);
    same = after->Mask(bgr, valley, threshold);
    EXPECT_TRUE(Same(mask, same));
  }
}

TEST(Adapter, TargetsAndThreadsDoNotMatter) {
  const cv::Size size(1403, 907);  // of more rows than one thread takes
  const cv::Mat bgr = HeadAndHand(size);
  const Model model = testing::TrainedOfKind(Kind::kQda);
  const Adapter adapter = AdapterFor(model, size);
  const cv::Mat expected = LogOddsOf(adapter, bgr);
  for (const std::string& name : UsableTargets()) {
    const testing::ForcedTarget target(name);
    for (const std::size_t threads : {1u, 3u}) {
      const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
      EXPECT_TRUE(Same(LogOddsOf(adapter, bgr), expected)) << name << threads;
    }
  }
}

}  // namespace
}  // namespace skinmask
