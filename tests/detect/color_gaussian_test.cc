#include "detect/adapt/color_gaussian.h"

#include <gtest/gtest.h>

#include "skinmask/data/moments.h"
#include "support/world.h"

namespace skinmask {
namespace {

// The oracle: moments of the two samples together.
TEST(ColorGaussian, BlendingPoolsMoments) {
  testing::Random random(3);
  Moments parts[2], both;
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 500; ++i) {
      const std::int32_t bgr[3] = {static_cast<std::int32_t>(100 + 60 * k + 9 * random.Normal()),
                                   static_cast<std::int32_t>(90 + 5 * random.Normal()), i % 200};
      const std::uint64_t count = k == 0 ? 3 : 1;  // a quarter of the pixels is the second's
      parts[k].Add(bgr, count);
      both.Add(bgr, count);
    }
  ColorGaussian g{0, parts[0].Mean(), parts[0].Covariance()};
  const ColorGaussian other{0, parts[1].Mean(), parts[1].Covariance()}, before = g;
  Blend(g, other, 0);
  EXPECT_EQ(g.mean, before.mean);
  EXPECT_EQ(g.covariance, before.covariance);
  Blend(g, other, 0.25);
  EXPECT_LT((g.mean - both.Mean()).norm(), 1e-9);
  EXPECT_LT((g.covariance - both.Covariance()).norm(), 1e-8);
}

}  // namespace
}  // namespace skinmask
