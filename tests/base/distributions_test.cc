#include "base/distributions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace skinmask {
namespace {

// Of one degree it is Cauchy's distribution, of two and four there are closed forms too.
TEST(StudentQuantile, IsThatOfClosedForms) {
  for (const double share : {0.51, 0.75, 0.9, 0.975, 0.999, 0.99999}) {
    EXPECT_NEAR(StudentQuantile(share, 1) / std::tan(std::numbers::pi * (share - 0.5)), 1, 1e-9)
        << share;
    const double a = 4 * share * (1 - share);
    EXPECT_NEAR(StudentQuantile(share, 2), 2 * (share - 0.5) * std::sqrt(2 / a), 1e-7) << share;
    const double q = std::cos(std::acos(std::sqrt(a)) / 3) / std::sqrt(a);
    EXPECT_NEAR(StudentQuantile(share, 4), 2 * std::sqrt(std::max(q - 1, 0.)), 1e-6) << share;
  }
}

// Published tables (NIST, e-Handbook of Statistical Methods, 1.3.6.7.2).
TEST(StudentQuantile, IsThatOfTables) {
  EXPECT_NEAR(StudentQuantile(0.975, 3), 3.182, 5e-4);
  EXPECT_NEAR(StudentQuantile(0.975, 9), 2.262, 5e-4);
  EXPECT_NEAR(StudentQuantile(0.975, 10), 2.228, 5e-4);
  EXPECT_NEAR(StudentQuantile(0.975, 100), 1.984, 5e-4);
  EXPECT_NEAR(StudentQuantile(0.999, 29), 3.396, 5e-4);
  EXPECT_NEAR(StudentQuantile(0.975, 1 << 30), 1.962, 5e-4);
}

}  // namespace
}  // namespace skinmask
