#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "learn/fit_kinds.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
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

std::optional<double> Reliability::EceOver(double low, double high) const {
  constexpr double kRounding = 1e-9;
  double sum = 0;
  std::uint64_t all = 0;
  for (const ReliabilityBin& bin : bins) {
    if (bin.low < low - kRounding || bin.high > high + kRounding) continue;
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
