#include "learn/expectation_rows.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "skinmask/base/logistic.h"
#include "support/colors.h"

namespace skinmask {
namespace {

constexpr std::size_t kScores = 4096;
using Row = std::array<double, kScores>;

struct Losses {
  Row squared_error, log_loss;
  Losses(const Row& z, const Row& truth) {
    LossRow(z.data(), truth.data(), kScores, squared_error.data(), log_loss.data());
  }
  bool operator==(const Losses&) const = default;
};

// Log-odds of all sizes, small ones first.
Row DrawLogOdds() {
  testing::Random random(8);
  Row z{};
  for (std::size_t i = 2; i < kScores; ++i)
    z[i] = random.Normal() * std::pow(10, 7. * static_cast<double>(i) / kScores - 1);
  return z;
}

Row DrawTruth() {
  testing::Random random(9);
  Row truth;
  for (double& t : truth) t = random.Next() % 2 ? 1 : -1;
  return truth;
}

TEST(LossRows, AreTheDefinitions) {
  const Row z = DrawLogOdds(), truth = DrawTruth();
  const Losses losses(z, truth);
  for (std::size_t i = 0; i < kScores; ++i) {
    const double error = Logistic(-z[i] * truth[i]);
    EXPECT_NEAR(losses.squared_error[i], 0x1p32 * error * error, 0.51) << z[i];
    const double loss = std::min(-LogLogistic(z[i] * truth[i]), 0x1p18);
    EXPECT_NEAR(losses.log_loss[i], 0x1p32 * loss, 0.51 + 0x1p-18 * loss) << z[i];
    EXPECT_EQ(losses.log_loss[i], std::round(losses.log_loss[i]));
  }
}

TEST(LossRows, WhatIsNoNumberIsAsWrongAsCanBe) {
  const double infinity = std::numeric_limits<double>::infinity();
  Row z{}, truth{};
  truth.fill(1);
  z[0] = std::nan("");
  z[1] = infinity;
  z[2] = -infinity;
  const Losses losses(z, truth);
  for (const std::size_t i : {0, 2}) {
    EXPECT_EQ(losses.squared_error[i], 0x1p32);
    EXPECT_EQ(losses.log_loss[i], 0x1p50);
  }
  EXPECT_EQ(losses.squared_error[1], 0);
  EXPECT_EQ(losses.log_loss[1], 0);
}

TEST(LossRows, AllTargetsGiveTheSame) {
  const Losses best(DrawLogOdds(), DrawTruth());
  for (const std::string& name : UsableTargets()) {
    const testing::ForcedTarget target(name);
    EXPECT_TRUE(Losses(DrawLogOdds(), DrawTruth()) == best) << name;
  }
}

}  // namespace
}  // namespace skinmask
