#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "learn/fit_kinds.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

using Solver = LogisticOptions::Solver;
using Terms = LogisticOptions::Terms;

constexpr int kMaxTerms = 10;  // 1, three features, six products
using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxTerms, 1>;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxTerms, kMaxTerms>;

struct Row {
  Vector t;  // 1, u, and products of u, the features standardised
  double weight;
  bool positive;
};

struct Scale {
  FeatureVector mean, deviation;
};

// The log-likelihood with its derivatives, per pixel.
struct Likelihood {
  double value = 0;
  Vector gradient = Vector::Zero(kMaxTerms);
  Matrix information = Matrix::Zero(kMaxTerms, kMaxTerms);
  Likelihood& operator+=(const Likelihood& other) {
    value += other.value;
    gradient += other.gradient;
    information += other.information;
    return *this;
  }
};

std::vector<std::pair<int, int>> Products(Terms terms, int size) {
  std::vector<std::pair<int, int>> products;
  for (int i = 0; i < size; ++i)
    for (int j = i; j < size; ++j)
      if (terms == Terms::kQuadratic || (terms == Terms::kSquares && i == j))
        products.emplace_back(i, j);
  return products;
}

Scale ScaleOf(const std::vector<WeightedPoint>& positive,
              const std::vector<WeightedPoint>& negative, int size, double total) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero(), squares = Eigen::Vector3d::Zero();
  for (const auto* points : {&positive, &negative})
    for (const WeightedPoint& p : *points) sum += p.weight * p.f;
  const Eigen::Vector3d mean = sum / total;
  for (const auto* points : {&positive, &negative})
    for (const WeightedPoint& p : *points) squares += p.weight * (p.f - mean).cwiseAbs2();
  const Eigen::Vector3d deviation = (squares / total).cwiseSqrt();
  for (int i = 0; i < size; ++i)
    if (!(deviation(i) > 0))
      throw Error("logistic", "a channel never varies (more varied samples, fewer --channels)");
  return {mean.head(size), deviation.head(size)};
}

class Problem {
 public:
  Problem(const Samples& samples, const FitOptions& options, const Model& model)
      : options_(options.logistic),
        size_(options.features.size()),
        products_(Products(options.logistic.terms, size_)) {
    const auto positive = PointsOf(samples, options.features, model.classes[0].name);
    const auto negative = PointsOf(samples, options.features, model.classes[1].name);
    total_ = static_cast<double>(samples.Total());
    scale_ = ScaleOf(positive, negative, size_, total_);
    for (const WeightedPoint& p : positive) rows_.push_back(RowOf(p, true));
    for (const WeightedPoint& p : negative) rows_.push_back(RowOf(p, false));
  }

  int terms() const { return 1 + size_ + static_cast<int>(products_.size()); }
  double total() const { return total_; }
  const std::vector<Row>& rows() const { return rows_; }

  // Per pixel, with the ridge's penalty; `information` only where asked for.
  Likelihood At(const Vector& w, bool information) const {
    Likelihood at = SumOver<Likelihood>(rows_.size(), [&](std::size_t i, Likelihood& sum) {
      const Row& row = rows_[i];
      const double z = w.dot(row.t), p = skinmask::Logistic(z);
      const double towards = row.positive ? z : -z;
      sum.value -= row.weight * (towards > 0 ? std::log1p(std::exp(-towards))
                                             : std::log1p(std::exp(towards)) - towards);
      const double rest = row.positive ? skinmask::Logistic(-z) : -p;  // y - p, without cancelling
      sum.gradient.head(terms()) += row.weight * rest * row.t;
      if (information)
        sum.information.topLeftCorner(terms(), terms())
            .selfadjointView<Eigen::Lower>()
            .rankUpdate(row.t, row.weight * p * (1 - p));
    });
    const int m = terms();
    at.gradient.conservativeResize(m);
    Matrix lower = at.information.topLeftCorner(m, m);
    at.information = lower.selfadjointView<Eigen::Lower>();
    at.value /= total_;
    at.gradient /= total_;
    at.information /= total_;
    const Vector penalised = Penalised(w);
    at.value -= 0.5 * options_.ridge * penalised.squaredNorm();
    at.gradient -= options_.ridge * penalised;
    for (int i = 1; i < m; ++i) at.information(i, i) += options_.ridge;
    return at;
  }

  double LogLikelihood(const Vector& w) const {
    return total_ * (At(w, false).value + 0.5 * options_.ridge * Penalised(w).squaredNorm());
  }

  // From weights on standardised terms to coefficients of the features.
  LogisticTerms Coefficients(const Vector& w) const {
    LogisticTerms terms;
    terms.constant = w(0);
    terms.linear = w.segment(1, size_).cwiseQuotient(scale_.deviation);
    terms.constant -= terms.linear.dot(scale_.mean);
    if (!products_.empty())
      terms.product.assign(static_cast<std::size_t>(size_ * (size_ + 1) / 2), 0);
    for (std::size_t k = 0; k < products_.size(); ++k) {
      const auto [i, j] = products_[k];
      const double a =
          w(1 + size_ + static_cast<int>(k)) / scale_.deviation(i) / scale_.deviation(j);
      terms.product[static_cast<std::size_t>(i * size_ - i * (i - 1) / 2 + j - i)] = a;
      terms.linear(i) -= a * scale_.mean(j);
      terms.linear(j) -= a * scale_.mean(i);
      terms.constant += a * scale_.mean(i) * scale_.mean(j);
    }
    return terms;
  }

 private:
  static Vector Penalised(Vector w) {
    w(0) = 0;
    return w;
  }
  Row RowOf(const WeightedPoint& point, bool positive) const {
    const FeatureVector u = (point.f.head(size_) - scale_.mean).cwiseQuotient(scale_.deviation);
    Row row{Vector(terms()), point.weight, positive};
    row.t(0) = 1;
    row.t.segment(1, size_) = u;
    for (std::size_t k = 0; k < products_.size(); ++k)
      row.t(1 + size_ + static_cast<int>(k)) = u(products_[k].first) * u(products_[k].second);
    return row;
  }

  const LogisticOptions& options_;
  int size_;
  std::vector<std::pair<int, int>> products_;
  double total_ = 0;
  Scale scale_;
  std::vector<Row> rows_;
};

struct Solution {
  Vector w;
  int iterations = 0;
  bool converged = false;
};

// Standardised terms that depend on each other have no one best weights.
void RequireIndependent(const Problem& problem, const LogisticOptions& options) {
  constexpr double kSingular = 1e-13;  // of eigenvalues, some 500 roundings
  if (options.ridge > 0) return;
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(
          problem.At(Vector::Zero(problem.terms()), true).information, Eigen::EigenvaluesOnly)
          .eigenvalues();
  if (!(values(0) > kSingular * values(values.size() - 1)))
    throw Error("logistic",
                "its features depend on each other linearly, so no weights are the best "
                "(fewer --channels, simpler --features, or --ridge 1e-6 or more)");
}

bool Settled(double before, double now, double tolerance) {
  return std::abs(now - before) <= tolerance * (std::abs(now) + 1e-300);
}

[[noreturn]] void FailSeparable(int iterations) {
  throw Error(
      "logistic",
      fmt::format("the classes can be told apart without error, or nearly: weights grow without "
                  "end ({} steps; give --ridge 1e-6 or more)",
                  iterations));
}

// A step that makes things worse is halved.
Solution Newton(const Problem& problem, const LogisticOptions& options) {
  const int most = options.iterations.value_or(50);
  Solution s{Vector::Zero(problem.terms()), 0};
  Likelihood at = problem.At(s.w, true);
  while (s.iterations < most) {
    const Eigen::LDLT<Matrix> solver(at.information);
    const Vector step = solver.solve(at.gradient);
    if (solver.info() != Eigen::Success || !step.allFinite()) FailSeparable(s.iterations);
    ++s.iterations;
    const double before = at.value;
    double length = 1;
    do {
      at = problem.At(s.w + length * step, true);
      length /= 2;
    } while (!(at.value >= before - 1e-12 * std::abs(before)) && length > 1e-6);
    s.w += 2 * length * step;
    constexpr double kNothingLeft = 1e-9;  // mean log-likelihood of data that are told apart
    if (options.ridge == 0 && at.value > -kNothingLeft) FailSeparable(s.iterations);
    s.converged = Settled(before, at.value, options.tolerance);
    if (s.converged) return s;
  }
  if (options.ridge == 0 && !options.iterations) FailSeparable(s.iterations);
  return s;
}

Solution Gradient(const Problem& problem, const LogisticOptions& options) {
  const int most = options.iterations.value_or(10000);
  double step = options.step.value_or(1);
  Solution s{Vector::Zero(problem.terms()), 0};
  Likelihood at = problem.At(s.w, false);
  for (; s.iterations < most; ++s.iterations) {
    const Vector next = s.w + step * at.gradient;
    const Likelihood then = problem.At(next, false);
    if (!(then.value >= at.value)) {  // too far
      step /= 2;
      s.converged = step < 1e-12;
      if (s.converged) break;
      continue;
    }
    s.converged = Settled(at.value, then.value, options.tolerance);
    s.w = next;
    at = then;
    if (s.converged) break;
  }
  return s;
}

// A pixel at a time, drawn at random; after each pass, of as many pixels as there are colours, the
// step is shorter: step / (1 + pass).
Solution Sgd(const Problem& problem, const LogisticOptions& options) {
  const int most = options.iterations.value_or(50);
  const double step = options.step.value_or(0.1);
  const std::vector<Row>& rows = problem.rows();
  std::vector<double> up_to;
  for (const Row& row : rows) up_to.push_back((up_to.empty() ? 0 : up_to.back()) + row.weight);
  Random random(1);
  Solution s{Vector::Zero(problem.terms()), 0};
  double value = problem.At(s.w, false).value;
  while (s.iterations < most) {
    const double now = step / (1 + s.iterations);
    for (std::size_t draw = 0; draw < rows.size(); ++draw) {
      const auto found =
          std::upper_bound(up_to.begin(), up_to.end(), random.Uniform() * problem.total());
      const Row& row = rows[std::min<std::size_t>(static_cast<std::size_t>(found - up_to.begin()),
                                                  rows.size() - 1)];
      const double rest = (row.positive ? 1 : 0) - skinmask::Logistic(s.w.dot(row.t));
      Vector shrunk = options.ridge * s.w;
      shrunk(0) = 0;
      s.w += now * (rest * row.t - shrunk);
    }
    ++s.iterations;
    const double before = value;
    value = problem.At(s.w, false).value;
    s.converged = Settled(before, value, options.tolerance);
    if (s.converged) break;
  }
  return s;
}

// A boundary with every pixel on its own side: its weights could always be larger.
bool TellsApart(const Problem& problem, const Vector& w) {
  return std::ranges::all_of(problem.rows(), [&](const Row& row) {
    return row.positive ? w.dot(row.t) > 0 : w.dot(row.t) < 0;
  });
}

const char* NameOf(Solver solver) {
  return solver == Solver::kNewton ? "newton" : solver == Solver::kGradient ? "gradient" : "sgd";
}

}  // namespace

void FitLogistic(const Samples& samples, const FitOptions& options, Model& model) {
  if (model.classes.size() != 2)
    throw Error("logistic", fmt::format("has two classes, the samples {} (label the others as one)",
                                        model.classes.size()));
  const Problem problem(samples, options, model);
  const LogisticOptions& logistic = options.logistic;
  RequireIndependent(problem, logistic);
  const Solution solution = logistic.solver == Solver::kNewton     ? Newton(problem, logistic)
                            : logistic.solver == Solver::kGradient ? Gradient(problem, logistic)
                                                                   : Sgd(problem, logistic);
  const double log_likelihood = problem.LogLikelihood(solution.w);
  if (!solution.w.allFinite() || !std::isfinite(log_likelihood))
    throw Error("logistic", "the weights overflow (a smaller --rate, or --solver newton)");
  if (logistic.ridge == 0 && !logistic.iterations && TellsApart(problem, solution.w))
    FailSeparable(solution.iterations);
  model.logistic = problem.Coefficients(solution.w);
  // The part of the intercept that is the prior stands with the classes.
  model.logistic.constant -= std::log(static_cast<double>(model.classes[0].count)) -
                             std::log(static_cast<double>(model.classes[1].count));
  model.logistic.ridge = logistic.ridge;
  model.logistic.solver = NameOf(logistic.solver);
  model.logistic.iterations = solution.iterations;
  model.logistic.converged = solution.converged;
  model.logistic.log_likelihood = log_likelihood;
}

}  // namespace skinmask
