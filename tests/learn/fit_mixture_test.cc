// Expectation-maximisation climbs: its log-posterior, as docs/math.md defines it, is computed here
// from the model that Fit gives after so many steps.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "skinmask/learn/fit.h"
#include "skinmask/model/outliers.h"
#include "support/world.h"

namespace skinmask {
namespace {

// Of a class's pixels, their mean log-density and log-posterior (up to a constant).
struct Heights {
  double likelihood = 0, posterior = 0;
};

double LogDensity(const ClassModel& c, const FeatureVector& f) {
  double density = 0;
  for (const Gaussian& g : c.components) {
    const FeatureVector d = f - g.mean;
    const double squared = d.dot(FeatureVector(g.covariance.inverse() * d));
    density += g.weight * std::exp(-squared / 2) /
               std::sqrt((2 * std::numbers::pi * g.covariance).eval().determinant());
  }
  return std::log(density);
}

Heights HeightsOf(const Samples& samples, const Model& model, const ClassModel& c) {
  const Eigen::Index p = model.features.size();
  double n = 0, likelihood = 0;
  FeatureVector sum = FeatureVector::Zero(p), squares = FeatureVector::Zero(p);
  for (const SampleRow& row : samples.rows()) {
    if (samples.classes()[row.class_index] != c.name) continue;
    const Eigen::Vector3d bgr(row.b, row.g, row.r);
    const FeatureVector f = model.features.Matrix() * bgr + model.features.Offset();
    const double count = static_cast<double>(row.count);
    n += count;
    sum += count * f;
    squares += count * FeatureVector(f.array().square());
    likelihood += count * LogDensity(c, f);
  }
  const double variance = (squares / n - FeatureVector((sum / n).array().square())).mean();
  double traces = 0;
  for (const Gaussian& g : c.components) traces += g.covariance.inverse().trace();
  return {likelihood / n, likelihood / n - 1e-3 * variance * traces / 2};
}

// Few colours, some of them often, of two classes in heaps that lie over each other. Of so few none
// are merged, so that all steps are of one climb.
Samples Heaps(testing::Random& random) {
  std::vector<SampleRow> rows;
  for (std::uint16_t k = 0; k < 2; ++k)
    for (int heaps = 1 + random.Byte() % 3; heaps > 0; --heaps) {
      const double wide = 3 + random.Byte() % 30;
      testing::Blob blob{"", {}, {{{wide, 0, 0}, {wide / 2, wide, 0}, {0, wide / 3, 2}}}, 15};
      for (double& mean : blob.mean) mean = 40 + random.Byte() % 176;
      for (SampleRow row : testing::Draw(blob, k, random)) {
        row.count = random.Byte() % 4 == 0 ? 40 : 1;
        rows.push_back(row);
      }
    }
  return Samples({"skin", "non-skin"}, rows);
}

FitOptions Drawn(testing::Random& random) {
  static const std::vector<std::vector<std::string>> kChannels{{}, {"Cr", "Cb"}, {"Y"}};
  FitOptions options;
  options.kind = Kind::kMixture;
  options.features = Features("YCrCb", kChannels[random.Byte() % 3]);
  options.mixture.components = 1 + random.Byte() % 5;
  options.mixture.seed = random.Byte();
  options.mixture.tolerance = 0;
  return options;
}

TEST(FitMixture, NoStepLowersTheLogPosterior) {
  testing::Random random(33);
  for (int trial = 0; trial < 500; ++trial) {
    const Samples samples = Heaps(random);
    FitOptions options = Drawn(random);
    std::vector<double> before(2, -INFINITY);
    for (const int steps : {1, 2, 3, 4, 5, 8, 13, 21}) {
      options.mixture.iterations = steps;
      const Model model = Fit(samples, options);
      for (std::size_t k = 0; k < 2; ++k) {
        const double now = HeightsOf(samples, model, model.classes[k]).posterior;
        EXPECT_GE(now, before[k] - 1e-9) << "trial " << trial << ", step " << steps;
        before[k] = now;
      }
    }
  }
}

// With a tolerance of 0 a fit goes on to the last step that it is given, and that is higher up.
TEST(FitMixture, MoreIterationsHelp) {
  testing::Random random(34);
  int higher = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const Samples samples = Heaps(random);
    FitOptions options = Drawn(random);
    options.mixture.iterations = 5;
    const Model few = Fit(samples, options);
    options.mixture.iterations = 300;
    const Model many = Fit(samples, options);
    for (std::size_t k = 0; k < 2; ++k) {
      const double gain = HeightsOf(samples, many, many.classes[k]).posterior -
                          HeightsOf(samples, few, few.classes[k]).posterior;
      EXPECT_GE(gain, -1e-9) << trial;
      higher += gain > 1e-6;
    }
  }
  EXPECT_GT(higher, 20);
}

// Three pixels of one colour in a class of a thousand: a likelihood without bound, and no prior of
// a component of its own.
TEST(FitMixture, NoComponentCollapses) {
  Samples samples = testing::DrawSamples(2);
  std::vector<SampleRow> rows = samples.rows();
  for (int i = 0; i < 2; ++i) rows.push_back({0, static_cast<std::uint16_t>(i), 0, 0, 255, 300});
  samples = Samples(samples.classes(), rows);
  FitOptions options;
  options.kind = Kind::kMixture;
  options.mixture.components = 8;
  options.mixture.iterations = 1000;
  const Model model = Fit(samples, options);
  for (const ClassModel& c : model.classes)
    for (const Gaussian& g : c.components)
      EXPECT_GT(Eigen::SelfAdjointEigenSolver<FeatureMatrix>(g.covariance).eigenvalues().minCoeff(),
                0.1);
}

// Two heaps and three components: the third fades, and one that stayed would be so wide that it
// explained every colour.
TEST(FitMixture, ComponentThatFadesIsLeftOut) {
  std::vector<SampleRow> rows;
  for (int v = 0; v < 256; ++v)
    for (const auto& [index, mean] : {std::pair(0, 60), {1, 90}, {1, 200}}) {
      const double count = std::round(1000 * std::exp(-(v - mean) * (v - mean) / 128.));
      if (count > 0)
        rows.push_back({0, static_cast<std::uint16_t>(index), 0, 0, static_cast<std::uint8_t>(v),
                        static_cast<std::uint64_t>(count)});
    }
  FitOptions options;
  options.kind = Kind::kMixture;
  options.features = Features("BGR", std::vector<std::string>{"R"});
  const Model model = Fit(Samples({"skin", "non-skin"}, rows), options);
  EXPECT_EQ(model.classes[1].components.size(), 2u);
  const std::uint8_t between[] = {0, 0, 145};
  std::uint8_t outlier = 0;
  Outliers(model, 0.999).Row(between, 1, &outlier);
  EXPECT_EQ(outlier, 255);
}

}  // namespace
}  // namespace skinmask
