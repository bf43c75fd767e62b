#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "base/random.h"
#include "learn/fit_kinds.h"
#include "skinmask/base/error.h"
#include "skinmask/model/mixture.h"

namespace skinmask {
namespace {

// Added to every variance, as a share of the class's mean variance: components can neither collapse
// onto one colour nor go flat.
constexpr double kCovarianceFloor = 1e-3;

// Weighted sums of one component.
struct Sums {
  double weight = 0;
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  Eigen::Matrix3d product = Eigen::Matrix3d::Zero();
  void Add(const Eigen::Vector3d& f, double w) {
    weight += w;
    sum += w * f;
    product += w * f * f.transpose();
  }
};

// What an E-step gives: the sums of every component, its shares of the pixels being the weights.
struct Expectation {
  std::vector<Sums> sums;
  double log_likelihood = 0;
  Expectation& operator+=(const Expectation& other) {
    if (sums.size() < other.sums.size()) sums.resize(other.sums.size());
    for (std::size_t j = 0; j < other.sums.size(); ++j) {
      sums[j].weight += other.sums[j].weight;
      sums[j].sum += other.sums[j].sum;
      sums[j].product += other.sums[j].product;
    }
    log_likelihood += other.log_likelihood;
    return *this;
  }
};

// In three dimensions, of which a model may use fewer: the others have variance 1 and add the same
// constant everywhere.
struct Component {
  double weight = 0;
  Eigen::Vector3d mean;
  Eigen::Matrix3d covariance;
  Eigen::Matrix3d lower;
  double constant = 0;  // log weight - log det / 2

  double LogDensity(const Eigen::Vector3d& f) const {
    return constant - 0.5 * lower.triangularView<Eigen::Lower>().solve(f - mean).squaredNorm();
  }
};

class ClassFit {
 public:
  ClassFit(std::vector<WeightedPoint> points, int size, const std::string& name,
           const MixtureOptions& options)
      : points_(std::move(points)), size_(size), name_(name), options_(options) {
    Sums all;
    for (const WeightedPoint& p : points_) all.Add(p.f, p.weight);
    total_ = all.weight;
    mean_ = all.sum / total_;
    const Eigen::Matrix3d covariance = all.product / total_ - mean_ * mean_.transpose();
    floor_ = kCovarianceFloor * covariance.topLeftCorner(size_, size_).trace() / size_;
    if (!(floor_ > 0))
      throw Error(fmt::format("class '{}'", name_),
                  "has one colour only: no mixture fits it (more varied samples)");
  }

  std::vector<Component> Run(int count) {
    std::vector<Component> components = KMeansPlusPlus(count);
    double before = -INFINITY;
    for (int i = 0; i < options_.iterations; ++i) {
      const Expectation expectation = EStep(components);
      const double now = expectation.log_likelihood / total_;
      components = MStep(expectation.sums);
      if (now - before < options_.tolerance) break;
      before = now;
    }
    return components;
  }

 private:
  // k-means++ (Arthur and Vassilvitskii 2007): centres drawn by squared distance to those before.
  std::vector<Component> KMeansPlusPlus(int count) {
    Random random(options_.seed);
    std::vector<Eigen::Vector3d> centres;
    std::vector<double> nearest(points_.size(), 1);
    while (static_cast<int>(centres.size()) < count) {
      double sum = 0;
      for (std::size_t i = 0; i < points_.size(); ++i) sum += points_[i].weight * nearest[i];
      if (!(sum > 0)) break;  // fewer colours than components
      double draw = random.Uniform() * sum;
      std::size_t chosen = 0;
      while (chosen + 1 < points_.size() && (draw -= points_[chosen].weight * nearest[chosen]) >= 0)
        ++chosen;
      const bool first = centres.empty();
      centres.push_back(points_[chosen].f);
      for (std::size_t i = 0; i < points_.size(); ++i) {
        const double distance = (points_[i].f - centres.back()).squaredNorm();
        nearest[i] = first ? distance : std::min(nearest[i], distance);
      }
    }
    std::vector<Sums> sums(centres.size());
    for (const WeightedPoint& p : points_) {
      std::size_t best = 0;
      for (std::size_t j = 1; j < centres.size(); ++j)
        if ((p.f - centres[j]).squaredNorm() < (p.f - centres[best]).squaredNorm()) best = j;
      sums[best].Add(p.f, p.weight);
    }
    return MStep(sums);
  }

  Expectation EStep(const std::vector<Component>& components) const {
    return SumOver<Expectation>(points_.size(), [&](std::size_t i, Expectation& expectation) {
      if (expectation.sums.empty()) expectation.sums.resize(components.size());
      std::array<double, CompiledMixture::kMaxComponents> density;
      double largest = -INFINITY, sum = 0;
      for (std::size_t j = 0; j < components.size(); ++j)
        largest = std::max(largest, density[j] = components[j].LogDensity(points_[i].f));
      for (std::size_t j = 0; j < components.size(); ++j)
        sum += density[j] = std::exp(density[j] - largest);
      for (std::size_t j = 0; j < components.size(); ++j)
        expectation.sums[j].Add(points_[i].f, points_[i].weight * density[j] / sum);
      expectation.log_likelihood += points_[i].weight * (largest + std::log(sum));
    });
  }

  // A component with too few pixels for a covariance is dropped.
  std::vector<Component> MStep(const std::vector<Sums>& sums) const {
    std::vector<Component> components;
    double kept = 0;
    for (const Sums& s : sums) {
      if (s.weight < size_ + 1) continue;
      Component c;
      c.weight = s.weight;
      kept += s.weight;
      c.mean = s.sum / s.weight;
      c.covariance = s.product / s.weight - c.mean * c.mean.transpose();
      c.covariance = 0.5 * (c.covariance + c.covariance.transpose().eval());
      for (int i = 0; i < 3; ++i) c.covariance(i, i) += i < size_ ? floor_ : 1;
      const Eigen::LLT<Eigen::Matrix3d> cholesky(c.covariance);
      if (cholesky.info() != Eigen::Success) continue;
      c.lower = cholesky.matrixL();
      components.push_back(c);
    }
    if (components.empty())
      throw Error(fmt::format("class '{}'", name_), "has too few samples for a mixture (add some)");
    for (Component& c : components) {
      c.weight /= kept;
      c.constant = std::log(c.weight) - c.lower.diagonal().array().log().sum();
    }
    return components;
  }

  std::vector<WeightedPoint> points_;
  int size_;
  std::string name_;
  const MixtureOptions& options_;
  double total_ = 0, floor_ = 0;
  Eigen::Vector3d mean_;
};

int ComponentsOf(const MixtureOptions& options, const std::string& name) {
  for (const auto& [given, count] : options.of_class)
    if (given == name) return count;
  return options.components;
}

}  // namespace

void FitMixture(const Samples& samples, const FitOptions& options, Model& model) {
  const int size = options.features.size();
  for (const auto& [name, count] : options.mixture.of_class)
    if (std::ranges::none_of(model.classes,
                             [&, n = name](const ClassModel& c) { return c.name == n; }))
      throw Error("components", fmt::format("name a class '{}' that has no samples", name));
  for (ClassModel& c : model.classes) {
    const int count = ComponentsOf(options.mixture, c.name);
    if (count < 1 || count > static_cast<int>(CompiledMixture::kMaxComponents))
      throw Error(fmt::format("components {}={}", c.name, count),
                  fmt::format("is out of range (1 to {})", CompiledMixture::kMaxComponents));
    ClassFit fit(PointsOf(samples, options.features, c.name), size, c.name, options.mixture);
    for (const Component& component : fit.Run(count))
      c.components.push_back({component.weight, component.mean.head(size),
                              component.covariance.topLeftCorner(size, size)});
  }
}

}  // namespace skinmask
