#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "base/distributions.h"
#include "learn/fit_kinds.h"
#include "learn/logistic_likelihood.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/fit.h"

namespace skinmask {

void logistic::RequireIndependentTerms(const Eigen::MatrixXd& information) {
  constexpr double kSingular = 1e-13;  // ratio of eigenvalues, some 500 roundings
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(information, Eigen::EigenvaluesOnly)
          .eigenvalues();
  if (!(values(0) > kSingular * values(values.size() - 1)))
    throw Error("logistic",
                "its features depend on each other linearly, so no weights are the best "
                "(fewer `channels`, simpler `features`, or `ridge` 1e-6 or more)");
}

namespace {

using Solver = LogisticOptions::Solver;
using logistic::HardlyChanges;
using logistic::Vector;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, logistic::kMaxTerms,
                             logistic::kMaxTerms>;
using Solution = logistic::Solution<Vector>;

// Values per pixel, with the ridge's penalty.
struct LogLikelihoodAt {
  double value = 0;
  Vector gradient;
  Matrix information;
};

// The weights that the ridge penalises: all but the constant.
Vector Penalised(Vector w) {
  w(0) = 0;
  return w;
}

// The maximisation problem: two classes given standardised terms.
class Problem {
 public:
  Problem(const Samples& samples, const FitOptions& options, const Model& model)
      : ridge_(options.logistic.ridge),
        form_(logistic::FormOf(options.logistic.terms, options.features.size())) {
    std::vector<PointPlanes> classes{PlanesOf(samples, options.features, model.classes[0].name),
                                     PlanesOf(samples, options.features, model.classes[1].name)};
    total_ = static_cast<double>(model.classes[0].count + model.classes[1].count);
    scale_ = ScaleOf(classes, options.features.size());
    points_ = PointPlanes(classes[0].count + classes[1].count);
    std::size_t next = 0;
    for (PointPlanes& points : classes) {
      const double sign = &points == &classes[0] ? 1 : -1;
      logistic::Standardise(scale_, points);
      for (std::size_t k = 0; k < points.count; ++k, ++next) {
        points_.weight[next] = sign * points.weight[k];
        for (std::size_t i = 0; i < 3; ++i) points_.f[i][next] = points.f[i][k];
      }
    }
  }

  int terms() const { return static_cast<int>(form_.terms()); }
  double total() const { return total_; }
  // Standardised; the weights of the second class's points are negative.
  const PointPlanes& points() const { return points_; }
  Vector TermsOf(std::size_t point) const { return logistic::TermsOf(form_, points_, point); }

  // The log-likelihood at weights w; `information` only if requested.
  LogLikelihoodAt At(const Vector& w, bool information) const {
    logistic::Polynomial z = form_;
    std::copy(w.begin(), w.end(), z.w.begin());
    const logistic::LikelihoodSums sums = logistic::Likelihood(points_, z, information);
    const int m = terms();
    LogLikelihoodAt at{sums.value, Eigen::Map<const Vector>(sums.gradient.data(), m),
                       Matrix::Zero(m, m)};
    auto next = sums.information.begin();
    for (int row = 0; row < m; ++row)
      for (int column = 0; column <= row; ++column)
        at.information(row, column) = at.information(column, row) = *next++;
    at.value /= total_;
    at.gradient /= total_;
    at.information /= total_;
    const Vector penalised = Penalised(w);
    at.value -= 0.5 * ridge_ * penalised.squaredNorm();
    at.gradient -= ridge_ * penalised;
    for (int i = 1; i < m; ++i) at.information(i, i) += ridge_;
    return at;
  }

  // The log-likelihood of all pixels, without the penalty.
  double LogLikelihood(const Vector& w) const {
    return total_ * (At(w, false).value + 0.5 * ridge_ * Penalised(w).squaredNorm());
  }
  FeatureTerms Coefficients(const Vector& w) const {
    return logistic::Coefficients(form_, scale_, w);
  }

 private:
  double ridge_;
  logistic::Polynomial form_;  // without weights
  double total_ = 0;
  Scale scale_;
  PointPlanes points_;
};

int MostOf(const LogisticOptions& options) {
  return options.iterations.value_or(options.solver == Solver::kGradient ? 10000 : 50);
}

// With a mean log-likelihood above this, no pixel is on the wrong side of the boundary, where one
// alone would cost log 2: the classes are separated.
double ValueOfSeparated(const Problem& problem) {
  const PointPlanes& points = problem.points();
  double least = problem.total();
  for (std::size_t k = 0; k < points.count; ++k)
    least = std::min(least, std::abs(points.weight[k]));
  return -std::log(2) * least / problem.total();
}

Solution Newton(const Problem& problem, LogLikelihoodAt at, const LogisticOptions& options,
                Iterations& watch) {
  const double separated = ValueOfSeparated(problem);
  Solution s = logistic::Newton<Vector>(
      at, MostOf(options), watch, [&](const Vector& w) { return problem.At(w, true); },
      [&](double before, const Vector&, const Solution& so_far) {
        if (options.ridge == 0 && at.value > separated) FailSeparable(so_far.iterations);
        return HardlyChanges(before, at.value, options.tolerance);
      });
  if (options.ridge == 0 && !options.iterations && !s.converged) FailSeparable(s.iterations);
  return s;
}

Solution Gradient(const Problem& problem, const LogisticOptions& options, Iterations& watch) {
  const int most = MostOf(options);
  double step = options.step.value_or(1);
  Solution s{Vector::Zero(problem.terms()), 0};
  LogLikelihoodAt at = problem.At(s.w, false);
  while (s.iterations < most && !s.converged) {
    watch.RequireNotStopped();
    const Vector next = s.w + step * at.gradient;
    const LogLikelihoodAt then = problem.At(next, false);
    if (then.value >= at.value) {
      s.converged = HardlyChanges(at.value, then.value, options.tolerance);
      s.w = next;
      at = then;
    } else {  // too far
      step /= 2;
      s.converged = step < 1e-12;
    }
    if (!s.converged) ++s.iterations;
    watch.Done(s.converged ? 0 : most - s.iterations);
  }
  return s;
}

// One pixel at a time, drawn at random. A pass has as many pixels as there are colours; the step of
// each pass is shorter: step / (1 + pass).
Solution Sgd(const Problem& problem, const LogisticOptions& options, Iterations& watch) {
  constexpr std::size_t kDrawsAtOnce = 4096;  // a millisecond or two: a pass may take seconds
  const int most = MostOf(options);
  const double step = options.step.value_or(0.1);
  const PointPlanes& points = problem.points();
  std::vector<double> up_to;
  for (std::size_t k = 0; k < points.count; ++k)
    up_to.push_back((up_to.empty() ? 0 : up_to.back()) + std::abs(points.weight[k]));
  Random random(1);
  Solution s{Vector::Zero(problem.terms()), 0};
  double value = problem.At(s.w, false).value;
  while (s.iterations < most && !s.converged) {
    const double now = step / (1 + s.iterations);
    for (std::size_t draw = 0; draw < points.count; ++draw) {
      if (draw % kDrawsAtOnce == 0) watch.RequireNotStopped();
      const auto found =
          std::upper_bound(up_to.begin(), up_to.end(), random.Uniform() * problem.total());
      const std::size_t k =
          std::min<std::size_t>(static_cast<std::size_t>(found - up_to.begin()), points.count - 1);
      const Vector t = problem.TermsOf(k);
      const double residual = (points.weight[k] > 0 ? 1 : 0) - Logistic(s.w.dot(t));
      Vector shrunk = options.ridge * s.w;
      shrunk(0) = 0;
      s.w += now * (residual * t - shrunk);
    }
    ++s.iterations;
    const double before = value;
    value = problem.At(s.w, false).value;
    s.converged = HardlyChanges(before, value, options.tolerance);
    watch.Done(s.converged ? 0 : most - s.iterations);
  }
  return s;
}

Solution Solve(const Problem& problem, const LogLikelihoodAt& start, const FitOptions& options) {
  const LogisticOptions& how = options.logistic;
  Iterations watch(options, 1, MostOf(how));
  watch.Begin(problem.total());
  if (how.solver == Solver::kNewton) return Newton(problem, start, how, watch);
  return how.solver == Solver::kGradient ? Gradient(problem, how, watch) : Sgd(problem, how, watch);
}

// Whether the boundary separates the classes completely: its weights could then grow without bound.
bool Separates(const Problem& problem, const Vector& w) {
  const PointPlanes& points = problem.points();
  for (std::size_t k = 0; k < points.count; ++k)
    if (!(points.weight[k] * w.dot(problem.TermsOf(k)) > 0)) return false;
  return true;
}

}  // namespace

void FailSeparable(int iterations) {
  throw Error(
      "logistic",
      fmt::format("the classes can be told apart without error, or nearly: weights grow without "
                  "end ({} steps; give `ridge` 1e-6 or more)",
                  iterations));
}

void FitLogistic(const Samples& samples, const FitOptions& options, Model& model) {
  if (model.classes.size() > 2) return FitMultinomial(samples, options, model);
  const Problem problem(samples, options, model);
  const LogisticOptions& how = options.logistic;
  const LogLikelihoodAt start = problem.At(Vector::Zero(problem.terms()), true);
  if (how.ridge == 0) logistic::RequireIndependentTerms(start.information);
  const Solution solution = Solve(problem, start, options);
  const double log_likelihood = problem.LogLikelihood(solution.w);
  if (!solution.w.allFinite() || !std::isfinite(log_likelihood))
    throw Error("logistic", "the weights overflow (a smaller `rate`, or `solver` newton)");
  if (how.ridge == 0 && (solution.converged || !how.iterations) && Separates(problem, solution.w))
    FailSeparable(solution.iterations);
  static_cast<FeatureTerms&>(model.logistic) = problem.Coefficients(solution.w);
  // The prior's part of the intercept is stored with the classes.
  model.logistic.constant -= std::log(static_cast<double>(model.classes[0].count)) -
                             std::log(static_cast<double>(model.classes[1].count));
  model.logistic.ridge = how.ridge;
  model.logistic.solver = SolverName(how.solver);
  model.logistic.iterations = solution.iterations;
  model.converged = solution.converged;
  model.logistic.log_likelihood = log_likelihood;
}

}  // namespace skinmask
