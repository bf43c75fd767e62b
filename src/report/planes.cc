#include "skinmask/report/planes.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "skinmask/model/reference.h"

namespace skinmask {
namespace {

constexpr int kGridSize = 96;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Which of the space's channels each feature is.
std::vector<int> ChannelsOf(const Features& features) {
  std::vector<int> channels;
  for (const std::string& name : features.channel_names())
    for (int c = 0; c < features.space().dimension; ++c)
      if (features.space().channels[static_cast<std::size_t>(c)] == name) channels.push_back(c);
  return channels;
}

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

Axis AxisOf(const ColorSpace& space, int channel) {
  const auto c = static_cast<std::size_t>(channel);
  const std::array<double, 3> limits = CarrierLimits(space);
  Axis axis{std::string(space.channels[c]), space.offset[c], space.offset[c]};
  for (std::size_t i = 0; i < 3; ++i) {
    const double reach = space.matrix[c][i] * limits[i];
    (reach < 0 ? axis.low : axis.high) += reach;
  }
  return axis;
}

// From values of all channels of the space back to carriers, and to log-odds there.
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

  // NaN where no colour has these values.
  double LogOdds(const std::array<double, 3>& channels) const {
    Eigen::Vector3d from_offset = Eigen::Vector3d::Zero();
    for (int c = 0; c < space_.dimension; ++c) {
      const auto i = static_cast<std::size_t>(c);
      from_offset(c) = channels[i] - space_.offset[i];
    }
    const Eigen::Vector3d carrier = inverse_ * from_offset;
    constexpr double kRounding = 1e-6;
    for (int i = 0; i < 3; ++i)
      if (carrier(i) < -kRounding || carrier(i) > limits_[static_cast<std::size_t>(i)] + kRounding)
        return kNone;
    if (space_.carrier == ColorSpace::Carrier::kChromaticity &&
        carrier(0) + carrier(1) > limits_[0] + 1)
      return kNone;
    return Interpolated(carrier);
  }

 private:
  // Carriers are integers: linear between the eight around a point.
  double Interpolated(const Eigen::Vector3d& carrier) const {
    std::array<std::int32_t, 24> corners;
    std::array<double, 8> weights;
    for (int corner = 0; corner < 8; ++corner) {
      double weight = 1;
      for (int i = 0; i < 3; ++i) {
        const double limit = limits_[static_cast<std::size_t>(i)];
        const double value = std::clamp(carrier(i), 0., limit);
        const double below = std::floor(value);
        const bool up = (corner >> i & 1) != 0;
        weight *= up ? value - below : 1 - (value - below);
        corners[static_cast<std::size_t>(3 * corner + i)] =
            static_cast<std::int32_t>(std::min(below + up, limit));
      }
      weights[static_cast<std::size_t>(corner)] = weight;
    }
    std::array<double, 8> z;
    reference_.LogOddsRow(corners.data(), z.size(), z.data());
    double sum = 0;
    for (std::size_t i = 0; i < z.size(); ++i)
      if (weights[i] > 0) sum += weights[i] * z[i];
    return sum;
  }

  const ColorSpace& space_;
  Reference reference_;
  std::array<double, 3> limits_;
  Eigen::Matrix3d inverse_;
};

// Sum over classes of prior * mean; the middle of the axis for kinds without means.
double PooledMean(const Model& model, int feature, const Axis& axis) {
  double sum = 0, weight = 0;
  for (const ClassModel& c : model.classes) {
    for (const Gaussian& gaussian : c.gaussians()) {
      sum += c.prior * gaussian.weight * gaussian.mean(feature);
      weight += c.prior * gaussian.weight;
    }
  }
  return weight > 0 ? sum / weight : (axis.low + axis.high) / 2;
}

// A channel that the model does not see may have any value that makes a colour of the others: the
// levels that are tried, from mid-range outwards.
std::vector<double> Levels(const Axis& axis) {
  constexpr int kSteps = 10;
  std::vector<double> levels{(axis.low + axis.high) / 2};
  for (int i = 1; i <= kSteps; ++i)
    for (const int sign : {1, -1})
      levels.push_back(levels[0] + sign * (axis.high - axis.low) / 2 * i / kSteps);
  return levels;
}

double LogOddsAt(const Inverse& inverse, std::array<double, 3> channels,
                 const std::vector<std::pair<int, std::vector<double>>>& unseen,
                 std::size_t from = 0) {
  if (from == unseen.size()) return inverse.LogOdds(channels);
  for (const double level : unseen[from].second) {
    channels[static_cast<std::size_t>(unseen[from].first)] = level;
    const double z = LogOddsAt(inverse, channels, unseen, from + 1);
    if (!std::isnan(z)) return z;
  }
  return kNone;
}

void Fill(Plane& plane, const Model& model, const Inverse& inverse) {
  const ColorSpace& space = model.features.space();
  const std::vector<int> channels = ChannelsOf(model.features);
  const std::vector<Axis> axes = AxesOf(model);
  std::vector<std::pair<int, std::vector<double>>> unseen;
  for (int c = 0; c < space.dimension; ++c)
    if (std::find(channels.begin(), channels.end(), c) == channels.end())
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
  for (int row = 0; row < (plane.y ? plane.size : 1); ++row) {
    if (plane.y) set(*plane.y, value_at(*plane.y, row));
    for (int column = 0; column < plane.size; ++column) {
      set(plane.x, value_at(plane.x, column));
      plane.log_odds.push_back(LogOddsAt(inverse, at, unseen));
    }
  }
}

}  // namespace

std::vector<Axis> AxesOf(const Model& model) {
  constexpr double kDeviations = 3.5;
  std::vector<Axis> axes;
  for (const int channel : ChannelsOf(model.features)) {
    const Axis whole = AxisOf(model.features.space(), channel);
    const auto feature = static_cast<Eigen::Index>(axes.size());
    double low = whole.high, high = whole.low;
    for (const ClassModel& c : model.classes) {
      if (c.mean.size() <= feature || c.covariance.rows() <= feature) continue;
      const double reach = kDeviations * std::sqrt(c.covariance(feature, feature));
      low = std::min(low, c.mean(feature) - reach);
      high = std::max(high, c.mean(feature) + reach);
    }
    if (low >= high) std::tie(low, high) = std::tie(whole.low, whole.high);
    // Round numbers at the ends of axes.
    const double unit = whole.high - whole.low > 10 ? 5 : 0.05;
    axes.push_back({whole.name, std::floor(std::max(low, whole.low) / unit) * unit,
                    std::ceil(std::min(high, whole.high) / unit) * unit});
  }
  return axes;
}

std::vector<Plane> PlanesOf(const Model& model) {
  const std::vector<Axis> axes = AxesOf(model);
  const int features = model.features.size();
  const Inverse inverse(model);
  std::vector<Plane> planes;
  for (int x = 0; x < features; ++x)
    for (int y = x + 1; y < features; ++y) {
      Plane plane{x, y, {}, kGridSize, {}};
      if (features == 3) {
        const int third = 3 - x - y;
        plane.held = {third, PooledMean(model, third, axes[static_cast<std::size_t>(third)])};
      }
      planes.push_back(std::move(plane));
    }
  if (features == 1) planes.push_back({0, {}, {}, kGridSize, {}});
  for (Plane& plane : planes) Fill(plane, model, inverse);
  return planes;
}

}  // namespace skinmask
