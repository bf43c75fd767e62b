#include "skinmask/learn/calibration_curve.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

// Where lines begin: the middle of P is within some four log-odds of the threshold, and what is
// far away has one line, as there are other errors there.
constexpr std::array<double, 3> kLineFrom{0, 2, 4};
constexpr int kSideTerms = 1 + static_cast<int>(kLineFrom.size());
// Of the squares of the jump and of what slopes differ from 1, beside the mean log-likelihood.
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

// How much of the jump and of each line there is at a distance from the threshold.
SideTerms TermsAt(double distance) {
  SideTerms terms = SideTerms::Unit(0);
  for (std::size_t k = 0; k < kLineFrom.size(); ++k) {
    const double end = k + 1 < kLineFrom.size() ? std::min(distance, kLineFrom[k + 1]) : distance;
    terms(static_cast<Eigen::Index>(k) + 1) = std::max(0., end - kLineFrom[k]);
  }
  return terms;
}

// One side of the threshold.
class SideFit {
 public:
  SideFit(std::span<const ScoreStep> steps, double own, double sign)
      : steps_(steps), own_(own), sign_(sign) {
    for (const ScoreStep& step : steps) {
      positive_ += static_cast<double>(step.positive);
      negative_ += static_cast<double>(step.negative);
    }
  }

  std::optional<CalibrationSide> Side() const {
    if (positive_ == 0 || negative_ == 0) return std::nullopt;
    const SideTerms best = Best();
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
      const double z = own_ + w.dot(x), p = Logistic(z);
      const auto positive = static_cast<double>(step.positive),
                 negative = static_cast<double>(step.negative);
      at.value += positive * LogLogistic(z) + negative * LogLogistic(-z);
      at.gradient += (positive * Logistic(-z) - negative * p) * x;
      at.information += (positive + negative) * p * Logistic(-z) * x * x.transpose();
    }
    const double all = positive_ + negative_;
    const SideTerms off = w - kIdentity;
    at.value = at.value / all - kPenalty / 2 * off.squaredNorm();
    at.gradient = at.gradient / all - kPenalty * off;
    at.information = at.information / all + kPenalty * SideSquare::Identity();
    return at;
  }

  // Newton's step of what no bound holds back.
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
  SideTerms Best() const {
    SideTerms w = kIdentity;
    SideObjective at = At(w);
    for (int i = 0; i < 200; ++i) {
      const SideTerms step = StepOf(at, w);
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

std::optional<CalibrationCurve> FitCalibrationCurve(const Scores& scores, double own) {
  const auto middle = std::ranges::partition_point(
      scores.steps, [&](const ScoreStep& step) { return step.score <= own; });
  const auto below = SideFit({scores.steps.begin(), middle}, own, -1).Side();
  const auto above = SideFit({middle, scores.steps.end()}, own, 1).Side();
  if (!below || !above) return std::nullopt;
  return CalibrationCurve{*below, *above};
}

}  // namespace skinmask
