// Calibrates log-odds by a slope and an offset or by a curve, and measures whether probabilities
// are shares.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "base/parallel_rows.h"
#include "learn/score_bins.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/calibration_curve.h"
#include "skinmask/learn/fit.h"
#include "skinmask/learn/reliability.h"
#include "skinmask/model/reference.h"

namespace skinmask {
namespace {

struct Scored {
  double z, count;
  bool positive;
};

// The log-likelihood of z' = slope z + offset, with its derivatives.
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

// Where lines begin. The middle range of P is within some four log-odds of the threshold; beyond,
// one line is enough, because other errors dominate there.
constexpr std::array<double, 3> kLineFrom{0, 2, 4};
constexpr int kSideTerms = 1 + static_cast<int>(kLineFrom.size());
// The weight of the penalty, the squared jump and squared differences of slopes from 1, against the
// mean log-likelihood.
constexpr double kPenalty = 1e-6;

using SideTerms = Eigen::Matrix<double, kSideTerms, 1>;
using SideSquare = Eigen::Matrix<double, kSideTerms, kSideTerms>;

const SideTerms kIdentity = SideTerms::Ones() - SideTerms::Unit(0);
const SideTerms kLeastTerms =
    SideTerms::Constant(1 / CalibrationSide::kMax) - SideTerms::Unit(0) / CalibrationSide::kMax;

struct SideObjective {
  double value = 0;
  SideTerms gradient = SideTerms::Zero();
  SideSquare information = SideSquare::Zero();
};

// The contribution of the jump and of each line's slope at a distance from the threshold.
SideTerms TermsAt(double distance) {
  SideTerms terms = SideTerms::Unit(0);
  for (std::size_t k = 0; k < kLineFrom.size(); ++k) {
    const double end = k + 1 < kLineFrom.size() ? std::min(distance, kLineFrom[k + 1]) : distance;
    terms(static_cast<Eigen::Index>(k) + 1) = std::max(0., end - kLineFrom[k]);
  }
  return terms;
}

// The curve's jump, and its slopes where our lines begin.
SideTerms TermsOf(const CalibrationSide& side) {
  SideTerms terms = kIdentity;
  terms(0) = side.jump;
  for (std::size_t k = 0; k < kLineFrom.size(); ++k)
    for (const auto& [from, slope] : side.lines)
      if (from <= kLineFrom[k]) terms(static_cast<Eigen::Index>(k) + 1) = slope;
  return terms;
}

// The fit of one side of the threshold.
class SideFit {
 public:
  SideFit(std::span<const ScoreStep> steps, double own, double sign)
      : steps_(steps), own_(own), sign_(sign) {
    for (const ScoreStep& step : steps) {
      positive_ += static_cast<double>(step.positive);
      negative_ += static_cast<double>(step.negative);
    }
  }

  std::optional<CalibrationSide> Side(const CalibrationSide& start) const {
    if (positive_ == 0 || negative_ == 0) return std::nullopt;
    const SideTerms best = Best(Within(TermsOf(start)));
    CalibrationSide side(best(0), {});
    for (std::size_t k = 0; k < kLineFrom.size(); ++k)
      side.lines.push_back({kLineFrom[k], best(static_cast<Eigen::Index>(k) + 1)});
    return side;
  }

 private:
  static SideTerms Within(const SideTerms& w) {
    return w.cwiseMax(kLeastTerms).cwiseMin(CalibrationSide::kMax);
  }

  SideObjective At(const SideTerms& w) const {
    SideObjective at;
    for (const ScoreStep& step : steps_) {
      const SideTerms x = sign_ * TermsAt(std::abs(step.score - own_));
      // sigma(z), sigma(-z) and their logarithms need one exponential only.
      const double z = own_ + w.dot(x), small = std::exp(-std::abs(z)), log_sum = std::log1p(small);
      const double p = (z < 0 ? small : 1) / (1 + small), q = (z < 0 ? 1 : small) / (1 + small);
      const auto positive = static_cast<double>(step.positive),
                 negative = static_cast<double>(step.negative);
      at.value += positive * (std::min(z, 0.) - log_sum) + negative * (std::min(-z, 0.) - log_sum);
      at.gradient += (positive * q - negative * p) * x;
      at.information += (positive + negative) * p * q * x * x.transpose();
    }
    const double all = positive_ + negative_;
    const SideTerms off = w - kIdentity;
    at.value = at.value / all - kPenalty / 2 * off.squaredNorm();
    at.gradient = at.gradient / all - kPenalty * off;
    at.information = at.information / all + kPenalty * SideSquare::Identity();
    return at;
  }

  // Newton's step for the terms that are not at a bound.
  static SideTerms StepOf(const SideObjective& at, const SideTerms& w) {
    SideSquare information = at.information;
    SideTerms gradient = at.gradient;
    for (int i = 0; i < kSideTerms; ++i) {
      const bool held = (w(i) <= kLeastTerms(i) && gradient(i) < 0) ||
                        (w(i) >= CalibrationSide::kMax && gradient(i) > 0);
      if (!held) continue;
      information.row(i).setZero();
      information.col(i).setZero();
      information(i, i) = 1;
      gradient(i) = 0;
    }
    return information.ldlt().solve(gradient);
  }

  // Projected Newton (Bertsekas 1982); a step that gains nothing is halved.
  SideTerms Best(SideTerms w) const {
    SideObjective at = At(w);
    for (int i = 0; i < 200; ++i) {
      const SideTerms step = StepOf(at, w);
      // The possible gain is less than the rounding of the sums.
      if (at.gradient.dot(step) <= 1e-14) return Within(w + step);
      bool gains = false;
      for (double length = 1; length > 1e-9 && !gains; length /= 2) {
        const SideTerms next = Within(w + length * step);
        const SideObjective there = At(next);
        gains = there.value > at.value;
        if (!gains) continue;
        const bool ends = there.value - at.value <= 1e-15 || (next - w).norm() <= 1e-10;
        w = next;
        at = there;
        if (ends) return w;
      }
      if (!gains) break;
    }
    return w;
  }

  std::span<const ScoreStep> steps_;
  double own_, sign_, positive_ = 0, negative_ = 0;
};

}  // namespace

Calibration FitCalibration(const Samples& samples, Model model, const std::string& data) {
  model.calibration = {};
  const std::vector<Scored> scored = Score(samples, model);
  double n[2] = {}, greatest[2] = {-HUGE_VAL, -HUGE_VAL}, least[2] = {HUGE_VAL, HUGE_VAL};
  for (const Scored& s : scored) {
    n[s.positive] += s.count;
    least[s.positive] = std::min(least[s.positive], s.z);
    greatest[s.positive] = std::max(greatest[s.positive], s.z);
  }
  if (n[0] == 0 || n[1] == 0)
    throw Error(data, "cannot calibrate: it needs pixels of the positive class and of another");
  const auto require_errors = [&](bool makes_errors) {
    if (!makes_errors)
      throw Error(data,
                  "cannot calibrate: the model tells its classes apart without error (more data)");
  };
  if (least[true] == greatest[false] && least[false] == greatest[true])
    throw Error(data, "cannot calibrate: all its pixels have one score (more varied data)");
  require_errors(least[true] < greatest[false]);
  // Where no score counts. With the scores as they are, all pixels of a model that is too certain
  // may have a probability of 0 or 1, and the information is singular.
  Eigen::Vector2d w(0, std::log(n[true] / n[false]));
  Likelihood at = At(scored, w);
  for (int i = 0; i < 100; ++i) {
    const Eigen::Vector2d step = at.information.fullPivLu().solve(at.gradient);
    Likelihood there = At(scored, w + step);
    double length = 1;
    for (; !(there.value >= at.value) && length > 1e-9; there = At(scored, w + length * step))
      length /= 2;
    if (!(there.value >= at.value)) break;  // all that is left is rounding
    w += length * step;
    const double gain = there.value - std::exchange(at, there).value;
    if (gain <= 1e-12 * std::abs(at.value)) break;
  }
  constexpr double kMaxSlope = 1e6;  // as Validate takes it
  require_errors(w(0) <= kMaxSlope && w.allFinite());
  if (!(w(0) > 0))
    throw Error(data, fmt::format("cannot calibrate: more {} there means lower scores (other data)",
                                  model.positive().name));
  return {w(0), w(1), data};
}

std::optional<double> ReliabilityBin::MeanProbability() const { return Ratio(sum, count); }
std::optional<double> ReliabilityBin::PositiveShare() const { return Ratio(positive, count); }

Reliability::Reliability(int bin_count) {
  if (bin_count < 1) throw Error("reliability", "needs a bin or more");
  for (int i = 0; i < bin_count; ++i)
    bins.push_back({static_cast<double>(i) / bin_count, (i + 1.) / bin_count});
}

void Reliability::Add(double log_odds, std::uint64_t positive, std::uint64_t negative) {
  if (std::isnan(log_odds)) throw Error("log-odds", "are NaN");
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

std::optional<CalibrationCurve> FitCalibrationCurve(const Scores& scores, double own,
                                                    const CalibrationCurve& start) {
  const auto middle = std::ranges::partition_point(
      scores.steps, [&](const ScoreStep& step) { return step.score <= own; });
  const auto below = SideFit({scores.steps.begin(), middle}, own, -1).Side(start.below);
  const auto above = SideFit({middle, scores.steps.end()}, own, 1).Side(start.above);
  if (!below || !above) return std::nullopt;
  return CalibrationCurve{*below, *above};
}

}  // namespace skinmask
