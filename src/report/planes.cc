#include "skinmask/report/planes.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

#include "skinmask/base/error.h"
#include "skinmask/model/reference.h"

namespace skinmask {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string UnitOf(const ColorSpace& space, int channel) {
  if (space.carrier == ColorSpace::Carrier::kChromaticity) return "share";
  const bool hue = space.carrier == ColorSpace::Carrier::kHsv && channel == 0;
  return hue ? "steps of 2°" : "8-bit levels";
}

Axis AxisOf(const ColorSpace& space, int channel) {
  const std::string name(space.channels[static_cast<std::size_t>(channel)]);
  const auto [low, high] = Features(space.name, std::span(&name, 1)).Range();
  return {name, UnitOf(space, channel), low(0), high(0)};
}

// The log-odds at a point, followed by the discriminants. Empty where there is no colour; valid
// until the next call.
using Answer = std::span<const double>;

// Maps values of all channels of the space back to carriers, and evaluates the model there.
class Inverse {
 public:
  explicit Inverse(const Model& model)
      : space_(model.features.space()),
        reference_(model),
        kept_keys_(kKept, ~std::uint64_t{0}),
        sum_(1 + model.classes.size()),
        kept_(kKept * sum_.size()) {
    Eigen::Matrix3d matrix = Eigen::Matrix3d::Identity();
    for (int row = 0; row < space_.dimension; ++row)
      for (int column = 0; column < 3; ++column)
        matrix(row, column) =
            space_.matrix[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
    inverse_ = matrix.inverse();
  }

  Answer At(const std::array<double, 3>& channels) {
    Eigen::Vector3d from_offset = Eigen::Vector3d::Zero();
    for (int c = 0; c < space_.dimension; ++c) {
      const auto i = static_cast<std::size_t>(c);
      from_offset(c) = channels[i] - space_.offset[i];
    }
    const Eigen::Vector3d carrier = inverse_ * from_offset;
    constexpr double kRounding = 1e-6;
    for (int i = 0; i < 3; ++i)
      if (carrier(i) < -kRounding ||
          carrier(i) > space_.limits[static_cast<std::size_t>(i)] + kRounding)
        return {};
    if (space_.carrier == ColorSpace::Carrier::kChromaticity &&
        carrier(0) + carrier(1) > space_.limits[0] + 1)
      return {};
    return Interpolated(carrier);
  }

 private:
  static constexpr std::uint64_t kKept = 16381;  // a prime

  // Neighbouring points share most corners, so answers are kept until another carrier with the same
  // hash replaces them.
  const double* AnswerOf(const std::array<std::int32_t, 3>& carrier) {
    std::uint64_t key = 0;  // carriers are below 2^21
    for (const std::int32_t value : carrier) key = key << 21 | static_cast<std::uint64_t>(value);
    double* const answer = &kept_[key % kKept * sum_.size()];
    if (std::exchange(kept_keys_[key % kKept], key) != key) {
      reference_.Discriminants(carrier.data(), answer + 1);
      answer[0] = reference_.LogOddsOf(answer + 1);
    }
    return answer;
  }

  // Carriers are integers; answers are interpolated between the eight carriers around the point.
  Answer Interpolated(const Eigen::Vector3d& carrier) {
    std::array<std::array<double, 2>, 3> weights;
    std::array<std::array<std::int32_t, 2>, 3> levels;
    for (std::size_t i = 0; i < 3; ++i) {
      const double value = std::clamp(carrier(static_cast<int>(i)), 0., space_.limits[i]);
      const double below = std::floor(value);
      weights[i] = {1 - (value - below), value - below};
      levels[i] = {static_cast<std::int32_t>(below),
                   static_cast<std::int32_t>(std::min(below + 1, space_.limits[i]))};
    }
    std::ranges::fill(sum_, 0);
    for (std::size_t corner = 0; corner < 8; ++corner) {
      const std::size_t up[] = {corner & 1, corner >> 1 & 1, corner >> 2};
      const double weight = weights[0][up[0]] * weights[1][up[1]] * weights[2][up[2]];
      if (weight <= 0) continue;
      const double* const there = AnswerOf({levels[0][up[0]], levels[1][up[1]], levels[2][up[2]]});
      for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += weight * there[i];
    }
    return sum_;
  }

  const ColorSpace& space_;
  Reference reference_;
  Eigen::Matrix3d inverse_;
  std::vector<std::uint64_t> kept_keys_;
  std::vector<double> sum_, kept_;  // the answer at a point; the kept ones at carriers
};

// A channel that the model does not use may have any value that makes a colour with the others.
// These are the values that are tried, from mid-range outwards.
std::vector<double> Levels(const Axis& axis) {
  constexpr int kSteps = 40;
  std::vector<double> levels{(axis.low + axis.high) / 2};
  for (int i = 1; i <= kSteps; ++i)
    for (const int sign : {1, -1})
      levels.push_back(levels[0] + sign * (axis.high - axis.low) / 2 * i / kSteps);
  return levels;
}

Answer AnswerAt(Inverse& inverse, std::array<double, 3> channels,
                const std::vector<std::pair<int, std::vector<double>>>& unseen,
                std::size_t from = 0) {
  if (from == unseen.size()) return inverse.At(channels);
  for (const double level : unseen[from].second) {
    channels[static_cast<std::size_t>(unseen[from].first)] = level;
    const Answer answer = AnswerAt(inverse, channels, unseen, from + 1);
    if (!answer.empty()) return answer;
  }
  return {};
}

void Append(Plane& plane, Answer answer) {
  plane.log_odds.push_back(answer.empty() ? kNone : answer.front());
  for (std::size_t k = 1; k <= plane.class_count; ++k)
    plane.discriminants.push_back(answer.empty() ? kNone : answer[k]);
}

void Fill(Plane& plane, const Model& model, const std::vector<Axis>& axes, Inverse& inverse) {
  const ColorSpace& space = model.features.space();
  const std::vector<int>& channels = model.features.channels();
  std::vector<std::pair<int, std::vector<double>>> unseen;
  for (int c = 0; c < space.dimension; ++c)
    if (std::ranges::find(channels, c) == channels.end())
      unseen.emplace_back(c, Levels(AxisOf(space, c)));
  std::array<double, 3> at{};
  const auto set = [&](int feature, double value) {
    at[static_cast<std::size_t>(channels[static_cast<std::size_t>(feature)])] = value;
  };
  const auto value_at = [&](int feature, int i) {
    const Axis& axis = axes[static_cast<std::size_t>(feature)];
    return axis.low + (axis.high - axis.low) * i / (plane.size - 1);
  };
  if (plane.held) set(plane.held->first, plane.held->second);
  plane.class_count = model.classes.size();
  for (int row = 0; row < plane.rows(); ++row) {
    if (plane.y) set(*plane.y, value_at(*plane.y, row));
    for (int column = 0; column < plane.size; ++column) {
      set(plane.x, value_at(plane.x, column));
      Append(plane, AnswerAt(inverse, at, unseen));
    }
  }
}

}  // namespace

std::optional<double> PositiveMean(const Model& model, int feature) {
  std::optional<double> mean;
  for (const Gaussian& gaussian : model.positive().gaussians())
    mean = mean.value_or(0) + gaussian.weight * gaussian.mean(feature);
  return mean;
}

std::vector<Axis> AxesOf(const Model& model) { return AxesOf(std::span(&model, 1)); }

std::vector<Axis> AxesOf(std::span<const Model> models) {
  constexpr double kDeviations = 3.5;
  std::vector<Axis> axes;
  const Features& features = models.front().features;
  for (const int channel : features.channels()) {
    const Axis whole = AxisOf(features.space(), channel);
    const auto feature = static_cast<Eigen::Index>(axes.size());
    double low = whole.high, high = whole.low;
    for (const Model& model : models)
      for (const ClassModel& c : model.classes)
        for (const Gaussian& gaussian : c.gaussians()) {
          const double reach = kDeviations * std::sqrt(gaussian.covariance(feature, feature));
          low = std::min(low, gaussian.mean(feature) - reach);
          high = std::max(high, gaussian.mean(feature) + reach);
        }
    // With one channel a boundary may lie anywhere, and there is room for the whole range.
    if (low >= high || features.size() == 1) std::tie(low, high) = std::tie(whole.low, whole.high);
    // Round numbers at the ends of axes.
    const double unit = whole.high - whole.low > 10 ? 5 : 0.05;
    axes.push_back({whole.name, whole.unit, std::floor(std::max(low, whole.low) / unit) * unit,
                    std::ceil(std::min(high, whole.high) / unit) * unit});
  }
  return axes;
}

std::vector<Plane> PlanesOf(const Model& model, const std::vector<Axis>& axes, int size,
                            const HeldValues& at) {
  const int features = model.features.size();
  Inverse inverse(model);
  std::vector<Plane> planes;
  for (int x = 0; x < features; ++x)
    for (int y = x + 1; y < features; ++y) {
      Plane plane{x, y, {}, size, 0, {}, {}};
      if (features == 3) {
        const int third = 3 - x - y;
        const auto i = static_cast<std::size_t>(third);
        const double middle = (axes[i].low + axes[i].high) / 2;
        plane.held = {third, at[i] ? *at[i] : PositiveMean(model, third).value_or(middle)};
      }
      planes.push_back(std::move(plane));
    }
  if (features == 1) planes.push_back({0, {}, {}, size, 0, {}, {}});
  for (Plane& plane : planes) Fill(plane, model, axes, inverse);
  return planes;
}

Model MarginalOf(const Model& model, const std::vector<int>& features) {
  if (!IsGaussian(model.kind) && model.kind != Kind::kMixture)
    throw Error(fmt::format("kind '{}'", KindName(model.kind)),
                "has no marginal boundary (qda, lda, gaussian-nb and mixture have)");
  const std::vector<std::string> all = model.features.channel_names();
  std::vector<std::string> names;
  for (const int feature : features) names.push_back(all[static_cast<std::size_t>(feature)]);
  Model marginal = model;
  marginal.features = Features(model.features.space().name, names);
  const auto part = [&](FeatureVector& mean, FeatureMatrix& covariance) {
    if (mean.size() == 0) return;
    mean = FeatureVector(mean(features));
    covariance = FeatureMatrix(covariance(features, features));
  };
  for (ClassModel& c : marginal.classes) {
    part(c.mean, c.covariance);
    for (Gaussian& gaussian : c.components) part(gaussian.mean, gaussian.covariance);
  }
  return marginal;
}

std::vector<Plane> MarginalPlanesOf(const Model& model, const std::vector<Axis>& axes, int size) {
  std::vector<Plane> planes;
  for (const std::vector<int>& pair : {std::vector{0, 1}, {0, 2}, {1, 2}}) {
    const std::vector<Axis> of_pair{axes[static_cast<std::size_t>(pair[0])],
                                    axes[static_cast<std::size_t>(pair[1])]};
    planes.push_back(PlanesOf(MarginalOf(model, pair), of_pair, size).front());
    planes.back().x = pair[0];
    planes.back().y = pair[1];
  }
  return planes;
}

int Plane::ClassAt(std::size_t point) const {
  if (std::isnan(log_odds[point])) return kNoColour;
  const double* const a = &discriminants[point * class_count];
  return static_cast<int>(std::max_element(a, a + class_count) - a);
}

std::vector<double> DensitiesOf(const Model& model, const Plane& plane,
                                const std::vector<Axis>& axes) {
  if (model.kind == Kind::kLogistic || plane.y) return {};
  // The common factor that discriminants of one feature leave out.
  double factor = 1 / std::sqrt(2 * std::numbers::pi);
  if (IsHistogram(model.kind)) {
    const auto [low, high] = model.features.Range();
    factor = model.histogram.bins / (high(0) - low(0));
  }
  Model bare = model;
  bare.calibration = {};
  Plane of_bare{plane.x, {}, {}, plane.size, 0, {}, {}};
  Inverse inverse(bare);
  Fill(of_bare, bare, axes, inverse);
  std::vector<double> densities;
  for (const double a : of_bare.discriminants)
    densities.push_back(std::isnan(a) ? 0 : factor * std::exp(a));
  return densities;
}

}  // namespace skinmask
