#include "skinmask/model/outliers.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "skinmask/base/error.h"
#include "support/colors.h"
#include "support/files.h"

namespace skinmask {
namespace {

// Published quantiles (NIST/SEMATECH e-Handbook, 1.3.6.7.4).
TEST(ChiSquared, QuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(ChiSquaredQuantile(0.95, 1), 3.841, 5e-4);
  EXPECT_NEAR(ChiSquaredQuantile(0.95, 2), 5.991, 5e-4);
  EXPECT_NEAR(ChiSquaredQuantile(0.95, 3), 7.815, 5e-4);
  EXPECT_NEAR(ChiSquaredQuantile(0.999, 1), 10.828, 5e-4);
  for (const int degrees : {0, 4})
    EXPECT_ERROR(ChiSquaredQuantile(0.5, degrees), "are out of range (1, 2 or 3)");
  EXPECT_NEAR(ChiSquaredQuantile(0.999, 2), 13.816, 5e-4);
  EXPECT_NEAR(ChiSquaredQuantile(0.999, 3), 16.266, 5e-4);
  EXPECT_NEAR(ChiSquaredQuantile(0.9, 3), 6.251, 5e-4);
}

// The least squared Mahalanobis distance of a colour, by the definition.
double Nearest(const Model& model, const std::uint8_t* bgr) {
  std::int32_t carrier[3];
  CarrierRow(model.features.space(), bgr, 1, carrier);
  const Eigen::Vector3d c(carrier[0], carrier[1], carrier[2]);
  const FeatureVector f = model.features.Matrix() * c + model.features.Offset();
  double least = std::numeric_limits<double>::infinity();
  for (const ClassModel& k : model.classes)
    for (const Gaussian& g : k.gaussians()) {
      const FeatureVector d = f - g.mean;
      const Eigen::MatrixXd covariance = g.covariance;
      least = std::min(least, d.dot(covariance.inverse() * d));
    }
  return least;
}

TEST(Outliers, AreThoseBeyondTheQuantileOfEveryGaussian) {
  for (const auto& [kind, space] : {std::pair(Kind::kQda, "BGR"),
                                    {Kind::kLda, "YCrCb"},
                                    {Kind::kGaussianNb, "opponent"},
                                    {Kind::kMixture, "BGR"},
                                    {Kind::kQda, "HSV"},
                                    {Kind::kQda, "Lab"}}) {
    Model model = testing::Trained(kind, space);
    if (kind == Kind::kLda) model = testing::TrainedOfKind(kind, space, {"Cr", "Cb"});
    if (std::string(space) == "Lab") model = testing::WithClasses(std::move(model), 20);
    // Of colours as they come: their table is the same (below).
    const Outliers outliers(model, 0.99, 5000);
    const double limit = ChiSquaredQuantile(0.99, model.features.size());
    testing::Random random(4);
    for (const std::size_t count : {0u, 1u, 15u, 64u, 257u, 4099u}) {
      std::vector<std::uint8_t> bgr(3 * count), found(count);
      for (std::uint8_t& byte : bgr) byte = random.Byte();
      outliers.Row(bgr.data(), count, found.data());
      std::size_t beyond = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const double nearest = Nearest(model, &bgr[3 * i]);
        if (std::abs(nearest - limit) < 1e-3 * limit) continue;  // float's last digits
        ASSERT_EQ(found[i], nearest > limit ? 255 : 0) << KindName(kind) << space << i;
        beyond += found[i] != 0;
      }
      if (count > 1000) {
        EXPECT_TRUE(beyond > 0 && beyond < count) << KindName(kind) << space;
      }
    }
  }
}

// What a class explains holds its share of the class's own pixels.
TEST(Outliers, HistogramsExplainTheFullestBins) {
  for (const Kind kind : {Kind::kHistogram, Kind::kHistogramNb}) {
    const Model model = testing::TrainedOfKind(kind);
    const Samples samples = testing::DrawSamples();
    constexpr double kShare = 0.9;
    const Outliers outliers(model, kShare, samples.rows().size());
    std::vector<double> all(samples.classes().size()), explained = all;
    for (const SampleRow& row : samples.rows()) {
      const std::uint8_t bgr[3] = {row.b, row.g, row.r};
      std::uint8_t outlier;
      outliers.Row(bgr, 1, &outlier);
      all[row.class_index] += static_cast<double>(row.count);
      explained[row.class_index] += outlier ? 0 : static_cast<double>(row.count);
    }
    for (std::size_t k = 0; k < all.size(); ++k)
      // Channels that depend on each other hold less of the class than their product says.
      EXPECT_GE(explained[k], (kind == Kind::kHistogram ? kShare : kShare - 0.2) * all[k]) << k;
    std::uint8_t outlier = 0;
    const std::uint8_t green[3] = {0, 255, 0};
    Outliers(model, 0.999, 1).Row(green, 1, &outlier);
    EXPECT_EQ(outlier, 255) << KindName(kind);
  }
}

// Which fill no table.
TEST(Outliers, OfFewPixelsAreTheSame) {
  for (const Model& model :
       {testing::TrainedOfKind(Kind::kHistogram), testing::Trained(Kind::kQda, "HSV", 2, {"S"})}) {
    std::vector<std::uint8_t> bgr(3 * 3000), of_table(3000), of_few(3000);
    testing::Random random(6);
    for (std::uint8_t& byte : bgr) byte = random.Byte();
    Outliers(model, 0.9).Row(bgr.data(), of_table.size(), of_table.data());
    const Outliers few(model, 0.9, 3000);
    for (int round = 0; round < 2; ++round) {
      few.Row(bgr.data(), of_few.size(), of_few.data());
      EXPECT_EQ(of_few, of_table) << KindName(model.kind);
    }
  }
}

// Whose parts of the fullest bins would take minutes to find.
TEST(Outliers, RefusesChannelsOfTooManyColors) {
  FitOptions options;
  options.kind = Kind::kHistogramNb;
  options.features = Features("BGR", {});
  options.histogram = {256, 1};
  const Model model = testing::WithClasses(Fit(testing::DrawSamples(2), options), 255);
  EXPECT_THROW(Outliers(model, 0.99), Error);
}

TEST(Outliers, RefusesWhatHasNoDensity) {
  const Model logistic = testing::TrainedOfKind(Kind::kLogistic);
  EXPECT_THROW(Outliers(logistic, 0.99), Error);
  const Model model = testing::TrainedOfKind(Kind::kQda);
  for (const double share : {0., 1., -1., std::nan("")})
    EXPECT_THROW(Outliers(model, share), Error);
  EXPECT_THROW(Outliers(std::span<const Quadratic>(), 0.9), Error);
}

}  // namespace
}  // namespace skinmask
