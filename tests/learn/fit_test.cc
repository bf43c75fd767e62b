#include "skinmask/learn/fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "skinmask/base/error.h"
#include "skinmask/model/reference.h"
#include "support/files.h"
#include "support/world.h"

namespace skinmask {
namespace {

using testing::DrawSamples;

FitOptions Options(Kind kind, const char* space = "BGR", std::vector<std::string> channels = {}) {
  FitOptions options;
  options.kind = kind;
  options.features = Features(space, channels);
  return options;
}

Model WithoutPositive() {
  return Fit(ParseSamples("class,b,g,r\nhair,1,2,3\nsky,3,2,1\n", "t"), {});
}

TEST(Fit, RecoversTheWorldThatTheSamplesCameFrom) {
  const Model model = Fit(DrawSamples(2), {});
  ASSERT_EQ(model.classes.size(), 2u);
  EXPECT_EQ(model.positive().name, "skin");
  EXPECT_DOUBLE_EQ(model.positive().prior, 0.25);
  for (std::size_t k = 0; k < 2; ++k) {
    const testing::Blob& blob = testing::SkinWorld()[k];
    for (int i = 0; i < 3; ++i) {
      const auto row = static_cast<std::size_t>(i);
      EXPECT_NEAR(model.classes[k].mean(i), blob.mean[row], 3.);
      double variance = 0;
      for (double m : blob.mixing[row]) variance += m * m;
      EXPECT_NEAR(model.classes[k].covariance(i, i) / variance, 1, 0.1);
    }
  }
}

TEST(Fit, OneChannelIsTheTextbookFormula) {
  // Five and three values whose moments are known by heart.
  const Samples samples = ParseSamples(
      "class,b,g,r,count\nskin,0,0,10,1\nskin,0,0,12,3\nskin,0,0,14,1\nnon-skin,9,0,20,2\nnon-skin,"
      "9,0,26,1\n",
      "t");
  FitOptions options = Options(Kind::kQda, "BGR", {"R"});
  Model model = Fit(samples, options);
  EXPECT_DOUBLE_EQ(model.classes[0].mean(0), 12);
  EXPECT_DOUBLE_EQ(model.classes[0].covariance(0, 0), 8. / 5);
  EXPECT_DOUBLE_EQ(model.classes[1].mean(0), 22);
  EXPECT_DOUBLE_EQ(model.classes[1].covariance(0, 0), 8);
  EXPECT_DOUBLE_EQ(model.classes[0].prior, 5. / 8);
  const double x = 17;
  const double expected = std::log(5. / 3) - 0.5 * std::log(1.6 / 8) -
                          0.5 * ((x - 12) * (x - 12) / 1.6 - (x - 22) * (x - 22) / 8);
  EXPECT_NEAR(Reference(model).LogOdds(200, 100, 17), expected, 1e-12);
  options.estimator = Estimator::kUnbiased;
  EXPECT_DOUBLE_EQ(Fit(samples, options).classes[0].covariance(0, 0), 8. / 4);
  options.kind = Kind::kLda;
  EXPECT_DOUBLE_EQ(Fit(samples, options).classes[0].covariance(0, 0), (8. + 24) / (8 - 2));
  options.estimator = Estimator::kMaximumLikelihood;
  EXPECT_DOUBLE_EQ(Fit(samples, options).classes[1].covariance(0, 0), (8. + 24) / 8);
}

TEST(Fit, NamesOfOptionsLeadBack) {
  for (const auto& [estimator, name] : kEstimatorNames) {
    EXPECT_EQ(EstimatorName(estimator), name);
    EXPECT_EQ(EstimatorFromName(name), estimator);
  }
  EXPECT_ERROR(EstimatorFromName("mel"), "covariance 'mel': is unknown (did you mean mle? there");
  EXPECT_ERROR(TermsFromName("square"), "terms 'square': is unknown (did you mean squares? there");
  FitOptions options;
  EXPECT_ERROR(FitTable().Set(options, "solver", "adam"),
               "`solver`: 'adam' is unknown (there are: newton gradient sgd)");
}

TEST(Fit, NewtonTakesNoRateAndALoopHasAnIteration) {
  FitOptions options = Options(Kind::kLogistic);
  options.logistic.step = 0.5;
  EXPECT_ERROR(Fit(DrawSamples(2), options), "`rate`: is of `solver` gradient and sgd");
  options = {};
  options.mixture.iterations = 0;
  EXPECT_ERROR(Fit(DrawSamples(2), options), "`iterations`: is less than 1");
}

TEST(Fit, QdaAndLdaDoNotChangeUnderAffineMaps) {
  const Samples samples = DrawSamples(3);
  for (Kind kind : {Kind::kQda, Kind::kLda}) {
    const Reference bgr(Fit(samples, Options(kind)));
    for (const ColorSpace& space : ColorSpaces()) {
      if (!space.affine()) continue;
      const Reference other(Fit(samples, Options(kind, space.name.data())));
      for (int i = 0; i < 300; ++i) {
        const auto b = static_cast<std::uint8_t>(i * 7), g = static_cast<std::uint8_t>(i * 11),
                   r = static_cast<std::uint8_t>(i * 3);
        const double z = bgr.LogOdds(b, g, r);
        ASSERT_NEAR(other.LogOdds(b, g, r), z, 1e-8 * (1 + std::abs(z))) << space.name;
      }
    }
  }
}

TEST(Fit, NaiveBayesIsQdaWithoutCrossTerms) {
  const Model qda = Fit(DrawSamples(2), Options(Kind::kQda));
  const Model naive = Fit(DrawSamples(2), Options(Kind::kGaussianNb));
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(naive.classes[k].covariance.diagonal(), qda.classes[k].covariance.diagonal());
    EXPECT_TRUE(naive.classes[k].covariance.isDiagonal(0));
  }
}

TEST(Fit, IsTheSameToTheLastBitForGroupsAndShards) {
  const Samples samples = DrawSamples(3);
  std::vector<SampleRow> rows = samples.rows();
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].group = static_cast<std::uint32_t>(i % 5);
  for (const char* space : {"BGR", "YCrCb", "rg", "Lab"}) {
    FitOptions options = Options(Kind::kQda, space);
    options.shrinkage.s = std::nullopt;
    EXPECT_EQ(ModelToJson(Fit(samples, options)),
              ModelToJson(Fit(Samples(samples.classes(), rows), options)));
  }
}

TEST(Fit, PriorsAreCountsOrGiven) {
  const Samples samples = DrawSamples(3);
  FitOptions options;
  EXPECT_DOUBLE_EQ(Fit(samples, options).positive().prior, 3000. / 13500);
  options.positive_prior = 0.4;
  const Model model = Fit(samples, options);
  EXPECT_DOUBLE_EQ(model.positive().prior, 0.4);
  EXPECT_NEAR(model.classes[1].prior / model.classes[2].prior, 1500. / 9000, 1e-12);
  options.positive_prior.reset();
  options.priors = {{"hair", 0.2}, {"skin", 0.5}, {"non-skin", 0.3}};
  EXPECT_DOUBLE_EQ(Fit(samples, options).classes[2].prior, 0.3);
  options.priors = {{"hair", 0.2}, {"skin", 0.5}, {"non-skin", 0.4}};
  EXPECT_ERROR(Fit(samples, options), "priors sum to 1.1");
  options.priors = {{"hair", 0.2}, {"skin", 0.8}};
  EXPECT_ERROR(Fit(samples, options), "class 'non-skin': has no prior");
  options.priors = {{"hair", 0.2}, {"skin", 0.8}, {"non-skin", 0.0}};
  EXPECT_ERROR(Fit(samples, options), "class 'non-skin': prior 0 is not between 0 and 1");
  options.priors = {{"hair", 0.2}, {"skin", 0.5}, {"non-skin", 0.3}, {"sky", 0.0}};
  EXPECT_ERROR(Fit(samples, options), "has no samples");
}

// The data of tests/fixtures/make_ledoit_wolf.py.
std::vector<SampleRow> Lattice(int n, std::uint16_t k, int b, int g, int r) {
  std::vector<SampleRow> rows;
  for (int i = 0; i < n; ++i)
    rows.push_back({0, k, static_cast<std::uint8_t>(7 * i % 64 + b),
                    static_cast<std::uint8_t>(7 * i % 64 + 3 * i % 8 + g),
                    static_cast<std::uint8_t>(5 * i % 32 + r), 1});
  return rows;
}

TEST(Fit, LedoitWolfAgreesWithScikitLearn) {
  std::vector<SampleRow> rows = Lattice(12, 0, 0, 0, 0);
  for (const SampleRow& row : Lattice(40, 1, 20, 5, 40)) rows.push_back(row);
  const Samples samples({"skin", "non-skin"}, rows);
  FitOptions options = Options(Kind::kLda);
  options.shrinkage.s = std::nullopt;
  const Model model = Fit(samples, options);
  EXPECT_NEAR(model.shrinkage[0], 0.3183170552139283, 1e-12);
  EXPECT_NEAR(model.shrinkage[1], 0.10167119235226944, 1e-12);
  const Eigen::Matrix3d expected{{370.87051282, 309.26850451, -1.16482817},
                                 {309.26850451, 368.10769231, -0.72937274},
                                 {-1.16482817, -0.72937274, 87.33205128}};
  EXPECT_TRUE(model.positive().covariance.isApprox(expected, 1e-9));
}

// The covariance of one channel is its own diagonal, to which nothing is to be moved.
TEST(Fit, OneChannelIsNotShrunk) {
  for (const int group : {1, 2, 3, 4, 5}) {
    FitOptions options = Options(Kind::kQda, "BGR", {"R"});
    options.shrinkage.s = std::nullopt;
    EXPECT_EQ(Fit(DrawSamples(2, group), options).shrinkage, (std::vector<double>{0, 0}));
  }
}

TEST(Fit, ShrinkageMovesBetweenQdaAndNaiveBayes) {
  FitOptions options = Options(Kind::kQda);
  const FeatureMatrix full = Fit(DrawSamples(2), options).positive().covariance;
  options.shrinkage.s = 0.25;
  const FeatureMatrix quarter = Fit(DrawSamples(2), options).positive().covariance;
  EXPECT_TRUE(quarter.diagonal().isApprox(full.diagonal()));
  EXPECT_NEAR(quarter(0, 1), 0.75 * full(0, 1), 1e-9);
  options.shrinkage.s = 1;
  EXPECT_TRUE(Fit(DrawSamples(2), options).positive().covariance.isDiagonal(1e-12));
  options.shrinkage.s = 1.5;
  EXPECT_ERROR(Fit(DrawSamples(2), options), "out of range");
}

TEST(Fit, DegenerateClassesAreNamedWithAdvice) {
  const char* kBackground = "non-skin,9,0,20\nnon-skin,8,7,26\nnon-skin,1,2,3\nnon-skin,200,3,99\n";
  const auto fit = [&](const std::string& rows, FitOptions options) {
    return Fit(ParseSamples("class,b,g,r\n" + rows + kBackground, "t"), options);
  };
  const std::string three = "skin,1,2,3\nskin,9,8,7\nskin,50,60,80\n";
  const std::string coplanar = three + "skin,10,10,10\nskin,20,20,20\nskin,30,30,30\n";
  EXPECT_ERROR(fit(three, Options(Kind::kQda)),
               "class 'skin': 3 samples do not span the 3 channels of BGR");
  EXPECT_ERROR(fit(three, Options(Kind::kQda)),
               "more varied samples, fewer `channels`, or `shrinkage` 0.1");
  EXPECT_NO_THROW(fit(three, Options(Kind::kLda)));
  EXPECT_NO_THROW(fit(three, Options(Kind::kGaussianNb)));
  EXPECT_NO_THROW(fit(three, Options(Kind::kQda, "BGR", {"G", "R"})));
  FitOptions shrunk = Options(Kind::kQda);
  shrunk.shrinkage.s = 0.1;
  EXPECT_NO_THROW(fit(three, shrunk));
  shrunk.shrinkage.s = std::nullopt;
  EXPECT_NO_THROW(fit(three, shrunk));
  // One channel of no variance cannot be helped by shrinkage.
  EXPECT_ERROR(fit("skin,1,2,3\nskin,9,2,7\nskin,50,2,80\nskin,4,2,7\n", shrunk), "class 'skin'");
  EXPECT_ERROR(fit("skin,1,2,3\n", Options(Kind::kGaussianNb)), "class 'skin'");
  // Samples on a plane of YCrCb's chroma: r = g = b has no chroma at all.
  EXPECT_ERROR(fit("skin,1,1,1\nskin,9,9,9\nskin,50,50,50\nskin,80,80,80\n",
                   Options(Kind::kQda, "YCrCb", {"Cr", "Cb"})),
               "class 'skin'");
  EXPECT_NO_THROW(fit(coplanar + "skin,3,77,4\n", Options(Kind::kQda)));
  // LDA fits what its classes alone would not, whatever the shrinkage.
  shrunk.kind = Kind::kLda;
  EXPECT_NO_THROW(fit("skin,1,2,3\nskin,9,2,7\nskin,50,2,80\nskin,4,2,7\n", shrunk));
}

TEST(Fit, NeedsTwoClassesAndThePositiveOne) {
  EXPECT_ERROR(Fit(DrawSamples(1), {}), "hold one class (two classes or more");
  EXPECT_ERROR(WithoutPositive(), "class 'skin': has no samples (classes are: hair sky;");
  EXPECT_ERROR(Fit(ParseSamples("1 2 3 1\n", "t"), {}), "hold one class");
  EXPECT_ERROR(Fit(Samples(), {}), "hold no pixels");
  EXPECT_ERROR(Fit(ParseSamples("class,b,g,r,count\nskin,1,2,3,0\nhair,1,2,3,4\n", "t"), {}),
               "has no samples");
  FitOptions hair;
  hair.positive = "hair";
  EXPECT_EQ(Fit(DrawSamples(3), hair).positive().name, "hair");
}

}  // namespace
}  // namespace skinmask
