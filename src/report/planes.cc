#include "skinmask/report/planes.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <tuple>

#include "skinmask/base/error.h"
#include "skinmask/model/reference.h"

namespace skinmask {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The largest value that each carrier takes.
std::array<double, 3> CarrierLimits(const ColorSpace& space) {
  switch (space.carrier) {
    case ColorSpace::Carrier::kChromaticity:
      return {1 << 20, 1 << 20, 0};
    case ColorSpace::Carrier::kHsv:
      return {179, 255, 255};  // OpenCV halves degrees
    default:
      return {255, 255, 255};
  }
}

std::string UnitOf(const ColorSpace& space, int channel) {
  if (space.carrier == ColorSpace::Carrier::kChromaticity) return "share";
  const bool hue = space.carrier == ColorSpace::Carrier::kHsv && channel == 0;
  return hue ? "steps of 2°" : "8-bit levels";
}

Axis AxisOf(const ColorSpace& space, int channel) {
  const auto c = static_cast<std::size_t>(channel);
  const std::array<double, 3> limits = CarrierLimits(space);
  Axis axis{std::string(space.channels[c]), UnitOf(space, channel), space.offset[c],
            space.offset[c]};
  for (std::size_t i = 0; i < 3; ++i) {
    const double reach = space.matrix[c][i] * limits[i];
    (reach < 0 ? axis.low : axis.high) += reach;
  }
  return axis;
}

// What there is at a point: log-odds, and then the discriminants. Empty where no colour lies.
using Answer = std::vector<double>;

// From values of all channels of the space back to carriers, and to answers there.
class Inverse {
 public:
  explicit Inverse(const Model& model)
      : space_(model.features.space()), reference_(model), limits_(CarrierLimits(space_)) {
    Eigen::Matrix3d matrix = Eigen::Matrix3d::Identity();
    for (int row = 0; row < space_.dimension; ++row)
      for (int column = 0; column < 3; ++column)
        matrix(row, column) =
            space_.matrix[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
    inverse_ = matrix.inverse();
  }

  int class_count() const { return reference_.class_count(); }

  Answer At(const std::array<double, 3>& channels) const {
    Eigen::Vector3d from_offset = Eigen::Vector3d::Zero();
    for (int c = 0; c < space_.dimension; ++c) {
      const auto i = static_cast<std::size_t>(c);
      from_offset(c) = channels[i] - space_.offset[i];
    }
    const Eigen::Vector3d carrier = inverse_ * from_offset;
    constexpr double kRounding = 1e-6;
    for (int i = 0; i < 3; ++i)
      if (carrier(i) < -kRounding || carrier(i) > limits_[static_cast<std::size_t>(i)] + kRounding)
        return {};
    if (space_.carrier == ColorSpace::Carrier::kChromaticity &&
        carrier(0) + carrier(1) > limits_[0] + 1)
      return {};
    return Interpolated(carrier);
  }

 private:
  // Carriers are integers: linear between the eight around a point.
  Answer Interpolated(const Eigen::Vector3d& carrier) const {
    const auto classes = static_cast<std::size_t>(class_count());
    Answer sum(1 + classes, 0), there(1 + classes);
    for (int corner = 0; corner < 8; ++corner) {
      double weight = 1;
      std::array<std::int32_t, 3> at;
      for (int i = 0; i < 3; ++i) {
        const double limit = limits_[static_cast<std::size_t>(i)];
        const double value = std::clamp(carrier(i), 0., limit);
        const double below = std::floor(value);
        const bool up = (corner >> i & 1) != 0;
        weight *= up ? value - below : 1 - (value - below);
        at[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(std::min(below + up, limit));
      }
      if (weight <= 0) continue;
      reference_.LogOddsRow(at.data(), 1, there.data());
      reference_.Discriminants(at.data(), there.data() + 1);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * there[i];
    }
    return sum;
  }

  const ColorSpace& space_;
  Reference reference_;
  std::array<double, 3> limits_;
  Eigen::Matrix3d inverse_;
};

// The positive class's mean: there its own colours are, and what is drawn of it lies in its region.
// The middle of the axis for kinds without means.
double HeldAt(const Model& model, int feature, const Axis& axis) {
  double mean = 0;
  for (const Gaussian& gaussian : model.positive().gaussians())
    mean += gaussian.weight * gaussian.mean(feature);
  return model.positive().gaussians().empty() ? (axis.low + axis.high) / 2 : mean;
}

// A channel that the model does not see may have any value that makes a colour of the others: the
// levels that are tried, from mid-range outwards.
std::vector<double> Levels(const Axis& axis) {
  constexpr int kSteps = 40;
  std::vector<double> levels{(axis.low + axis.high) / 2};
  for (int i = 1; i <= kSteps; ++i)
    for (const int sign : {1, -1})
      levels.push_back(levels[0] + sign * (axis.high - axis.low) / 2 * i / kSteps);
  return levels;
}

Answer AnswerAt(const Inverse& inverse, std::array<double, 3> channels,
                const std::vector<std::pair<int, std::vector<double>>>& unseen,
                std::size_t from = 0) {
  if (from == unseen.size()) return inverse.At(channels);
  for (const double level : unseen[from].second) {
    channels[static_cast<std::size_t>(unseen[from].first)] = level;
    Answer answer = AnswerAt(inverse, channels, unseen, from + 1);
    if (!answer.empty()) return answer;
  }
  return {};
}

void Append(Plane& plane, Answer answer) {
  if (answer.empty()) answer.assign(1 + plane.class_count, kNone);
  plane.log_odds.push_back(answer.front());
  plane.discriminants.insert(plane.discriminants.end(), answer.begin() + 1, answer.end());
}

void Fill(Plane& plane, const Model& model, const std::vector<Axis>& axes, const Inverse& inverse) {
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
  plane.class_count = static_cast<std::size_t>(inverse.class_count());
  for (int row = 0; row < plane.rows(); ++row) {
    if (plane.y) set(*plane.y, value_at(*plane.y, row));
    for (int column = 0; column < plane.size; ++column) {
      set(plane.x, value_at(plane.x, column));
      Append(plane, AnswerAt(inverse, at, unseen));
    }
  }
}

}  // namespace

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
    // Of one channel a boundary may lie anywhere, and there is room for all of it.
    if (low >= high || features.size() == 1) std::tie(low, high) = std::tie(whole.low, whole.high);
    // Round numbers at the ends of axes.
    const double unit = whole.high - whole.low > 10 ? 5 : 0.05;
    axes.push_back({whole.name, whole.unit, std::floor(std::max(low, whole.low) / unit) * unit,
                    std::ceil(std::min(high, whole.high) / unit) * unit});
  }
  return axes;
}

std::vector<Plane> PlanesOf(const Model& model, int size) {
  return PlanesOf(model, AxesOf(model), size, {});
}

std::vector<Plane> PlanesOf(const Model& model, const std::vector<Axis>& axes, int size,
                            const HeldValues& at) {
  const int features = model.features.size();
  const Inverse inverse(model);
  std::vector<Plane> planes;
  for (int x = 0; x < features; ++x)
    for (int y = x + 1; y < features; ++y) {
      Plane plane{x, y, {}, size, 0, {}, {}};
      if (features == 3) {
        const int third = 3 - x - y;
        const auto i = static_cast<std::size_t>(third);
        plane.held = {third, at[i] ? *at[i] : HeldAt(model, third, axes[i])};
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
  marginal.calibration = {};
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
    planes.push_back(PlanesOf(MarginalOf(model, pair), of_pair, size, {}).front());
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
  // The common factor that discriminants of one feature lack.
  double factor = 1 / std::sqrt(2 * std::numbers::pi);
  if (IsHistogram(model.kind)) {
    const auto [low, high] = model.features.Range();
    factor = model.histogram.bins / (high(0) - low(0));
  }
  Model bare = model;
  bare.calibration = {};
  Plane of_bare{plane.x, {}, {}, plane.size, 0, {}, {}};
  Fill(of_bare, bare, axes, Inverse(bare));
  std::vector<double> densities;
  for (const double a : of_bare.discriminants)
    densities.push_back(std::isnan(a) ? 0 : factor * std::exp(a));
  return densities;
}

}  // namespace skinmask
