// Polynomials of the features against the reference, which has none.
#include "skinmask/model/feature_polynomial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "skinmask/base/logistic.h"
#include "skinmask/model/reference.h"
#include "support/colors.h"

namespace skinmask {
namespace {

FeatureVector FeaturesOf(const Model& model, const std::uint8_t* bgr) {
  std::int32_t carrier[3];
  CarrierRow(model.features.space(), bgr, 1, carrier);
  return model.features.Matrix() * Eigen::Vector3d(carrier[0], carrier[1], carrier[2]) +
         model.features.Offset();
}

TEST(FeaturePolynomial, IsTheReference) {
  testing::Random random(6);
  for (const Kind kind : {Kind::kQda, Kind::kLda, Kind::kGaussianNb, Kind::kLogistic})
    for (const char* const space : {"BGR", "YCrCb", "Lab"}) {
      Model model = testing::TrainedOfKind(kind, space);
      model.calibration = {0.7, -0.3, "test"};
      const Reference reference(model);
      const FeaturePolynomial z = LogOddsOf(model).value();
      for (int i = 0; i < 100; ++i) {
        const std::uint8_t bgr[3] = {random.Byte(), random.Byte(), random.Byte()};
        const double expected = reference.LogOdds(bgr[0], bgr[1], bgr[2]);
        EXPECT_NEAR(z(FeaturesOf(model, bgr)), expected, 1e-9 * (1 + std::abs(expected)))
            << KindName(kind) << " " << space;
      }
      EXPECT_EQ(z.product.isZero(0), kind == Kind::kLda);
    }
}

TEST(FeaturePolynomial, DiscriminantsDifferAsTheReferencesDo) {
  testing::Random random(7);
  for (const Kind kind : {Kind::kQda, Kind::kLda, Kind::kGaussianNb}) {
    const Model model = testing::Trained(kind, "YCrCb", 3);
    const Reference reference(model);
    for (int i = 0; i < 100; ++i) {
      const std::uint8_t bgr[3] = {random.Byte(), random.Byte(), random.Byte()};
      const FeatureVector f = FeaturesOf(model, bgr);
      std::int32_t carrier[3];
      CarrierRow(model.features.space(), bgr, 1, carrier);
      double a[3];
      reference.Discriminants(carrier, a);
      for (std::size_t k = 1; k < 3; ++k)
        EXPECT_NEAR((*DiscriminantOf(model, k))(f) - (*DiscriminantOf(model, 0))(f), a[k] - a[0],
                    1e-9 * (1 + std::abs(a[k] - a[0])));
    }
  }
  EXPECT_FALSE(DiscriminantOf(testing::TrainedOfKind(Kind::kMixture), 0));
  EXPECT_FALSE(DiscriminantOf(testing::TrainedOfKind(Kind::kHistogram), 0));
  EXPECT_FALSE(LogOddsOf(testing::TrainedOfKind(Kind::kMixture)));
  EXPECT_FALSE(LogOddsOf(testing::Trained(Kind::kQda, "BGR", 3)));
}

// Of one channel the mask changes where the polynomial is the threshold's log-odds.
TEST(FeaturePolynomial, OfOneChannelHasTheBoundary) {
  for (const Kind kind : {Kind::kQda, Kind::kLda, Kind::kLogistic}) {
    const Model model = testing::TrainedOfKind(kind, "BGR", {"R"});
    const double threshold = Logit(model.decision.threshold);
    const FeaturePolynomial z = LogOddsOf(model).value();
    const std::vector<double> at = WhereItIs(z, threshold);
    const Reference reference(model);
    for (int r = 0; r < 255; ++r) {
      const auto above = [&](int red) {
        return reference.LogOdds(0, 0, static_cast<std::uint8_t>(red)) > threshold;
      };
      const bool crosses = std::ranges::any_of(at, [&](double x) { return r < x && x < r + 1; });
      EXPECT_EQ(above(r) != above(r + 1), crosses) << KindName(kind) << " " << r;
    }
    for (const double x : at) EXPECT_NEAR(z(FeatureVector::Constant(1, x)), threshold, 1e-9);
  }
  const FeaturePolynomial parabola{1, FeatureVector::Zero(1), FeatureMatrix::Identity(1, 1)};
  EXPECT_TRUE(WhereItIs(parabola, 0).empty());
  EXPECT_EQ(WhereItIs(parabola, 5), (std::vector<double>{-2, 2}));
  EXPECT_EQ(WhereItIs(parabola, 1), (std::vector<double>{0}));
}

}  // namespace
}  // namespace skinmask
