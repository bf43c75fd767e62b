#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/distributions.h"
#include "learn/expectation_rows.h"
#include "learn/fit_kinds.h"
#include "skinmask/base/error.h"
#include "skinmask/model/mixture.h"

namespace skinmask {
namespace {

constexpr std::size_t kCells = 64;  // in each feature
constexpr double kPerDeviation = 8;

std::size_t CellOf(double value, double mean, double deviation) {
  if (!(deviation > 0)) return 0;  // all in one cell
  const double per_unit = kPerDeviation / deviation, low = mean - kCells / 2 / per_unit;
  return static_cast<std::size_t>(
      std::clamp((value - low) * per_unit, 0., static_cast<double>(kCells - 1)));
}

struct Cell {
  double weight = 0;
  std::array<double, 3> sum{};
};

// Merges the points of each cell into one point at their mean, with their total weight (above 0).
// Cells are an eighth of a standard deviation wide in each feature; the outermost ones, four
// standard deviations from the mean, are open. Cost: two passes, and at most 64^3 cells.
PointPlanes Merged(const PointPlanes& points) {
  const Scale scale = ScaleOf({&points, 1}, 3);
  std::vector<Cell> cells(kCells * kCells * kCells);
  for (std::size_t k = 0; k < points.count; ++k) {
    std::size_t place = 0;
    for (int i = 0; i < 3; ++i)
      place = place * kCells + CellOf(points.f[i][k], scale.mean(i), scale.deviation(i));
    cells[place].weight += points.weight[k];
    for (std::size_t i = 0; i < 3; ++i) cells[place].sum[i] += points.weight[k] * points.f[i][k];
  }
  std::erase_if(cells, [](const Cell& cell) { return cell.weight == 0; });
  PointPlanes merged(cells.size());
  for (std::size_t k = 0; k < cells.size(); ++k) {
    merged.weight[k] = cells[k].weight;
    for (std::size_t i = 0; i < 3; ++i) merged.f[i][k] = cells[k].sum[i] / cells[k].weight;
  }
  return merged;
}

// The prior's scatter, which is added to that of each component's pixels, as a share of the class's
// scatter in a channel. It keeps components from collapsing to one colour or to a plane. It is a
// prior of covariances (docs/math.md, 'The other kinds').
constexpr double kPriorScatter = 1e-3;

// A component with a smaller share of the class is fading: the prior's scatter makes it a thousand
// times as wide as the class in variance, and wider in each step, so that it explains any colour.
constexpr double kLeastShare = 1e-6;

struct Component {
  double weight = 0;
  Eigen::Vector3d mean;
  Eigen::Matrix3d covariance;
  WhitenedComponent density;
};

Eigen::Vector3d SumOf(const ComponentSums& s) { return s.segment<3>(1); }

Eigen::Matrix3d ProductOf(const ComponentSums& s) {
  Eigen::Matrix3d product;
  product << s[4], s[5], s[6], s[5], s[7], s[8], s[6], s[8], s[9];
  return product;
}

// The fit of one class, in three dimensions. If a model uses fewer, the others have variance 1 and
// add the same constant everywhere. Points are relative to the class's mean.
class ClassFit {
 public:
  ClassFit(PointPlanes points, int size, const std::string& name, const MixtureOptions& options,
           Iterations& watch)
      : points_(std::move(points)), size_(size), name_(name), options_(options), watch_(watch) {
    ComponentSums all = SumsOfAll();
    total_ = all[0];
    mean_ = SumOf(all) / total_;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < points_.count; ++k)
        points_.f[i][k] -= mean_(static_cast<Eigen::Index>(i));
    all = SumsOfAll();
    const Eigen::Matrix3d covariance = ProductOf(all) / total_;
    scatter_ = kPriorScatter * total_ * covariance.topLeftCorner(size_, size_).trace() / size_;
    if (!(scatter_ > 0))
      throw Error(
          fmt::format("class '{}'", name_),
          "has one value only in the channels that are used: no mixture fits it (more varied "
          "samples, other `channels`)");
  }

  // With many points, most iterations run on merged points.
  std::vector<Gaussian> Run(int count) {
    constexpr std::size_t kMany = 4096, kWorthwhile = 2;
    std::vector<Component> components = KMeansPlusPlus(count);
    const PointPlanes merged = points_.count < kMany ? points_ : Merged(points_);
    if (kWorthwhile * merged.count <= points_.count)
      components = RunEm(merged, std::move(components));
    else
      watch_.LeaveOut();
    components = RunEm(points_, std::move(components));
    std::vector<Gaussian> gaussians;
    for (const Component& c : components)
      gaussians.push_back(
          {c.weight, (c.mean + mean_).head(size_), c.covariance.topLeftCorner(size_, size_)});
    return gaussians;
  }
  // Whether the last loop ended before its limit of iterations.
  bool converged() const { return converged_; }

 private:
  // The sums of a component whose density is 1 everywhere.
  ComponentSums SumsOfAll() const {
    return EStep(points_, std::array{WhitenedComponent()}).sums[0];
  }

  // Expectation-maximisation of the log-posterior, which no step lowers (Dempster, Laird and Rubin
  // 1977), until its mean over the pixels of `points` hardly changes.
  std::vector<Component> RunEm(const PointPlanes& points, std::vector<Component> components) {
    double before = -INFINITY;
    converged_ = false;
    watch_.Begin(total_);
    for (int i = 0; i < options_.iterations; ++i) {
      watch_.RequireNotStopped();
      std::vector<WhitenedComponent> densities;
      for (const Component& c : components) densities.push_back(c.density);
      const Expectation expectation = EStep(points, densities);
      const double now = (expectation.log_likelihood + LogPrior(components)) / total_;
      components = MStep(expectation.sums);
      converged_ = std::abs(now - before) < options_.tolerance;
      watch_.Done(converged_ ? 0 : options_.iterations - i - 1);
      if (converged_) break;
      before = now;
    }
    return components;
  }

  // Up to a constant.
  double LogPrior(const std::vector<Component>& components) const {
    double traces = 0;
    for (const Component& c : components)
      traces += c.covariance.inverse().topLeftCorner(size_, size_).trace();
    return -0.5 * scatter_ * traces;
  }

  Eigen::Vector3d Point(std::size_t k) const {
    return {points_.f[0][k], points_.f[1][k], points_.f[2][k]};
  }

  // k-means++ (Arthur and Vassilvitskii 2007): centres drawn by squared distance to those before.
  std::vector<Component> KMeansPlusPlus(int count) const {
    Random random(options_.seed);
    std::vector<Eigen::Vector3d> centres;
    std::vector<double> nearest(points_.count, 1);
    while (static_cast<int>(centres.size()) < count) {
      watch_.RequireNotStopped();
      double sum = 0;
      for (std::size_t k = 0; k < points_.count; ++k) sum += points_.weight[k] * nearest[k];
      if (!(sum > 0)) break;  // fewer colours than components
      double draw = random.Uniform() * sum;
      std::size_t chosen = 0;
      while (chosen + 1 < points_.count && (draw -= points_.weight[chosen] * nearest[chosen]) >= 0)
        ++chosen;
      const bool first = centres.empty();
      centres.push_back(Point(chosen));
      for (std::size_t k = 0; k < points_.count; ++k) {
        const double distance = (Point(k) - centres.back()).squaredNorm();
        nearest[k] = first ? distance : std::min(nearest[k], distance);
      }
    }
    return MStep(SumsOfNearest(centres));
  }

  // For each centre, the sums of the points that are nearest to it.
  std::vector<ComponentSums> SumsOfNearest(const std::vector<Eigen::Vector3d>& centres) const {
    constexpr std::size_t kPointsAtOnce = 4096;
    std::vector<ComponentSums> sums(centres.size(), ComponentSums::Zero());
    for (std::size_t k = 0; k < points_.count; ++k) {
      if (k % kPointsAtOnce == 0) watch_.RequireNotStopped();
      const Eigen::Vector3d f = Point(k);
      std::size_t best = 0;
      for (std::size_t j = 1; j < centres.size(); ++j)
        if ((f - centres[j]).squaredNorm() < (f - centres[best]).squaredNorm()) best = j;
      const double w = points_.weight[k], w0 = w * f(0), w1 = w * f(1), w2 = w * f(2);
      ComponentSums one;
      one << w, w0, w1, w2, w0 * f(0), w0 * f(1), w0 * f(2), w1 * f(1), w1 * f(2), w2 * f(2);
      sums[best] += one;
    }
    return sums;
  }

  // The components of the greatest posterior for these shares. A fading component is dropped, which
  // does not change the likelihood.
  std::vector<Component> MStep(const std::vector<ComponentSums>& sums) const {
    std::vector<Component> components;
    double kept = 0;
    for (const ComponentSums& s : sums) {
      if (!(s[0] > kLeastShare * total_)) continue;
      Component c;
      c.weight = s[0];
      c.mean = SumOf(s) / c.weight;
      c.covariance = ProductOf(s) / c.weight - c.mean * c.mean.transpose();
      for (int i = 0; i < 3; ++i) c.covariance(i, i) += i < size_ ? scatter_ / c.weight : 1;
      if (!Whiten(c)) continue;
      kept += c.weight;
      components.push_back(c);
    }
    if (components.empty())
      throw Error(fmt::format("class '{}'", name_), "has too few samples for a mixture (add some)");
    for (Component& c : components) {
      c.weight /= kept;
      c.density.constant += std::log2(c.weight);
    }
    return components;
  }

  // Sets the density without the weight. False if the covariance is not positive definite.
  static bool Whiten(Component& c) {
    const Eigen::LLT<Eigen::Matrix3d> cholesky(c.covariance);
    if (cholesky.info() != Eigen::Success) return false;
    const Eigen::Matrix3d lower = cholesky.matrixL();
    // From e^(-d'd / 2) to 2^-|whitening d|^2.
    const Eigen::Matrix3d whitening =
        std::sqrt(0.5 * std::numbers::log2e) *
        lower.triangularView<Eigen::Lower>().solve(Eigen::Matrix3d::Identity());
    c.density = {-lower.diagonal().array().log2().sum(),
                 {c.mean(0), c.mean(1), c.mean(2)},
                 {whitening(0, 0), whitening(1, 0), whitening(1, 1), whitening(2, 0),
                  whitening(2, 1), whitening(2, 2)}};
    return true;
  }

  PointPlanes points_;
  int size_;
  std::string name_;
  const MixtureOptions& options_;
  Iterations& watch_;
  double total_ = 0, scatter_ = 0;
  Eigen::Vector3d mean_;
  bool converged_ = false;
};

}  // namespace

int MixtureOptions::Of(const std::string& name) const {
  for (const auto& [given, count] : of_class)
    if (given == name) return count;
  return components;
}

void FitMixture(const Samples& samples, const FitOptions& options, Model& model) {
  const int size = options.features.size();
  for (const auto& [name, count] : options.mixture.of_class)
    if (std::ranges::find(model.classes, name, &ClassModel::name) == model.classes.end())
      throw Error("`components`", fmt::format("names a class '{}' that has no samples", name));
  // Two loops for each class, the first on merged points.
  Iterations watch(options, 2 * model.classes.size(), options.mixture.iterations);
  for (ClassModel& c : model.classes) {
    const int count = options.mixture.Of(c.name);
    if (count < 1 || count > static_cast<int>(CompiledMixture::kMaxComponents))
      throw Error(fmt::format("`components` {}={}", c.name, count),
                  fmt::format("is out of range (1 to {})", CompiledMixture::kMaxComponents));
    ClassFit fit(PlanesOf(samples, options.features, c.name), size, c.name, options.mixture, watch);
    c.components = fit.Run(count);
    model.converged &= fit.converged();
  }
}

}  // namespace skinmask
