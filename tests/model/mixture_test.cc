#include "skinmask/model/mixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "support/colors.h"
#include "support/files.h"

namespace skinmask {
namespace {

using testing::ForEveryColor;
using testing::kColorsPerRow;
using testing::Trained;

// Components that overlap: three of class 0, two of class 1, one of class 4.
std::vector<MixtureComponent> Overlapping() {
  const Model model = Trained(Kind::kQda, "BGR", 3);
  std::vector<MixtureComponent> components;
  for (int k : {0, 1, 2, 0, 1, 0}) {
    MixtureComponent c{Quadratic::Discriminant(model, static_cast<std::size_t>(k)), k == 2 ? 4 : k};
    const double i = static_cast<double>(components.size());
    c.log_density.constant += 0.1 * i;
    c.log_density.linear[1] += 0.01 * i;
    components.push_back(c);
  }
  return components;
}

// log(sum exp) per class, by the definition, in double.
std::array<double, 5> ClassLogs(const std::vector<MixtureComponent>& components,
                                const std::uint8_t* bgr) {
  std::array<double, 5> logs;
  logs.fill(-INFINITY);
  for (const MixtureComponent& c : components) {
    double& log = logs[static_cast<std::size_t>(c.class_index)];
    const double q = c.log_density(bgr), high = std::max(q, log), low = std::min(q, log);
    log = high + std::log1p(std::exp(low - high));
  }
  return logs;
}

TEST(Mixture, IsTheDefinitionForEveryColor) {
  const std::vector<MixtureComponent> components = Overlapping();
  const double threshold = 0.4;
  const CompiledMixture mixture(components, threshold);
  const double bound = mixture.ErrorBound() + 1e-9;
  EXPECT_LT(bound, 1e-3);
  // Of each row every seventh colour, which is prime to 256: all bytes.
  constexpr std::size_t kEach = 7, kCount = (kColorsPerRow + kEach - 1) / kEach;
  std::vector<std::uint8_t> bgr(3 * kCount), mask(kCount), byte(kCount), index(kCount);
  std::vector<float> share(kCount), z(kCount);
  ForEveryColor([&](const std::uint8_t* row) {
    for (std::size_t i = 0; i < kCount; ++i) std::copy_n(row + 3 * kEach * i, 3, &bgr[3 * i]);
    mixture.MaskRow(bgr.data(), kCount, mask.data());
    mixture.ProbabilityRow(bgr.data(), kCount, byte.data());
    mixture.ProbabilityRow(bgr.data(), kCount, share.data());
    mixture.LogOddsRow(bgr.data(), kCount, z.data());
    mixture.ClassRow(bgr.data(), kCount, index.data());
    for (std::size_t i = 0; i < kCount; ++i) {
      const std::array<double, 5> logs = ClassLogs(components, &bgr[3 * i]);
      const double other =
          std::max(logs[1], logs[4]) + std::log1p(std::exp(-std::abs(logs[1] - logs[4])));
      const double exact = logs[0] - other, p = Logistic(exact);
      if (std::abs(exact - threshold) > bound) {
        ASSERT_EQ(mask[i], exact > threshold ? 255 : 0);
      }
      ASSERT_NEAR(share[i], p, bound / 4 + 1e-6);
      ASSERT_NEAR(byte[i], 255 * p, 0.5 + 255 * (bound / 4 + 1e-6));
      ASSERT_NEAR(z[i], exact, bound + 0x1p-22 * (8 + std::abs(exact)));
      const double greatest = *std::max_element(logs.begin(), logs.end());
      ASSERT_GE(logs[index[i]], greatest - 2 * bound);
    }
  });
}

TEST(Mixture, OfTwoComponentsIsTheQuadratic) {
  const Model model = Trained(Kind::kQda, "BGR");
  const std::vector<MixtureComponent> components{{Quadratic::Discriminant(model, 1), 1},
                                                 {Quadratic::Discriminant(model, 0), 0}};
  const CompiledMixture mixture(components, -1);
  const CompiledQuadratic quadratic(Quadratic(model), -1);
  std::vector<std::uint8_t> a(kColorsPerRow), b(kColorsPerRow);
  std::size_t differ = 0;
  ForEveryColor([&](const std::uint8_t* bgr) {
    mixture.MaskRow(bgr, kColorsPerRow, a.data());
    quadratic.MaskRow(bgr, kColorsPerRow, b.data());
    for (std::size_t i = 0; i < kColorsPerRow; ++i) differ += a[i] != b[i];
  });
  EXPECT_LT(differ, 100u);
}

TEST(Mixture, RefusesWhatCannotBeMeant) {
  const Quadratic q;
  EXPECT_ERROR(CompiledMixture({}, 0), "one class only");
  EXPECT_ERROR(CompiledMixture(std::vector<MixtureComponent>{{q, 0}, {q, 0}}, 0), "one class only");
  EXPECT_ERROR(CompiledMixture(std::vector<MixtureComponent>{{q, 0}, {q, 256}}, 0),
               "class index 256");
  EXPECT_ERROR(CompiledMixture(std::vector<MixtureComponent>(65, {q, 0}), 0), "65 components");
}

}  // namespace
}  // namespace skinmask
