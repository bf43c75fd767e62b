#include "skinmask/detect/adapt.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "detect/adapt/image_fit.h"
#include "detect/adapt/seed_priors.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/media/image.h"
#include "skinmask/model/model.h"
#include "skinmask/model/posterior.h"
#include "support/files.h"
#include "support/green_picture.h"
#include "support/scenes.h"
#include "support/world.h"

namespace skinmask {
namespace {

using testing::F1;
using testing::GreenPicture;
using testing::kInside;
using testing::kSkin;
using testing::LogOddsOf;
using testing::TrueSkin;

Adapter SeededAdapter(std::unique_ptr<SeedFinder> finder, const AdaptOptions& options = {}) {
  std::vector<std::unique_ptr<SeedFinder>> finders;
  finders.push_back(std::move(finder));
  const Model model = DefaultModel();
  return Adapter(model, model.decision.threshold, std::move(finders), options);
}

TEST(Adapt, ARectangleOfSkinFindsTheRestOfIt) {
  const cv::Mat bgr = GreenPicture(), truth = TrueSkin();
  const Model global = DefaultModel();
  EXPECT_LT(F1(DetectMask(Posterior(global), bgr), truth), 0.2);
  for (const bool refined : {false, true}) {
    AdaptOptions options;
    options.refinement.enabled = refined;
    const cv::Mat z = LogOddsOf(SeededAdapter(FixedSeed(kInside), options), bgr);
    ASSERT_EQ(z.size(), bgr.size());
    ASSERT_EQ(z.type(), CV_32FC1);
    EXPECT_GT(F1(MaskOf(z, global.decision.threshold), truth), 0.97);
  }
}

TEST(Adapt, TheFitFindsTheColoursThatWereDrawn) {
  const cv::Mat bgr = GreenPicture(), none(bgr.size(), CV_32FC1, cv::Scalar(0));
  const auto color_prior = ColorPriorOf(bgr, {kInside, {}, {}}, none, {});
  ASSERT_TRUE(color_prior);
  const std::vector<ColorGaussian> color_priors{*color_prior};
  const std::optional<ImageModel> model = FitToImage(bgr, color_priors, {none, none}, {});
  ASSERT_TRUE(model);
  ASSERT_EQ(model->skin.size(), 1u);
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(model->skin[0].mean(c), kSkin[c], 1.5);
    EXPECT_NEAR(model->skin[0].covariance(c, c), 36, 20);
  }
  EXPECT_FALSE(ColorPriorOf(bgr, {cv::Rect(0, 0, 1, 1), {}, {}}, none, {}));
  EXPECT_FALSE(FitToImage(bgr, {}, {none, none}, {}));
}

TEST(Adapt, AsManyGaussiansAsOptionsAllowFit) {
  const cv::Mat bgr = GreenPicture(), none(bgr.size(), CV_32FC1, cv::Scalar(0));
  AdaptOptions options;
  for (const OptionRow& row : AdaptTable().rows())
    if (row.member == "skin.max_components" || row.member == "fit.background_components")
      row.set(row, &options, std::to_string(static_cast<int>(row.range->most)));
  const ColorGaussian prior = *ColorPriorOf(bgr, {kInside, {}, {}}, none, {});
  const std::vector<ColorGaussian> priors = SkinPriors(
      std::vector<ColorGaussian>(8, prior), static_cast<std::size_t>(options.skin.max_components));
  ASSERT_EQ(priors.size(), 16u);
  EXPECT_TRUE(FitToImage(bgr, priors, {none, none, 0, prior}, options));
}

TEST(Adapt, SeedsOutsideTheImageAreErrors) {
  const Adapter adapter = SeededAdapter(FixedSeed(cv::Rect(300, 0, 40, 40)));
  EXPECT_ERROR(LogOddsOf(adapter, GreenPicture()),
               "`seed_rect` 300,0,40,40: is not within the image (of 320x200");
}

TEST(Adapt, SeedsOfFewPixelsOfTheSmallImageAreErrors) {
  const Adapter adapter = SeededAdapter(FixedSeed(cv::Rect(40, 40, 20, 9)));
  const cv::Mat bgr(2000, 3200, CV_8UC3, cv::Scalar(150, 180, 240));
  EXPECT_ERROR(LogOddsOf(adapter, bgr),
               "`seed_rect` 40,40,20,9: covers 2 pixels of the image at 246x154, where");
}

// Nothing would be left to learn from what is not skin, and the seed would be passed over.
TEST(Adapt, SeedsOfAllColoursOfTheImageAreErrors) {
  AdaptOptions options;
  for (const bool enabled : {false, true}) {  // false: as it is for the user's own seeds
    options.image.enabled = enabled;
    const Adapter adapter = SeededAdapter(FixedSeed(cv::Rect(40, 40, 100, 100)), options);
    EXPECT_ERROR(LogOddsOf(adapter, cv::Mat(200, 320, CV_8UC3, cv::Scalar(150, 180, 240))),
                 "the seed: has nearly all colours of the image");
  }
}

TEST(Adapt, EmptyAndTinyImagesHaveNoSeeds) {
  const Adapter adapter = SeededAdapter(HogFaceFinder());
  for (const cv::Size size : {cv::Size(1, 1), cv::Size(300, 1), cv::Size(19, 40)}) {
    const cv::Mat image(size, CV_8UC3, cv::Scalar(150, 180, 240));
    const std::optional<Adaptation> adaptation = adapter.Adapt(image);
    ASSERT_TRUE(adaptation);
    EXPECT_EQ(adaptation->summary.by, AdaptationSummary::By::kNothing);
    EXPECT_EQ(LogOddsOf(adapter, image).size(), size);
  }
}

// A colour on the way from grey to skin that the model gives so many log-odds less than its
// threshold's.
cv::Scalar ColourBelow(const Model& model, double below) {
  const Posterior posterior(model);
  const cv::Vec3d grey(120, 120, 115), skin(90, 120, 200);
  for (double t = 1; t > 0; t -= 0.01) {
    const cv::Vec3b colour = (1 - t) * grey + t * skin;
    float z = 0;
    posterior.LogOddsRow(colour.val, 1, &z);
    if (z < Logit(model.decision.threshold) - below) return cv::Scalar(cv::Vec3d(colour));
  }
  return {};
}

// A hand before blue-grey, all of it below the model's threshold.
TEST(Adapt, AnImageWithoutAFaceIsDividedWhereItsColoursDivide) {
  const Model model = DefaultModel();
  cv::Mat truth(200, 320, CV_8UC1, cv::Scalar(0)),
      bgr(200, 320, CV_8UC3, cv::Scalar(150, 125, 100));
  cv::circle(truth, {130, 80}, 60, 255, cv::FILLED);
  bgr.setTo(ColourBelow(model, 1), truth);
  testing::Random random(3);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < 3 * bgr.cols; ++x)
      bgr.ptr(y)[x] = static_cast<std::uint8_t>(bgr.ptr(y)[x] + 2 * random.Normal());
  EXPECT_LT(F1(DetectMask(Posterior(model), bgr), truth), 0.3);
  const Adapter adapter = SeededAdapter(HogFaceFinder());
  const std::optional<Adaptation> adaptation = adapter.Adapt(bgr);
  ASSERT_TRUE(adaptation);
  EXPECT_EQ(adaptation->summary.by, AdaptationSummary::By::kImage);
  EXPECT_LT(adaptation->summary.shift, 0);
  EXPECT_GT(F1(MaskOf(adapter.LogOdds(bgr, *adaptation), model.decision.threshold), truth), 0.95);
  AdaptOptions off;
  off.image.enabled = false;
  EXPECT_TRUE(LogOddsOf(SeededAdapter(HogFaceFinder(), off), bgr).empty());
}

}  // namespace
}  // namespace skinmask
