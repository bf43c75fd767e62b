#include "skinmask/model/posterior.h"

#include <gtest/gtest.h>

#include <cmath>

#include "skinmask/base/logistic.h"
#include "skinmask/model/reference.h"
#include "support/colors.h"

namespace skinmask {
namespace {

using testing::ForEveryColor;
using testing::kColorsPerRow;
using testing::Trained;

// All answers for every colour against the reference, as near as the form promises (and the
// reference's own rounding in double).
void ExpectReferenceForEveryColor(const Model& model, const char* form) {
  const Posterior posterior(model);
  EXPECT_STREQ(posterior.form(), form);
  const Reference reference(model);
  const double threshold = Logit(model.decision.threshold);
  const double bound = posterior.ErrorBound() + 1e-9;
  EXPECT_LT(bound, 1e-3);
  std::vector<std::uint8_t> mask(kColorsPerRow), probability(kColorsPerRow);
  std::vector<double> exact(kColorsPerRow);
  std::vector<float> z(kColorsPerRow), p(kColorsPerRow);
  std::size_t disputed = 0;
  ForEveryColor([&](const std::uint8_t* bgr) {
    reference.LogOddsRow(bgr, kColorsPerRow, exact.data());
    posterior.MaskRow(bgr, kColorsPerRow, mask.data());
    posterior.ProbabilityRow(bgr, kColorsPerRow, probability.data());
    posterior.ProbabilityRow(bgr, kColorsPerRow, p.data());
    posterior.LogOddsRow(bgr, kColorsPerRow, z.data());
    for (std::size_t i = 0; i < kColorsPerRow; ++i) {
      if (std::abs(exact[i] - threshold) > bound) {
        ASSERT_EQ(mask[i], exact[i] > threshold ? 255 : 0) << exact[i];
      } else {
        ++disputed;
      }
      // P has slope 1/4 at most; float P is off by a few roundings more.
      const double share = Logistic(exact[i]);
      ASSERT_NEAR(p[i], share, bound / 4 + 1e-6);
      ASSERT_NEAR(probability[i], 255 * share, 0.5 + 255 * (bound / 4 + 1e-6));
      ASSERT_NEAR(z[i], exact[i], 1e-6 * (1 + std::abs(exact[i])));
    }
  });
  EXPECT_LT(disputed, 1000u);
}

TEST(Posterior, QuadraticIsTheReferenceForEveryColor) {
  ExpectReferenceForEveryColor(Trained(Kind::kQda, "YCrCb"), "quadratic");
}
TEST(Posterior, LinearIsTheReferenceForEveryColor) {
  ExpectReferenceForEveryColor(Trained(Kind::kLda, "opponent", 2, {"O1", "O2"}), "quadratic");
}
TEST(Posterior, TableIsTheReferenceForEveryColor) {
  ExpectReferenceForEveryColor(Trained(Kind::kGaussianNb, "HSV"), "table");
}
TEST(Posterior, ThreeClassesAreTheReferenceForEveryColor) {
  ExpectReferenceForEveryColor(Trained(Kind::kQda, "BGR", 3), "mixture");
}

TEST(Posterior, LogisticIsTheReferenceForEveryColor) {
  ExpectReferenceForEveryColor(testing::TrainedOfKind(Kind::kLogistic, "YCrCb"), "quadratic");
}
TEST(Posterior, MixturesAreTheReferenceForEveryColor) {
  ExpectReferenceForEveryColor(testing::TrainedOfKind(Kind::kMixture), "mixture");
}
TEST(Posterior, HistogramsAreTheReferenceForEveryColor) {
  ExpectReferenceForEveryColor(testing::TrainedOfKind(Kind::kHistogram), "table");
  ExpectReferenceForEveryColor(testing::TrainedOfKind(Kind::kHistogramNb, "Lab"), "table");
}
TEST(Posterior, CalibratedModelsAreTheReferenceForEveryColor) {
  for (const Kind kind : {Kind::kQda, Kind::kMixture}) {
    Model model = testing::TrainedOfKind(kind);
    model.calibration = {0.6, -0.8, "here"};
    ExpectReferenceForEveryColor(model, kind == Kind::kQda ? "quadratic" : "table");
  }
}

TEST(Posterior, DefaultModelIsTheReferenceForEveryColor) {
  ExpectReferenceForEveryColor(DefaultModel(), "quadratic");
}

// Answers of one pixel must not depend on its place in the row, on the row's length or alignment;
// and nothing beside the row may be read (which the address sanitizer sees) or written.
void ExpectSameForEveryPlace(const Posterior& posterior) {
  constexpr std::size_t kCount = 400;
  testing::Random random(5);
  std::vector<std::uint8_t> bgr(3 * kCount);
  for (std::uint8_t& v : bgr) v = random.Byte();
  std::vector<std::uint8_t> mask(kCount), probability(kCount), index(kCount);
  std::vector<float> z(kCount), share(kCount);
  posterior.MaskRow(bgr.data(), kCount, mask.data());
  posterior.ProbabilityRow(bgr.data(), kCount, probability.data());
  posterior.ProbabilityRow(bgr.data(), kCount, share.data());
  posterior.ClassRow(bgr.data(), kCount, index.data());
  posterior.LogOddsRow(bgr.data(), kCount, z.data());
  for (std::size_t start : {0, 1, 2, 3, 7, 64}) {
    for (std::size_t length = 0; length <= 260; length += length < 140 ? 1 : 40) {
      const std::vector<std::uint8_t> in(&bgr[3 * start], &bgr[3 * start] + 3 * length);
      std::vector<std::uint8_t> m(length + 2, 77), p(length + 2, 77), c(length + 2, 77);
      std::vector<float> l(length + 2, 77), s(length + 2, 77);
      posterior.MaskRow(in.data(), length, &m[1]);
      posterior.ProbabilityRow(in.data(), length, &p[1]);
      posterior.ProbabilityRow(in.data(), length, &s[1]);
      posterior.ClassRow(in.data(), length, &c[1]);
      posterior.LogOddsRow(in.data(), length, &l[1]);
      for (std::size_t i = 0; i < length; ++i) {
        ASSERT_EQ(m[i + 1], mask[start + i]);
        ASSERT_EQ(p[i + 1], probability[start + i]);
        ASSERT_EQ(s[i + 1], share[start + i]);
        ASSERT_EQ(c[i + 1], index[start + i]);
        ASSERT_EQ(l[i + 1], z[start + i]);
      }
      for (std::size_t end : {std::size_t{0}, length + 1})
        ASSERT_TRUE(m[end] == 77 && p[end] == 77 && s[end] == 77 && c[end] == 77 && l[end] == 77);
    }
  }
}

TEST(Posterior, LengthAndAlignmentDoNotMatter) {
  for (const Model& model :
       {Trained(Kind::kQda, "BGR"), Trained(Kind::kQda, "rg"), Trained(Kind::kQda, "BGR", 3)}) {
    const Posterior posterior(model);
    for (const std::string& name : UsableTargets()) {
      SCOPED_TRACE(name);
      const testing::ForcedTarget target(name);
      ExpectSameForEveryPlace(posterior);
    }
  }
}

TEST(Posterior, FewPixelsGetTheBytesOfTheTableWithoutOne) {
  const Model model = Trained(Kind::kQda, "Lab");
  const Posterior table(model), masks(model, {.probability = false}),
      few(model, {.expected_pixels = 1 << 20});
  EXPECT_STREQ(table.form(), "table");
  EXPECT_STREQ(masks.form(), "table");
  EXPECT_STREQ(few.form(), "reference");
  testing::Random random(6);
  std::vector<std::uint8_t> bgr(3 * 5000), a(5000), b(5000), c(5000);
  for (std::uint8_t& v : bgr) v = random.Byte();
  table.MaskRow(bgr.data(), 5000, a.data());
  masks.MaskRow(bgr.data(), 5000, b.data());
  few.MaskRow(bgr.data(), 5000, c.data());
  EXPECT_TRUE(a == b && a == c);
  table.ProbabilityRow(bgr.data(), 5000, a.data());
  masks.ProbabilityRow(bgr.data(), 5000, b.data());
  few.ProbabilityRow(bgr.data(), 5000, c.data());
  EXPECT_TRUE(a == b && a == c);
}

TEST(Posterior, ThresholdsAtTheEnds) {
  for (Model model :
       {Trained(Kind::kQda, "BGR"), Trained(Kind::kQda, "BGR", 3), Trained(Kind::kQda, "rg")}) {
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
}

}  // namespace
}  // namespace skinmask
