#include "skinmask/model/posterior.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "skinmask/base/logistic.h"
#include "skinmask/model/quadratic.h"
#include "skinmask/model/reference.h"
#include "support/colors.h"

namespace skinmask {
namespace {

using testing::ForEveryColor;
using testing::kColorsPerRow;
using testing::Trained;

// A pixel of very many: gtest's own comparisons take as long as what is compared.
#define EACH_NEAR(value, exact, bound)                                   \
  do {                                                                   \
    if (!(std::abs((value) - (exact)) <= (bound)))                       \
      FAIL() << +(value) << " is to be " << (exact) << " ± " << (bound); \
  } while (false)

// A row's answers against the reference's log-odds, as near as the form promises (and the
// reference's own rounding in double). Counts the masks that are too near to call.
void ExpectMasks(const Posterior& posterior, double threshold, const std::uint8_t* bgr,
                 const std::vector<double>& exact, std::size_t& disputed) {
  std::vector<std::uint8_t> mask(exact.size());
  posterior.MaskRow(bgr, exact.size(), mask.data());
  const double bound = posterior.ErrorBound() + 1e-9;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (std::abs(exact[i] - threshold) > bound) {
      EACH_NEAR(mask[i], exact[i] > threshold ? 255 : 0, 0);
    } else {
      ++disputed;
    }
  }
}

// Which log-odds may have each byte. P grows with them, so that two bounds of each byte hold it to
// the reference, without the exponential of every colour.
class LogOddsOfBytes {
 public:
  explicit LogOddsOfBytes(const Posterior& posterior) {
    // P has slope 1/4 at most.
    const double bound = 0.5 + 255 * (posterior.ErrorBound() / 4 + 1e-6);
    for (int byte = 0; byte < 256; ++byte) {
      const double low = (byte - bound) / 255, high = (byte + bound) / 255;
      const auto b = static_cast<std::size_t>(byte);
      least_[b] = low > 0 ? Logit(low) : -INFINITY;
      most_[b] = high < 1 ? Logit(high) : INFINITY;
    }
  }
  bool MayHave(double log_odds, std::uint8_t byte) const {
    return least_[byte] <= log_odds && log_odds <= most_[byte];
  }

 private:
  std::array<double, 256> least_, most_;
};

void ExpectProbabilityBytes(const Posterior& posterior, const LogOddsOfBytes& log_odds_of_bytes,
                            const std::uint8_t* bgr, const std::vector<double>& exact) {
  std::vector<std::uint8_t> probability(exact.size());
  posterior.ProbabilityRow(bgr, exact.size(), probability.data());
  for (std::size_t i = 0; i < exact.size(); ++i)
    if (!log_odds_of_bytes.MayHave(exact[i], probability[i]))
      FAIL() << +probability[i] << " is to be " << 255 * Logistic(exact[i]);
}

// Of pixels first .. first + count - 1, whose log-odds are exact[first] and so on.
void ExpectProbabilities(const Posterior& posterior, const std::uint8_t* bgr,
                         const std::vector<double>& exact, std::size_t first, std::size_t count) {
  std::vector<float> p(count);
  posterior.ProbabilityRow(bgr + 3 * first, count, p.data());
  // Off by a few roundings more.
  const double bound = posterior.ErrorBound() / 4 + 1e-6;
  for (std::size_t i = 0; i < count; ++i) EACH_NEAR(p[i], Logistic(exact[first + i]), bound);
}

void ExpectLogOdds(const Posterior& posterior, const std::uint8_t* bgr,
                   const std::vector<double>& exact, std::size_t first, std::size_t count) {
  std::vector<float> z(count);
  posterior.LogOddsRow(bgr + 3 * first, count, z.data());
  for (std::size_t i = 0; i < count; ++i)
    EACH_NEAR(z[i], exact[first + i], 1e-6 * (1 + std::abs(exact[first + i])));
}

// As `every` of ForEveryColor: each form is held to all colours for one model, and for further
// ones, whose answers come by the same way, to 3.4 million.
constexpr std::size_t kFew = 5;

void ExpectReferenceForEveryColor(const Model& model, const std::string& form,
                                  std::size_t every = 1, const PosteriorOptions& options = {}) {
  const Posterior posterior(model, options);
  EXPECT_EQ(posterior.form(), form);
  EXPECT_LT(posterior.ErrorBound(), 1e-3);
  const Reference reference(model);
  const double threshold = Logit(model.decision.threshold);
  const LogOddsOfBytes log_odds_of_bytes(posterior);
  std::vector<double> exact(kColorsPerRow);
  std::size_t disputed = 0, row = 0;
  // Floats that come from the reference itself are compared in a sixteenth of each row, another one
  // in every row.
  constexpr std::size_t kPart = kColorsPerRow / 16;
  const auto compare = [&](const std::uint8_t* bgr) {
    const std::size_t first = row++ * kPart % kColorsPerRow;
    reference.LogOddsRow(bgr, kColorsPerRow, exact.data());
    ExpectMasks(posterior, threshold, bgr, exact, disputed);
    ExpectProbabilityBytes(posterior, log_odds_of_bytes, bgr, exact);
    if (form == "table" || form == "reference")
      ExpectProbabilities(posterior, bgr, exact, first, kPart);
    else
      ExpectProbabilities(posterior, bgr, exact, 0, kColorsPerRow);
    if (form == "quadratic")
      ExpectLogOdds(posterior, bgr, exact, 0, kColorsPerRow);
    else
      ExpectLogOdds(posterior, bgr, exact, first, kPart);
  };
  ForEveryColor(compare, every);
  EXPECT_LT(disputed, 1000u);
}

// What has no fast form is a table, of which two are tried above and below: it is filled by the
// reference, whatever the model. For further models it counts that no fast form is taken, which
// shows without a table, too.
void ExpectNoFastForm(const Model& model) {
  constexpr std::size_t kFewer = 15;
  ExpectReferenceForEveryColor(model, "reference", kFewer, {.expected_pixels = 0});
}

TEST(Posterior, QuadraticIsTheReference) {
  ExpectReferenceForEveryColor(Trained(Kind::kQda, "YCrCb"), "quadratic", kFew);
}
TEST(Posterior, LinearIsTheReference) {
  ExpectReferenceForEveryColor(Trained(Kind::kLda, "opponent", 2, {"O1", "O2"}), "quadratic", kFew);
}
TEST(Posterior, TableIsTheReferenceForEveryColor) {
  ExpectReferenceForEveryColor(Trained(Kind::kGaussianNb, "HSV"), "table");
}
TEST(Posterior, ThreeClassesAreTheReferenceForEveryColor) {
  ExpectReferenceForEveryColor(Trained(Kind::kQda, "BGR", 3), "mixture");
}

TEST(Posterior, LogisticIsTheReference) {
  ExpectReferenceForEveryColor(testing::TrainedOfKind(Kind::kLogistic, "YCrCb"), "quadratic", kFew);
}
TEST(Posterior, MixturesAreTheReference) {
  ExpectReferenceForEveryColor(testing::TrainedOfKind(Kind::kMixture), "mixture", kFew);
}
TEST(Posterior, HistogramsAreTheReference) {
  ExpectReferenceForEveryColor(testing::TrainedOfKind(Kind::kHistogram), "table", kFew);
}
TEST(Posterior, NaiveHistogramsAreTheReference) {
  ExpectNoFastForm(testing::TrainedOfKind(Kind::kHistogramNb, "Lab"));
}

TEST(Posterior, CalibratedQuadraticIsTheReference) {
  Model model = testing::TrainedOfKind(Kind::kQda);
  model.calibration = {0.6, -0.8, "here"};
  ExpectReferenceForEveryColor(model, "quadratic", kFew);
}
TEST(Posterior, CalibratedMixtureIsTheReference) {
  FitOptions options;
  options.kind = Kind::kMixture;
  options.mixture.of_class = {{"skin", 2}, {"non-skin", 1}};
  Model model = Fit(testing::DrawSamples(2), options);
  model.calibration = {0.6, -0.8, "here"};
  ExpectNoFastForm(model);
}

// A background of almost one colour has coefficients that are too large for float.
TEST(Posterior, PlainBackgroundsAreTheReference) {
  for (const std::size_t classes : {2, 3}) {
    Model model = Trained(Kind::kQda, "BGR", classes);
    model.classes[1].mean.setZero();
    model.classes[1].covariance *= 1e-9;
    EXPECT_FALSE(Quadratic::CanFold(model));
    ExpectNoFastForm(model);
  }
}

TEST(Posterior, DefaultModelIsTheReferenceForEveryColor) {
  ExpectReferenceForEveryColor(DefaultModel(), "quadratic");
}

// Of the models without a fast form one whose table is quickly filled.
Model QuickTable() { return testing::TrainedOfKind(Kind::kHistogram); }

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
       {Trained(Kind::kQda, "BGR"), QuickTable(), Trained(Kind::kQda, "BGR", 3)}) {
    const Posterior posterior(model);
    for (const std::string& name : UsableTargets()) {
      SCOPED_TRACE(name);
      const testing::ForcedTarget target(name);
      ExpectSameForEveryPlace(posterior);
    }
  }
}

TEST(Posterior, FewPixelsGetTheBytesOfTheTableWithoutOne) {
  const Model model = QuickTable();
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

// A table of them would take minutes.
TEST(Posterior, OfManyDensitiesKeepsTheAnswersToColorsThatCame) {
  constexpr std::size_t kPixels = 1000;
  for (const Model& model : {testing::WithClasses(Trained(Kind::kQda, "BGR"), 255),
                             testing::WithClasses(Trained(Kind::kQda, "HSV"), 9)}) {
    const Posterior posterior(model);
    EXPECT_STREQ(posterior.form(), "memo");
    const Reference reference(model);
    testing::Random random(7);
    std::vector<std::uint8_t> bgr(3 * kPixels), mask(kPixels), probability(kPixels);
    for (std::uint8_t& v : bgr) v = random.Byte();
    std::vector<double> z(kPixels);
    reference.LogOddsRow(bgr.data(), kPixels, z.data());
    for (int times = 0; times < 2; ++times) {
      posterior.MaskRow(bgr.data(), kPixels, mask.data());
      posterior.ProbabilityRow(bgr.data(), kPixels, probability.data());
      for (std::size_t i = 0; i < kPixels; ++i) {
        ASSERT_EQ(mask[i], z[i] > Logit(model.decision.threshold) ? 255 : 0);
        ASSERT_EQ(probability[i], std::lround(255 * Logistic(z[i])));
      }
    }
  }
}

// Two classes of one distribution: log-odds are 0 wherever one looks.
TEST(Posterior, WhatIsAtTheThresholdIsNotAboveIt) {
  for (const Kind kind : {Kind::kQda, Kind::kMixture, Kind::kHistogram}) {
    Model model = testing::TrainedOfKind(kind);
    const std::string name = model.classes[1].name;
    model.classes[0].prior = 0.5;
    model.classes[1] = model.classes[0];
    model.classes[1].name = name;
    model.decision.threshold = 0.5;
    std::vector<std::uint8_t> bgr(300), mask(100);
    testing::Random random(9);
    for (std::uint8_t& v : bgr) v = random.Byte();
    for (const std::uint64_t pixels : {1, 1 << 24}) {
      const Posterior posterior(model, {.expected_pixels = pixels, .probability = false});
      posterior.MaskRow(bgr.data(), 100, mask.data());
      EXPECT_EQ(std::count(mask.begin(), mask.end(), 0), 100) << KindName(kind);
    }
  }
}

TEST(Posterior, ThresholdsAtTheEnds) {
  for (Model model : {Trained(Kind::kQda, "BGR"), Trained(Kind::kQda, "BGR", 3), QuickTable()}) {
    std::vector<std::uint8_t> bgr(300), mask(100);
    testing::Random random(8);
    for (std::uint8_t& v : bgr) v = random.Byte();
    model.decision.threshold = 0;
    Posterior(model, {.probability = false}).MaskRow(bgr.data(), 100, mask.data());
    EXPECT_EQ(std::count(mask.begin(), mask.end(), 255), 100);
    model.decision.threshold = 1;
    Posterior(model, {.probability = false}).MaskRow(bgr.data(), 100, mask.data());
    EXPECT_EQ(std::count(mask.begin(), mask.end(), 0), 100);
  }
}

}  // namespace
}  // namespace skinmask
