#include "skinmask/posterior.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numeric>

#include "skinmask/fit.h"
#include "support/world.h"

namespace skinmask {
namespace {

using testing::DrawSamples;

Model Trained(Covariance kind, const char* space, std::size_t classes = 2,
              std::vector<std::string> channels = {}) {
  FitOptions options;
  options.kind = kind;
  options.features = Features(space, channels);
  Model model = Fit(DrawSamples(classes), options);
  model.decision.threshold = 0.3;
  return model;
}

// The density written down from the definition: inverse and determinant, no Cholesky, no logs.
std::vector<double> BayesByDefinition(const Model& model, const Eigen::VectorXd& f) {
  std::vector<double> p;
  for (const GaussianClass& c : model.classes) {
    const Eigen::MatrixXd s = c.covariance;
    const Eigen::VectorXd d = f - c.mean;
    const double norm = std::pow(2 * M_PI, -0.5 * static_cast<double>(f.size())) / std::sqrt(s.determinant());
    p.push_back(c.prior * norm * std::exp(-0.5 * d.dot(s.inverse() * d)));
  }
  const double sum = std::accumulate(p.begin(), p.end(), 0.);
  for (double& value : p) value /= sum;
  return p;
}

TEST(Reference, IsBayesRule) {
  for (std::size_t classes : {2, 3}) {
    const Model model = Trained(Covariance::kFull, "YCrCb", classes);
    const Reference reference(model);
    for (int i = 0; i < 200; ++i) {
      // Colours near skin, where no density underflows.
      const auto b = static_cast<std::uint8_t>(80 + i % 60), g = static_cast<std::uint8_t>(110 + i % 50), r = static_cast<std::uint8_t>(150 + i % 90);
      const Eigen::VectorXd f = model.features.Matrix() * Eigen::Vector3d(b, g, r) + model.features.Offset();
      const std::vector<double> expected = BayesByDefinition(model, f);
      const std::vector<double> actual = reference.Posteriors(b, g, r);
      for (std::size_t k = 0; k < classes; ++k) ASSERT_NEAR(actual[k], expected[k], 1e-9);
      ASSERT_NEAR(Logistic(reference.LogOdds(b, g, r)), expected[0], 1e-9);
    }
  }
}

TEST(Logit, AndLogisticAreInverse) {
  for (double p : {1e-12, 0.01, 0.3, 0.5, 0.999}) EXPECT_NEAR(Logistic(Logit(p)), p, 1e-15);
  EXPECT_EQ(Logit(0), -INFINITY);
  EXPECT_EQ(Logit(1), INFINITY);
  EXPECT_EQ(Logistic(-1000), 0);
  EXPECT_EQ(Logistic(1000), 1);
}

// Mask and probability of every colour against the reference, as near as the form promises (and the
// reference's own rounding in double).
void ExpectReferenceForEveryColor(const Model& model, const char* form) {
  const Posterior posterior(model);
  EXPECT_STREQ(posterior.form(), form);
  const Reference reference(model);
  const double threshold = Logit(model.decision.threshold);
  const double bound = posterior.ErrorBound() + 1e-9;
  EXPECT_LT(bound, 1e-3);
  std::vector<std::uint8_t> bgr(3 * 256), mask(256), probability(256);
  std::vector<std::int32_t> carrier(3 * 256);
  std::vector<double> exact(256);
  std::vector<float> z(256);
  for (int gr = 0; gr < 65536; ++gr) {
    for (std::size_t b = 0; b < 256; ++b) {
      bgr[3 * b] = static_cast<std::uint8_t>(b);
      bgr[3 * b + 1] = static_cast<std::uint8_t>(gr);
      bgr[3 * b + 2] = static_cast<std::uint8_t>(gr >> 8);
    }
    CarrierRow(model.features.space(), bgr.data(), 256, carrier.data());
    reference.LogOddsRow(carrier.data(), 256, exact.data());
    posterior.MaskRow(bgr.data(), 256, mask.data());
    posterior.ProbabilityRow(bgr.data(), 256, probability.data());
    posterior.LogOddsRow(bgr.data(), 256, z.data());
    for (std::size_t b = 0; b < 256; ++b) {
      if (std::abs(exact[b] - threshold) > bound) {
        ASSERT_EQ(mask[b], exact[b] > threshold ? 255 : 0) << exact[b];
      }
      ASSERT_NEAR(probability[b], 255 * Logistic(exact[b]), 0.5 + 255 * bound / 4 + 1e-4);
      ASSERT_NEAR(z[b], exact[b], 1e-6 * (1 + std::abs(exact[b])));
    }
  }
}

TEST(Posterior, QuadraticIsTheReferenceForEveryColor) {
  ExpectReferenceForEveryColor(Trained(Covariance::kFull, "YCrCb"), "quadratic");
}
TEST(Posterior, LinearIsTheReferenceForEveryColor) {
  ExpectReferenceForEveryColor(Trained(Covariance::kPooled, "opponent", 2, {"O1", "O2"}), "quadratic");
}
TEST(Posterior, TableIsTheReferenceForEveryColor) {
  ExpectReferenceForEveryColor(Trained(Covariance::kDiagonal, "HSV"), "table");
}
TEST(Posterior, ThreeClassesAreTheReferenceForEveryColor) {
  ExpectReferenceForEveryColor(Trained(Covariance::kFull, "BGR", 3), "table");
}

TEST(Posterior, LengthAndAlignmentDoNotMatter) {
  for (const Model& model : {Trained(Covariance::kFull, "BGR"), Trained(Covariance::kFull, "rg")}) {
    const Posterior posterior(model);
    testing::Random random(5);
    std::vector<std::uint8_t> bgr(3 * 600);
    for (std::uint8_t& v : bgr) v = random.Byte();
    std::vector<std::uint8_t> mask(600), probability(600);
    std::vector<float> z(600);
    posterior.MaskRow(bgr.data(), 600, mask.data());
    posterior.ProbabilityRow(bgr.data(), 600, probability.data());
    posterior.LogOddsRow(bgr.data(), 600, z.data());
    for (std::size_t start : {0, 1, 2, 3, 7, 64}) {
      for (std::size_t length : {0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 300}) {
        // One byte more than asked for on both sides must stay as it was.
        std::vector<std::uint8_t> m(length + 2, 77), p(length + 2, 77);
        std::vector<float> l(length + 2, 77);
        posterior.MaskRow(&bgr[3 * start], length, &m[1]);
        posterior.ProbabilityRow(&bgr[3 * start], length, &p[1]);
        posterior.LogOddsRow(&bgr[3 * start], length, &l[1]);
        for (std::size_t i = 0; i < length; ++i) {
          ASSERT_EQ(m[i + 1], mask[start + i]);
          ASSERT_EQ(p[i + 1], probability[start + i]);
          ASSERT_EQ(l[i + 1], z[start + i]);
        }
        ASSERT_TRUE(m[0] == 77 && m[length + 1] == 77 && p[0] == 77 && p[length + 1] == 77);
        ASSERT_TRUE(l[0] == 77 && l[length + 1] == 77);
      }
    }
  }
}

TEST(Posterior, ThresholdsAtTheEnds) {
  Model model = Trained(Covariance::kFull, "BGR");
  std::vector<std::uint8_t> bgr(300), mask(100);
  testing::Random random(8);
  for (std::uint8_t& v : bgr) v = random.Byte();
  model.decision.threshold = 0;
  Posterior(model).MaskRow(bgr.data(), 100, mask.data());
  EXPECT_EQ(std::count(mask.begin(), mask.end(), 255), 100);
  model.decision.threshold = 1;
  Posterior(model).MaskRow(bgr.data(), 100, mask.data());
  EXPECT_EQ(std::count(mask.begin(), mask.end(), 0), 100);
}

}  // namespace
}  // namespace skinmask
