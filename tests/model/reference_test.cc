#include "skinmask/model/posterior.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numeric>

#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/model/outliers.h"
#include "skinmask/model/reference.h"
#include "support/colors.h"

namespace skinmask {
namespace {

using testing::Trained;

// The density written down from the definition: inverse and determinant, no Cholesky, no logs.
std::vector<double> BayesByDefinition(const Model& model, const Eigen::VectorXd& f) {
  std::vector<double> p;
  for (const ClassModel& c : model.classes) {
    const Eigen::MatrixXd s = c.covariance;
    const Eigen::VectorXd d = f - c.mean;
    const double norm =
        std::pow(2 * M_PI, -0.5 * static_cast<double>(f.size())) / std::sqrt(s.determinant());
    p.push_back(c.prior * norm * std::exp(-0.5 * d.dot(s.inverse() * d)));
  }
  const double sum = std::accumulate(p.begin(), p.end(), 0.);
  for (double& value : p) value /= sum;
  return p;
}

TEST(Reference, IsBayesRule) {
  for (std::size_t classes : {2, 3}) {
    const Model model = Trained(Kind::kQda, "YCrCb", classes);
    const Reference reference(model);
    for (int i = 0; i < 200; ++i) {
      // Colours near skin, where no density underflows.
      const auto b = static_cast<std::uint8_t>(80 + i % 60),
                 g = static_cast<std::uint8_t>(110 + i % 50),
                 r = static_cast<std::uint8_t>(150 + i % 90);
      const Eigen::VectorXd f =
          model.features.Matrix() * Eigen::Vector3d(b, g, r) + model.features.Offset();
      const std::vector<double> expected = BayesByDefinition(model, f);
      const std::vector<double> actual = reference.Posteriors(b, g, r);
      for (std::size_t k = 0; k < classes; ++k) ASSERT_NEAR(actual[k], expected[k], 1e-9);
      ASSERT_NEAR(Logistic(reference.LogOdds(b, g, r)), expected[0], 1e-9);
    }
  }
}

TEST(Reference, AModelWithoutClassesIsAnError) {
  for (const Kind kind : {Kind::kQda, Kind::kLogistic, Kind::kHistogram}) {
    Model none;
    none.kind = kind;
    EXPECT_THROW(Reference{none}, Error);
    EXPECT_THROW(Posterior{none}, Error);
    EXPECT_THROW(Outliers(none, 0.99), Error);
  }
}

TEST(Logit, AndLogisticAreInverse) {
  for (double p : {1e-12, 0.01, 0.3, 0.5, 0.999}) EXPECT_NEAR(Logistic(Logit(p)), p, 1e-15);
  EXPECT_EQ(Logit(0), -INFINITY);
  EXPECT_EQ(Logit(1), INFINITY);
  EXPECT_EQ(Logistic(-1000), 0);
  EXPECT_EQ(Logistic(1000), 1);
}

TEST(Reference, RowsAreThePixelsOneByOne) {
  const Model model = Trained(Kind::kQda, "HSV", 3);
  const Reference reference(model);
  testing::Random random(3);
  std::vector<std::uint8_t> bgr(3 * 600), index(600);
  for (std::uint8_t& v : bgr) v = random.Byte();
  std::vector<double> z(600);
  reference.LogOddsRow(bgr.data(), 600, z.data());
  reference.ClassRow(bgr.data(), 600, index.data());
  for (std::size_t i = 0; i < 600; ++i) {
    ASSERT_EQ(z[i], reference.LogOdds(bgr[3 * i], bgr[3 * i + 1], bgr[3 * i + 2]));
    const auto p = reference.Posteriors(bgr[3 * i], bgr[3 * i + 1], bgr[3 * i + 2]);
    ASSERT_EQ(index[i], std::max_element(p.begin(), p.end()) - p.begin());
  }
}

TEST(Reference, ClassesCostLeast) {
  testing::Random random(5);
  Model model = Trained(Kind::kQda, "YCrCb", 3);
  model.class_costs = {0, 1, 7, 4, 0, 2, 1, 9, 0};
  const Reference reference(model);
  const Posterior posterior(model);
  int moved = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::uint8_t bgr[3] = {random.Byte(), random.Byte(), random.Byte()};
    const auto p = reference.Posteriors(bgr[0], bgr[1], bgr[2]);
    std::array<double, 3> cost{};
    for (std::size_t truth = 0; truth < 3; ++truth)
      for (std::size_t called = 0; called < 3; ++called)
        cost[called] += p[truth] * model.class_costs[3 * truth + called];
    std::uint8_t called, of_posterior;
    reference.ClassRow(bgr, 1, &called);
    posterior.ClassRow(bgr, 1, &of_posterior);
    EXPECT_EQ(called, of_posterior);
    EXPECT_LE(cost[called], *std::ranges::min_element(cost) * (1 + 1e-12));
    moved += called != std::ranges::max_element(p) - p.begin();
  }
  EXPECT_GT(moved, 20);
}

TEST(Reference, EqualCostsAreNone) {
  Model model = Trained(Kind::kQda, "BGR", 3);
  const Posterior without(model);
  const Reference by_costs(WithClassCosts(model, {0, 2, 2, 2, 0, 2, 2, 2, 0}));
  testing::Random random(6);
  for (int i = 0; i < 2000; ++i) {
    const std::uint8_t bgr[3] = {random.Byte(), random.Byte(), random.Byte()};
    std::uint8_t called, expected;
    by_costs.ClassRow(bgr, 1, &called);
    without.ClassRow(bgr, 1, &expected);
    ASSERT_EQ(called, expected);
  }
}

// Of two classes the threshold that costs say (Bayes): called skin where P > fp / (fp + fn).
TEST(Reference, CostsOfTwoClassesAreAThreshold) {
  Model model = Trained(Kind::kLda, "BGR", 2);
  model.decision.threshold = 1. / 6;
  const Posterior mask_of(model);
  const Reference by_costs(WithClassCosts(model, {0, 5, 1, 0}));
  testing::Random random(7);
  for (int i = 0; i < 2000; ++i) {
    const std::uint8_t bgr[3] = {random.Byte(), random.Byte(), random.Byte()};
    std::uint8_t called, mask;
    by_costs.ClassRow(bgr, 1, &called);
    mask_of.MaskRow(bgr, 1, &mask);
    ASSERT_EQ(called == 0, mask == 255);
  }
}

}  // namespace
}  // namespace skinmask
