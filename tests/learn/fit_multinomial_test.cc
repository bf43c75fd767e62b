// Logistic regression of three classes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "skinmask/base/error.h"
#include "skinmask/learn/evaluation.h"
#include "skinmask/learn/fit.h"
#include "skinmask/model/feature_polynomial.h"
#include "skinmask/model/posterior.h"
#include "skinmask/model/reference.h"
#include "support/colors.h"
#include "support/files.h"

namespace skinmask {
namespace {

using testing::DrawSamples;

FitOptions Options(double ridge, LogisticOptions::Terms terms = LogisticOptions::Terms::kLinear) {
  FitOptions options;
  options.kind = Kind::kLogistic;
  options.logistic.terms = terms;
  options.logistic.ridge = ridge;
  options.logistic.tolerance = 1e-15;
  return options;
}

// Colours that occur in several classes.
Samples Overlapping() {
  return ParseSamples(
      "class,b,g,r,count,group\n"
      "skin,90,120,200,40,0\nskin,110,140,210,25,0\nskin,60,80,150,30,0\nskin,130,150,190,8,0\n"
      "skin,200,90,60,2,0\ncloth,200,90,60,35,0\ncloth,180,120,90,20,0\ncloth,90,120,200,5,0\n"
      "cloth,150,60,110,15,0\ncloth,60,70,80,9,0\nwall,130,150,190,22,0\nwall,210,215,220,31,0\n"
      "wall,160,165,150,18,0\nwall,110,140,210,4,0\nwall,150,60,110,3,0\nwall,60,70,80,12,0\n",
      "table");
}

// scikit-learn 1.2.1: LogisticRegression(multi_class='multinomial', solver='newton-cg', tol=1e-13)
// on standardised channels with sample weights; penalty 'none', and 'l2' with C = 1 / (0.05 n).
struct Known {
  double ridge, log_likelihood;
  std::map<std::string, std::array<double, 4>> linear_and_constant;
  std::array<double, 3> first_row;  // P of skin, cloth, wall
};
const Known kKnown[] = {{0,
                         -117.299344742,
                         {{"skin", {-0.005402149, -0.045286202, 0.048223762, -1.431112146}},
                          {"cloth", {0.024624534, -0.018387464, -0.018727290, 1.842991527}},
                          {"wall", {-0.019222386, 0.063673666, -0.029496471, -0.411879381}}},
                         {0.923483606, 0.014045420, 0.062470974}},
                        {0.05,
                         -142.269682921,
                         {{"skin", {-0.013877339, -0.006687224, 0.016783506, 0.109276734}},
                          {"cloth", {0.012582430, -0.011074108, -0.014165497, 1.594293405}},
                          {"wall", {0.001294909, 0.017761331, -0.002618009, -1.703570139}}},
                         {0.765708759, 0.044299407, 0.189991834}}};

TEST(Multinomial, IsThatOfScikitLearn) {
  for (const Known& known : kKnown) {
    const Model model = Fit(Overlapping(), Options(known.ridge));
    EXPECT_NEAR(model.logistic.log_likelihood, known.log_likelihood, 1e-6);
    double shift = 0;  // of all constants: scikit-learn has them sum to 0
    for (const ClassModel& c : model.classes)
      shift += (c.terms.constant + std::log(static_cast<double>(c.count))) / 3;
    for (const ClassModel& c : model.classes) {
      const std::array<double, 4>& its = known.linear_and_constant.at(c.name);
      for (Eigen::Index i = 0; i < 3; ++i)
        EXPECT_NEAR(c.terms.linear(i), its.at(static_cast<std::size_t>(i)), 2e-8) << c.name;
      EXPECT_NEAR(c.terms.constant + std::log(static_cast<double>(c.count)) - shift, its[3], 3e-6);
    }
    const std::vector<double> p = Reference(model).Posteriors(90, 120, 200);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string& name = model.classes[k].name;
      EXPECT_NEAR(p[k], known.first_row.at(name == "skin" ? 0 : name == "cloth" ? 1 : 2), 1e-7);
    }
  }
}

// The gradient by brute force, from the posteriors by definition: over all pixels (y_k - P_k) times
// each term sums to 0 for each class, without a penalty.
TEST(Multinomial, LeavesNoGradient) {
  const Samples samples = DrawSamples(3, 5);
  for (const auto terms : {LogisticOptions::Terms::kLinear, LogisticOptions::Terms::kSquares,
                           LogisticOptions::Terms::kQuadratic}) {
    const Model model = Fit(samples, Options(0, terms));
    EXPECT_TRUE(model.converged);
    const Reference reference(model);
    std::vector<std::array<double, 10>> gradient(3), size(3);
    for (const SampleRow& row : samples.rows()) {
      const std::vector<double> p = reference.Posteriors(row.b, row.g, row.r);
      const double b = row.b / 255., g = row.g / 255., r = row.r / 255.;
      const bool all = terms == LogisticOptions::Terms::kQuadratic,
                 squares = terms != LogisticOptions::Terms::kLinear;
      const std::array<double, 10> t{1.,
                                     b,
                                     g,
                                     r,
                                     squares * b * b,
                                     squares * g * g,
                                     squares * r * r,
                                     all * b * g,
                                     all * b * r,
                                     all * g * r};
      for (std::size_t k = 0; k < 3; ++k) {
        const bool truth = model.classes[k].name == samples.classes()[row.class_index];
        for (std::size_t i = 0; i < 10; ++i) {
          gradient[k][i] += static_cast<double>(row.count) * (truth - p[k]) * t[i];
          size[k][i] += static_cast<double>(row.count) * std::abs(truth - p[k]) * t[i];
        }
      }
    }
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < 10; ++i)
        EXPECT_LE(std::abs(gradient[k][i]), 1e-7 * size[k][i] + 1e-9) << k << ' ' << i;
  }
}

TEST(Multinomial, IsWhatBothSidesOfTwoClassesAre) {
  // With a class whose pixels are those of another, and the same number of them, their P are equal,
  // and the first class's are those of two classes.
  const Samples two = DrawSamples(2, 7);
  std::vector<SampleRow> rows = two.rows();
  for (SampleRow& row : rows) row.count *= 2;
  std::vector<SampleRow> three = rows;
  std::erase_if(three, [](const SampleRow& row) { return row.class_index == 1; });
  for (const SampleRow& row : two.rows())
    if (row.class_index == 1)
      for (const std::uint16_t k : {1, 2}) three.push_back({0, k, row.b, row.g, row.r, row.count});
  const std::vector<std::string> names = two.classes();
  const FitOptions options = [&] {
    FitOptions o = Options(0);
    o.positive = names[0];
    return o;
  }();
  const Reference of_two(Fit(Samples(names, rows), options));
  const Reference of_three(Fit(Samples({names[0], names[1], "twin"}, three), options));
  for (int i = 0; i < 4096; ++i) {
    const auto b = static_cast<std::uint8_t>(i * 37), g = static_cast<std::uint8_t>(i * 91),
               r = static_cast<std::uint8_t>(i * 151);
    EXPECT_NEAR(of_three.LogOdds(b, g, r), of_two.LogOdds(b, g, r), 1e-6);
  }
}

TEST(Multinomial, FastFormsFileAndPolynomialsAreTheReference) {
  for (const char* space : {"BGR", "Lab"}) {
    FitOptions options = Options(1e-3, LogisticOptions::Terms::kQuadratic);
    options.features = Features(space, {});
    Model model = Fit(DrawSamples(3), options);
    model = WithPrior(std::move(model), 0.4);
    const std::string json = ModelToJson(model);
    const Model read = ModelFromJson(json, "m");
    EXPECT_EQ(ModelToJson(read), json);
    const Reference reference(model), again(read);
    const Posterior posterior(model, {.expected_pixels = 500});  // which are too few for a table
    testing::Random random(3);
    for (int i = 0; i < 500; ++i) {
      std::array<std::uint8_t, 3> bgr;
      for (std::uint8_t& byte : bgr) byte = static_cast<std::uint8_t>(random.Uniform() * 255.999);
      const double z = reference.LogOdds(bgr[0], bgr[1], bgr[2]);
      EXPECT_EQ(again.LogOdds(bgr[0], bgr[1], bgr[2]), z);
      float fast = 0;
      posterior.LogOddsRow(bgr.data(), 1, &fast);
      EXPECT_NEAR(fast, z, 1e-3 * (1 + std::abs(z)));
      std::uint8_t found = 255, expected = 254;
      posterior.ClassRow(bgr.data(), 1, &found);
      reference.ClassRow(bgr.data(), 1, &expected);
      const std::vector<double> p = reference.Posteriors(bgr[0], bgr[1], bgr[2]);
      EXPECT_NEAR(p[found], p[expected], 1e-4);
      if (std::string(space) == "Lab") continue;
      const FeatureVector f = Eigen::Vector3d(bgr[0], bgr[1], bgr[2]);
      for (std::size_t k = 1; k < 3; ++k)
        EXPECT_NEAR((*DiscriminantOf(model, k))(f) - (*DiscriminantOf(model, 0))(f),
                    std::log(p[k] / p[0]), 1e-6 * (1 + std::abs(std::log(p[k] / p[0]))));
    }
  }
}

// One class, or all, can be told apart without error: weights have no end, but with a ridge.
TEST(Multinomial, SaysWhatHasNoEnd) {
  const Samples one_apart = ParseSamples(
      "class,b,g,r,count,group\n"
      "skin,10,20,240,9,0\nskin,14,9,250,7,0\nskin,30,25,245,5,0\nskin,12,31,238,5,0\n"
      "cloth,90,120,20,5,0\ncloth,150,60,11,15,0\ncloth,60,70,8,9,0\ncloth,200,40,30,6,0\n"
      "wall,90,120,20,7,0\nwall,150,60,11,3,0\nwall,60,70,8,12,0\nwall,200,40,30,2,0\n",
      "table");
  EXPECT_ERROR(Fit(one_apart, Options(0)), "the classes can be told apart without error");
  const Model model = Fit(one_apart, Options(1e-3));
  EXPECT_TRUE(model.converged);
  EXPECT_GT(Reference(model).LogOdds(10, 20, 240), 2);
}

// However many pixels the other classes have, whose likelihood hides that of the rare class.
TEST(Multinomial, FindsThatARareClassCanBeToldApart) {
  for (const std::uint64_t count : {1u, 100'000u}) {
    testing::Random random(3);
    std::vector<SampleRow> rows;
    const auto level = [&](double mean) {
      return static_cast<std::uint8_t>(std::clamp(mean + 25 * random.Normal(), 0., 255.));
    };
    for (int i = 0; i < 1000; ++i) {
      rows.push_back({0, 0, level(120), level(130), level(150), count});
      rows.push_back({0, 1, level(110), level(125), level(130), count});
    }
    for (int i = 0; i < 100; ++i)
      rows.push_back({0, 2, level(500), level(500), static_cast<std::uint8_t>(155 + i), 1});
    FitOptions options = Options(0);
    options.logistic.tolerance = LogisticOptions().tolerance;
    EXPECT_ERROR(Fit(Samples({"skin", "cloth", "wall"}, rows), options),
                 "the classes can be told apart without error");
  }
}

TEST(Multinomial, SaysWhatItIsNotFor) {
  FitOptions options = Options(0);
  options.logistic.solver = LogisticOptions::Solver::kGradient;
  EXPECT_ERROR(Fit(DrawSamples(3), options), "`solver`: gradient is for two classes");
}

}  // namespace
}  // namespace skinmask
