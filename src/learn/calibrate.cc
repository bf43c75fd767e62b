#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <span>

#include "learn/fit_kinds.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/calibration_scales.h"
#include "skinmask/learn/reliability.h"
#include "skinmask/model/reference.h"

namespace skinmask {
namespace {

struct Scored {
  double z, count;
  bool positive;
};

// Of z' = slope z + offset.
struct Likelihood {
  double value = 0;
  Eigen::Vector2d gradient = Eigen::Vector2d::Zero();
  Eigen::Matrix2d information = Eigen::Matrix2d::Zero();
  Likelihood& operator+=(const Likelihood& other) {
    value += other.value;
    gradient += other.gradient;
    information += other.information;
    return *this;
  }
};

std::vector<Scored> Score(const Samples& samples, const Model& model) {
  const Reference reference(model);
  std::vector<Scored> scored;
  for (const SampleRow& row : samples.rows())
    scored.push_back({reference.LogOdds(row.b, row.g, row.r), static_cast<double>(row.count),
                      samples.classes()[row.class_index] == model.positive().name});
  return scored;
}

void AddTo(Likelihood& sum, const Scored& s, const Eigen::Vector2d& w) {
  const double z = w(0) * s.z + w(1), p = Logistic(z);
  const Eigen::Vector2d x(s.z, 1);
  sum.value += s.count * LogLogistic(s.positive ? z : -z);
  sum.gradient += s.count * (s.positive ? Logistic(-z) : -p) * x;
  sum.information += s.count * p * (1 - p) * x * x.transpose();
}

Likelihood At(const std::vector<Scored>& scored, const Eigen::Vector2d& w) {
  constexpr std::size_t kGrain = 2048;
  return SumOver(scored.size(), kGrain, Likelihood(),
                 [&](std::size_t first, std::size_t last, Likelihood& sum) {
                   for (std::size_t i = first; i < last; ++i) AddTo(sum, scored[i], w);
                 });
}

struct Derivatives {
  double first = 0, second = 0;  // of the log-likelihood by the scale
};

Derivatives At(std::span<const ScoreStep> side, double own, double scale) {
  Derivatives sum;
  for (const ScoreStep& step : side) {
    const double z = step.score - own, p = Logistic(own + scale * z);
    const auto positive = static_cast<double>(step.positive);
    const double all = positive + static_cast<double>(step.negative);
    sum.first += z * (positive - all * p);
    sum.second -= all * z * z * p * (1 - p);
  }
  return sum;
}

// Newton's steps within a bracket: the first derivative falls all the way.
std::optional<double> ScaleOf(std::span<const ScoreStep> side, double own) {
  const auto has = [&](auto count) {
    return std::ranges::any_of(side, [&](const ScoreStep& s) { return s.*count > 0; });
  };
  if (!has(&ScoreStep::positive) || !has(&ScoreStep::negative)) return std::nullopt;
  double low = 1 / CalibrationScales::kMax, high = CalibrationScales::kMax;
  if (At(side, own, low).first < 0 || At(side, own, high).first > 0) return std::nullopt;
  double scale = 1;
  for (int i = 0; i < 100; ++i) {
    const Derivatives d = At(side, own, scale);
    (d.first > 0 ? low : high) = scale;
    double next = scale - d.first / d.second;
    if (!(next > low && next < high)) next = std::sqrt(low * high);
    const bool ends = std::abs(next - scale) <= 1e-9 * scale;
    scale = next;
    if (ends) break;
  }
  return scale;
}

std::optional<double> Ratio(double part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return part / static_cast<double>(whole);
}

}  // namespace

Calibration FitCalibration(const Samples& samples, Model model, const std::string& data) {
  model.calibration = {};
  const std::vector<Scored> scored = Score(samples, model);
  double n[2] = {};
  for (const Scored& s : scored) n[s.positive] += s.count;
  if (n[0] == 0 || n[1] == 0)
    throw Error(data, "cannot calibrate: it needs pixels of the positive class and of another");
  Eigen::Vector2d w(1, 0);
  Likelihood at = At(scored, w);
  for (int i = 0; i < 100; ++i) {
    const Eigen::Vector2d step = at.information.fullPivLu().solve(at.gradient);
    const double before = at.value;
    double length = 1;
    Eigen::Vector2d next;
    do {
      next = w + length * step;
      at = At(scored, next);
      length /= 2;
    } while (!(at.value >= before) && length > 1e-9);
    w = next;
    if (std::abs(at.value - before) <= 1e-12 * std::abs(at.value)) break;
  }
  constexpr double kEndless = 1e3;
  if (w(0) > kEndless)
    throw Error(data,
                "cannot calibrate: the model tells its classes apart without error (more data)");
  if (!(w(0) > 0 && w.allFinite()))
    throw Error(data, "cannot calibrate: more skin there means lower scores (other data)");
  return {w(0), w(1), data};
}

std::optional<CalibrationScales> FitCalibrationScales(const Scores& scores, double own) {
  const auto middle = std::ranges::partition_point(
      scores.steps, [&](const ScoreStep& step) { return step.score < own; });
  const auto below = ScaleOf({scores.steps.begin(), middle}, own);
  const auto above = ScaleOf({middle, scores.steps.end()}, own);
  if (!below || !above) return std::nullopt;
  return CalibrationScales{*below, *above};
}

std::optional<double> ReliabilityBin::MeanProbability() const { return Ratio(sum, count); }
std::optional<double> ReliabilityBin::PositiveShare() const {
  return Ratio(static_cast<double>(positive), count);
}

Reliability::Reliability(int bin_count) {
  for (int i = 0; i < bin_count; ++i)
    bins.push_back({static_cast<double>(i) / bin_count, (i + 1.) / bin_count});
}

void Reliability::Add(double log_odds, std::uint64_t positive, std::uint64_t negative) {
  const double p = Logistic(log_odds);
  const auto count = static_cast<int>(bins.size());
  ReliabilityBin& bin =
      bins[static_cast<std::size_t>(std::min(count - 1, static_cast<int>(p * count)))];
  bin.count += positive + negative;
  bin.positive += positive;
  bin.sum += p * static_cast<double>(positive + negative);
}

std::optional<double> Reliability::Ece() const {
  double sum = 0;
  std::uint64_t all = 0;
  for (const ReliabilityBin& bin : bins) {
    // count * |positive / count - sum / count|
    sum += std::abs(static_cast<double>(bin.positive) - bin.sum);
    all += bin.count;
  }
  return Ratio(sum, all);
}

Reliability ReliabilityOf(const Scores& scores, int bin_count) {
  Reliability reliability(bin_count);
  for (const ScoreStep& step : scores.steps)
    reliability.Add(step.score, step.positive, step.negative);
  return reliability;
}

}  // namespace skinmask
