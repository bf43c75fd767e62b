// The Reference defines the results of a model: Bayes' rule in double.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

// Evaluates a model in double and by Cholesky solves, without any folding (docs/math.md). Slow
// (about 15 ns per pixel and two classes); every compiled form is tested against it.
class Reference {
 public:
  // Throws Error for a model without classes.
  explicit Reference(const Model& model);

  int class_count() const { return static_cast<int>(classes_); }
  bool has_costs() const { return !costs_.empty(); }

  // Computes the discriminants a_k = log prior + log density, up to a common constant, into
  // class_count() doubles.
  void Discriminants(const std::int32_t* carrier, double* a) const noexcept;
  // The log-odds z of these discriminants.
  double LogOddsOf(const double* a) const noexcept;
  // z = log P(positive | pixel) / P(not positive | pixel), for the carriers of `count` pixels.
  void LogOddsRow(const std::int32_t* carrier, std::size_t count, double* z) const noexcept;
  // The same from bytes.
  void LogOddsRow(const std::uint8_t* bgr, std::size_t count, double* z) const noexcept;
  // The class with the least expected cost, sum over k of P(k | pixel) cost(k, called); without
  // Model::class_costs, the class with the greatest P(k | pixel). Among equals the lowest.
  void ClassRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* index) const noexcept;
  // P(k | pixel) for each class, from bytes.
  std::vector<double> Posteriors(std::uint8_t b, std::uint8_t g, std::uint8_t r) const;
  double LogOdds(std::uint8_t b, std::uint8_t g, std::uint8_t r) const;

 private:
  // Entries beyond the model's features belong to a feature that is always 0, with mean 0 and
  // variance 1.
  struct HistogramLogs;
  struct Component {
    double constant;  // log(prior * weight) - log det / 2
    std::array<double, 3> mean;
    std::array<double, 6> cholesky;  // L of the covariance LL', by rows: 00 10 11 20 21 22
  };
  using Point = std::array<double, 3>;
  static Component ComponentOf(const ClassModel& c, const Gaussian& gaussian);
  static double Density(const Component& component, const Point& f) noexcept;

  void AddGaussians(const Model& model);
  void AddLogistic(const Model& model);
  void AddHistograms(const Model& model);
  Point FeaturesOf(const std::int32_t* carrier) const noexcept;
  void MixtureDiscriminants(const Point& f, double* a) const noexcept;
  void LogisticDiscriminants(const Point& f, double* a) const noexcept;
  void HistogramDiscriminants(const Point& f, double* a) const noexcept;
  void Calibrate(double* a) const noexcept;
  std::size_t Cheapest(const double* a) const noexcept;

  const ColorSpace* space_;
  std::size_t classes_;
  Kind kind_;
  ClassCosts costs_;
  bool calibrated_;
  Calibration calibration_;
  std::array<std::array<double, 3>, 3> matrix_{};
  Point offset_{};
  std::vector<Component> components_;  // by class
  std::vector<std::size_t> ends_;      // of each class's components
  std::vector<FeatureTerms>
      logistic_;  // of two classes the log-odds, of more each class's; with priors
  std::size_t size_;
  std::shared_ptr<const HistogramLogs> histograms_;
};

}  // namespace skinmask
