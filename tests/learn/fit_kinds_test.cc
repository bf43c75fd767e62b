// The kinds of models against scikit-learn, textbook formulas, and what they must be to each other.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/evaluation.h"
#include "skinmask/model/reference.h"
#include "support/colors.h"
#include "support/files.h"

namespace skinmask {
namespace {

using testing::AllKinds;
using testing::DrawSamples;
using testing::TrainedOfKind;

// U and V of YUV, and I of YIQ, are the same for all greys, but for rounding; they are the edge
// between two bins.
TEST(Histograms, AllGreysAreInOneBinOfColour) {
  SampleCounter counter;
  const std::uint16_t skin = counter.ClassIndex("skin"), other = counter.ClassIndex("non-skin");
  for (int v = 0; v < 256; ++v) {
    const auto grey = static_cast<std::uint8_t>(v);
    counter.Add(SampleRow{0, other, grey, grey, grey, 100});
    counter.Add(SampleRow{0, skin, grey, grey, 255, 1});
  }
  const Samples samples = std::move(counter).Finish();
  for (const auto& [space, channel] : {std::pair("YUV", "U"), {"YUV", "V"}, {"YIQ", "I"}})
    for (const int bins : {2, 32}) {
      FitOptions options;
      options.kind = Kind::kHistogramNb;
      options.histogram.bins = bins;
      options.features = Features(space, std::array{std::string(channel)});
      const Reference reference(Fit(samples, options));
      for (int v = 1; v < 256; ++v) {
        const auto grey = static_cast<std::uint8_t>(v);
        ASSERT_EQ(reference.LogOdds(grey, grey, grey), reference.LogOdds(0, 0, 0))
            << space << ' ' << channel << ' ' << v;
      }
    }
}

// tests/fixtures/sklearn.json, which make_sklearn.py there wrote.
struct Fixture {
  nlohmann::json json =
      nlohmann::json::parse(ReadFile(SKINMASK_SOURCE "/tests/fixtures/sklearn.json"));

  Samples Table() const {
    SampleCounter counter;
    const std::uint16_t skin = counter.ClassIndex("skin"), other = counter.ClassIndex("non-skin");
    for (std::size_t i = 0; i < json["pixels"].size(); ++i) {
      const auto p = json["pixels"][i].get<std::array<std::uint8_t, 3>>();
      counter.Add(SampleRow{0, json["skin"][i] == 1 ? skin : other, p[0], p[1], p[2], 1});
    }
    return std::move(counter).Finish();
  }

  void Expect(const char* name, const FitOptions& options) const {
    const Reference reference(Fit(Table(), options));
    for (std::size_t i = 0; i < json["asked"].size(); ++i) {
      const auto p = json["asked"][i].get<std::array<std::uint8_t, 3>>();
      EXPECT_NEAR(reference.Posteriors(p[0], p[1], p[2])[0],
                  json["probability"][name][i].get<double>(), 1e-9)
          << name << " of pixel " << i;
    }
  }
};

TEST(Kinds, AgreeWithScikitLearn) {
  const Fixture fixture;
  FitOptions options;
  options.kind = Kind::kLda;
  fixture.Expect("lda", options);
  options.kind = Kind::kGaussianNb;
  fixture.Expect("gaussian-nb", options);
  options.kind = Kind::kQda;
  options.estimator = Estimator::kUnbiased;  // as scikit-learn's
  fixture.Expect("qda", options);
  options.kind = Kind::kLogistic;
  options.logistic.tolerance = 1e-15;
  options.logistic.terms = LogisticOptions::Terms::kLinear;
  fixture.Expect("logistic-linear", options);
  options.logistic.terms = LogisticOptions::Terms::kQuadratic;
  fixture.Expect("logistic-quadratic", options);
  options.kind = Kind::kHistogramNb;
  options.histogram = {fixture.json["bins"].get<int>(), fixture.json["smoothing"].get<double>()};
  fixture.Expect("histogram-nb", options);
}

TEST(Kinds, AreReadBackToTheSameAnswers) {
  for (const Kind kind : AllKinds()) {
    Model model = TrainedOfKind(kind, "YCrCb", {"Cr", "Cb"});
    model.calibration = {1.5, 0.25, "somewhere"};
    const std::string json = ModelToJson(model);
    const Model back = ModelFromJson(json, "m.json");
    EXPECT_EQ(ModelToJson(back), json) << KindName(kind);
    EXPECT_EQ(Reference(back).LogOdds(90, 120, 180), Reference(model).LogOdds(90, 120, 180));
  }
}

TEST(Kinds, DoNotDependOnThreads) {
  for (const Kind kind : AllKinds()) {
    std::string one;
    for (const std::size_t threads : {1, 2, 7}) {
      const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
      const std::string json = ModelToJson(TrainedOfKind(kind));
      if (one.empty()) one = json;
      EXPECT_EQ(json, one) << KindName(kind) << " on " << threads;
    }
  }
}

TEST(Kinds, ShiftByThePrior) {
  for (const Kind kind : AllKinds()) {
    const Model trained = TrainedOfKind(kind);
    for (const double slope : {1., 0.5}) {
      Model model = trained;
      model.calibration = {slope, slope - 1, "here"};
      const Model shifted = WithPrior(model, 0.6);
      const double shift = Logit(0.6) - Logit(model.positive().prior);
      for (const std::array<std::uint8_t, 3> p :
           {std::array<std::uint8_t, 3>{110, 140, 200}, {9, 9, 9}})
        EXPECT_NEAR(Reference(shifted).LogOdds(p[0], p[1], p[2]),
                    Reference(model).LogOdds(p[0], p[1], p[2]) + shift, 1e-9)
            << KindName(kind);
    }
  }
}

// One channel: the formulas of any textbook, computed here from the table.
TEST(Kinds, OfOneChannelAreTheTextbooks) {
  const Samples samples = DrawSamples(2);
  double n[2] = {}, sum[2] = {}, squares[2] = {}, in_bin[2] = {};
  const std::uint8_t r = 170;
  for (const SampleRow& row : samples.rows()) {
    const int k = samples.classes()[row.class_index] == "skin" ? 0 : 1;
    const auto count = static_cast<double>(row.count);
    n[k] += count;
    sum[k] += count * row.r;
    squares[k] += count * row.r * row.r;
    if (row.r * 16 / 255 == r * 16 / 255) in_bin[k] += count;
  }
  double variance[2];
  for (int k : {0, 1}) variance[k] = squares[k] / n[k] - sum[k] / n[k] * (sum[k] / n[k]);
  const double pooled = (n[0] * variance[0] + n[1] * variance[1]) / (n[0] + n[1]);
  const auto log_normal = [&](int k, double v) {
    const double d = r - sum[k] / n[k];
    return std::log(n[k]) - 0.5 * std::log(v) - 0.5 * d * d / v;
  };
  const auto log_odds = [&](Kind kind) {
    return Reference(TrainedOfKind(kind, "BGR", {"R"})).LogOdds(1, 2, r);
  };
  EXPECT_NEAR(log_odds(Kind::kQda), log_normal(0, variance[0]) - log_normal(1, variance[1]), 1e-9);
  EXPECT_NEAR(log_odds(Kind::kGaussianNb), log_odds(Kind::kQda), 1e-12);
  EXPECT_NEAR(log_odds(Kind::kLda), log_normal(0, pooled) - log_normal(1, pooled), 1e-9);
  const auto log_share = [&](int k) {
    return std::log(n[k]) + std::log((in_bin[k] + 0.5) / (n[k] + 16 * 0.5));
  };
  EXPECT_NEAR(log_odds(Kind::kHistogram), log_share(0) - log_share(1), 1e-9);
  EXPECT_NEAR(log_odds(Kind::kHistogramNb), log_odds(Kind::kHistogram), 1e-12);
  EXPECT_TRUE(std::isfinite(log_odds(Kind::kMixture)));
}

// Log-odds that are twice too large and one too high come back to what they were.
TEST(Calibration, UndoesWhatWasDoneToTheScores) {
  const Samples samples = DrawSamples(2);
  FitOptions options;
  options.kind = Kind::kLogistic;
  const Model right = Fit(samples, options);
  EXPECT_NEAR(FitCalibration(samples, right, "d").slope, 1, 1e-2);  // the fit's own maximum
  EXPECT_NEAR(FitCalibration(samples, right, "d").offset, 0, 2e-2);
  Model wrong = right;
  wrong.logistic.linear *= 2;
  for (double& p : wrong.logistic.product) p *= 2;
  const double prior = Logit(right.positive().prior);
  wrong.logistic.constant = 2 * (right.logistic.constant + prior) + 1 - prior;
  wrong.calibration = FitCalibration(samples, wrong, "d");
  EXPECT_NEAR(wrong.calibration.slope, 0.5, 5e-3);
  EXPECT_NEAR(Reference(wrong).LogOdds(110, 140, 190), Reference(right).LogOdds(110, 140, 190),
              5e-2);
  EXPECT_EQ(*EvaluateSamples(samples, wrong).scores->Auc(),
            *EvaluateSamples(samples, right).scores->Auc());
  Model reversed = right;
  reversed.logistic.linear *= -1;
  for (double& p : reversed.logistic.product) p *= -1;
  EXPECT_ERROR(FitCalibration(samples, reversed, "d"),
               "d: cannot calibrate: more skin there means lower");
  const Samples one = ParseSamples("class,b,g,r\nskin,1,2,3\nnon-skin,1,2,3\n", "t");
  EXPECT_ERROR(FitCalibration(one, right, "d"), "all its pixels have one score");
}

// Pixels of one channel, `count` for each value.
Samples OfRed(const std::vector<std::pair<int, int>>& skin_and_other, std::uint64_t count) {
  std::vector<SampleRow> rows;
  for (const auto& [skin, other] : skin_and_other) {
    rows.push_back({0, 1, 0, 0, static_cast<std::uint8_t>(skin), count});
    rows.push_back({0, 0, 0, 0, static_cast<std::uint8_t>(other), count});
  }
  return Samples({"other", "skin"}, rows);
}

// Of a model that is too certain of all pixels, and of one that is certain of none. The gradient of
// the log-likelihood is 0 at the maximum.
TEST(Calibration, IsTheMaximumHoweverFarAway) {
  std::vector<std::pair<int, int>> wide;
  for (int d = -40; d <= 40; d += 10) wide.emplace_back(150 + d, 110 + d);
  const Samples held_out = OfRed(wide, 10);
  FitOptions options;
  options.features = Features("BGR", std::vector<std::string>{"R"});
  const Samples narrow = OfRed({{147, 107}, {150, 110}, {153, 113}}, 1);
  for (const double ridge : {-1., 1e5}) {
    options.kind = ridge < 0 ? Kind::kLda : Kind::kLogistic;
    if (ridge > 0) options.logistic.ridge = ridge;
    options.logistic.terms = LogisticOptions::Terms::kLinear;
    const Model model = Fit(narrow, options);
    const Calibration found = FitCalibration(held_out, model, "d");
    double gradient[2] = {}, size[2] = {};
    for (const SampleRow& row : held_out.rows()) {
      const double z = Reference(model).LogOdds(0, 0, row.r);
      const double residual =
          (row.class_index == 1) - 1 / (1 + std::exp(-found.slope * z - found.offset));
      gradient[0] += residual * z;
      gradient[1] += residual;
      size[0] += std::abs(z);
      ++size[1];
    }
    EXPECT_GT(found.slope, 0);
    EXPECT_LT(std::abs(gradient[0]), 1e-6 * size[0]) << found.slope;
    EXPECT_LT(std::abs(gradient[1]), 1e-6 * size[1]) << found.offset;
  }
}

// However far apart the scores are.
TEST(Calibration, ClassesApartWithoutErrorAreRefused) {
  for (const int apart : {11, 20, 30, 50, 120}) {
    std::vector<SampleRow> rows;
    for (int i = 0; i < 1000; ++i) {
      const auto v = [&](int by) { return static_cast<std::uint8_t>(10 + i / by % 10); };
      rows.push_back({0, 1, v(1), v(10), v(100), 1});
      rows.push_back({0, 0, static_cast<std::uint8_t>(v(1) + apart), v(10), v(100), 1});
    }
    const Samples samples({"non-skin", "skin"}, rows);
    EXPECT_ERROR(FitCalibration(samples, Fit(samples, {}), "d"), "without error");
  }
}

TEST(Kinds, NumbersThatWouldOverflowAreRefused) {
  const Samples samples = testing::DrawSamples(2, 3);
  FitOptions options;
  options.kind = Kind::kLogistic;
  Model logistic = Fit(samples, options);
  logistic.logistic.linear(0) = 1e40;
  EXPECT_ERROR(Validate(logistic, "m"), "at most 1e+24");
  logistic.logistic.linear(0) = 0;
  logistic.logistic.ridge = -1;
  EXPECT_ERROR(Validate(logistic, "m"), "ridge");
  options.kind = Kind::kHistogram;
  Model histogram = Fit(samples, options);
  histogram.histogram.smoothing = 1e308;
  EXPECT_ERROR(Validate(histogram, "m"), "smoothing");
}

TEST(Histogram, AnswersForColorsNeverSeen) {
  FitOptions options;
  options.kind = Kind::kHistogram;
  options.histogram = {256, 1};
  const Samples samples =
      ParseSamples("class,b,g,r,count\nskin,1,2,3,30\nnon-skin,9,8,7,10\n", "t");
  const Reference reference(Fit(samples, options));
  const double bins = 1 << 24;
  EXPECT_NEAR(reference.LogOdds(200, 100, 50), std::log(3.) + std::log((10 + bins) / (30 + bins)),
              1e-9);
  EXPECT_NEAR(reference.LogOdds(1, 2, 3), std::log(3.) + std::log(31 * (10 + bins) / (30 + bins)),
              1e-9);
  options.histogram.smoothing = 0;
  EXPECT_ERROR(Fit(samples, options), "fit option histogram.smoothing: 0 is out of range");
}

TEST(Mixture, OfOneComponentIsAlmostQda) {
  FitOptions options;
  const Model qda = Fit(DrawSamples(2), options);
  options.kind = Kind::kMixture;
  options.mixture.components = 1;
  const Model one = Fit(DrawSamples(2), options);
  for (std::size_t k = 0; k < 2; ++k) {
    ASSERT_EQ(one.classes[k].components.size(), 1u);
    EXPECT_TRUE(one.classes[k].components[0].mean.isApprox(qda.classes[k].mean, 1e-9));
    // The prior adds a thousandth of the mean variance.
    const double floor = 1e-3 * qda.classes[k].covariance.trace() / 3;
    const FeatureMatrix more = one.classes[k].components[0].covariance - qda.classes[k].covariance;
    EXPECT_TRUE(more.isApprox(floor * FeatureMatrix::Identity(3, 3), 1e-6));
  }
}

TEST(Mixture, FindsTheGroupsOfAClass) {
  testing::Random random(5);
  std::vector<SampleRow> rows;
  const testing::Blob dark{"", {40, 60, 90}, {{{6, 0, 0}, {3, 5, 0}, {2, 2, 6}}}, 3000};
  const testing::Blob light{"", {170, 190, 230}, {{{8, 0, 0}, {3, 6, 0}, {2, 2, 5}}}, 1000};
  for (const testing::Blob* blob : {&dark, &light})
    for (const SampleRow& row : testing::Draw(*blob, 1, random)) rows.push_back(row);
  for (const SampleRow& row : testing::Draw(testing::SkinWorld()[1], 0, random))
    rows.push_back(row);
  FitOptions options;
  options.kind = Kind::kMixture;
  options.mixture.of_class = {{"skin", 2}, {"non-skin", 1}};
  const Model model = Fit(Samples({"non-skin", "skin"}, rows), options);
  ASSERT_EQ(model.positive().components.size(), 2u);
  const bool first_dark = model.positive().components[0].mean(0) < 100;
  const Gaussian& found = model.positive().components[first_dark ? 0 : 1];
  EXPECT_NEAR(found.weight, 0.75, 0.01);
  EXPECT_NEAR(found.mean(1), 60, 1);
  // The prior adds a thousandth of the class's scatter, of which most is between the groups.
  const double between = 0.75 * 0.25 * (130 * 130 + 130 * 130 + 140 * 140) / 3.;
  EXPECT_NEAR(found.covariance(0, 0), 36 + 1e-3 * (between + 50) / 0.75, 2);
}

TEST(Mixture, ComponentsThatNothingFillsAreLeftOut) {
  FitOptions options;
  options.kind = Kind::kMixture;
  options.mixture.components = 40;
  const Samples few = ParseSamples(
      "class,b,g,r,count\nskin,1,2,3,50\nskin,100,50,20,50\nskin,7,90,3,50\nnon-skin,9,8,7,10\nnon-"
      "skin,90,80,7,10\n",
      "t");
  const Model model = Fit(few, options);
  EXPECT_LE(model.positive().components.size(), 3u);
  EXPECT_ERROR(
      Fit(ParseSamples("class,b,g,r,count\nskin,1,2,3,50\nnon-skin,9,8,7,10\n", "t"), options),
      "has one value only in the channels");
  options.mixture.of_class = {{"hair", 2}};
  EXPECT_ERROR(Fit(few, options), "`components`: names a class 'hair' that has no samples");
}

}  // namespace
}  // namespace skinmask
