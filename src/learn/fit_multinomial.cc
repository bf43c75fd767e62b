// Multinomial logistic regression: more than two classes (docs/math.md, 'The other kinds').
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "learn/expectation_rows.h"
#include "learn/fit_kinds.h"
#include "learn/logistic_likelihood.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

using logistic::Polynomial;
using logistic::RequireIndependentTerms;

// The Hessian has ((K - 1) m)^2 entries, and each point adds to all of them.
constexpr std::size_t kMaxLogisticClasses = 16;

// Values per pixel; the information is the negative Hessian.
struct MultinomialAt {
  double value = 0;
  Eigen::VectorXd gradient, error;  // error: of |truth - P|, for each class: the sum, then the mean
  Eigen::MatrixXd information;

  MultinomialAt(Eigen::Index size, std::size_t classes)
      : gradient(Eigen::VectorXd::Zero(size)),
        error(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(classes))),
        information(Eigen::MatrixXd::Zero(size, size)) {}
  MultinomialAt& operator+=(const MultinomialAt& other) {
    value += other.value;
    gradient += other.gradient;
    error += other.error;
    information += other.information;
    return *this;
  }
};

// Weights V of m terms for each class but the last, whose score is 0. The penalty is that of the
// symmetric weights w_k = V_k - mean of V, without constants:
//   ridge / 2 sum_k |w_k|^2 = ridge / 2 (sum_k |V_k|^2 - |sum_k V_k|^2 / K).
class Multinomial {
 public:
  Multinomial(const Samples& samples, const FitOptions& options, const Model& model)
      : ridge_(options.logistic.ridge),
        classes_(model.classes.size()),
        form_(logistic::FormOf(options.logistic.terms, options.features.size())) {
    for (const ClassModel& c : model.classes)
      points_.push_back(PlanesOf(samples, options.features, c.name));
    scale_ = ScaleOf(points_, options.features.size());
    for (PointPlanes& points : points_) {
      logistic::Standardise(scale_, points);
      for (std::size_t i = 0; i < points.count; ++i) {
        total_ += points.weight[i];
        least_ = std::min(least_, points.weight[i]);
      }
    }
    penalty_ = PenaltyMatrix();
  }

  double total() const { return total_; }
  Eigen::Index terms() const { return static_cast<Eigen::Index>(form_.terms()); }
  Eigen::Index size() const { return static_cast<Eigen::Index>(classes_ - 1) * terms(); }

  MultinomialAt At(const Eigen::VectorXd& v) const {
    MultinomialAt at(size(), classes_);
    for (std::size_t k = 0; k < classes_; ++k)
      at += SumOverBlocks(points_[k], MultinomialAt(size(), classes_),
                          [&](std::size_t first, std::size_t last, MultinomialAt& sum) {
                            for (std::size_t i = first; i < last; i += PointPlanes::kBlock)
                              AddBlock(k, i, v, sum);
                          });
    at.information.triangularView<Eigen::StrictlyUpper>() =
        at.information.transpose().triangularView<Eigen::StrictlyUpper>();
    at.value = at.value / total_ - 0.5 * v.dot(penalty_ * v);
    at.gradient = at.gradient / total_ - penalty_ * v;
    at.information = at.information / total_ + penalty_;
    at.error /= total_;
    return at;
  }

  double LogLikelihood(const Eigen::VectorXd& v) const {
    return total_ * (At(v).value + 0.5 * v.dot(penalty_ * v));
  }

  // Whether the fit is certain of every pixel of a class, even of its rarest colour: the weights
  // could then grow without bound.
  bool Separates(const MultinomialAt& at) const {
    constexpr double kKnown = 1e-3;
    return at.error.minCoeff() * total_ < kKnown * least_;
  }

  // The symmetric weights, as polynomials of the features.
  std::vector<FeatureTerms> Coefficients(const Eigen::VectorXd& v) const {
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(terms());
    for (std::size_t k = 0; k + 1 < classes_; ++k)
      mean += OfClass(v, k) / static_cast<double>(classes_);
    std::vector<FeatureTerms> all;
    for (std::size_t k = 0; k < classes_; ++k) {
      Eigen::VectorXd w = -mean;
      if (k + 1 < classes_) w += OfClass(v, k);
      all.push_back(logistic::Coefficients(form_, scale_, w));
    }
    return all;
  }

 private:
  Eigen::VectorXd OfClass(const Eigen::VectorXd& v, std::size_t k) const {
    return v.segment(static_cast<Eigen::Index>(k) * terms(), terms());
  }

  Eigen::MatrixXd PenaltyMatrix() const {
    Eigen::MatrixXd penalty = Eigen::MatrixXd::Zero(size(), size());
    for (Eigen::Index i = 0; i < size(); ++i)
      for (Eigen::Index j = 0; j < size(); ++j)
        if (i % terms() == j % terms() && i % terms() != 0)
          penalty(i, j) = ridge_ * ((i == j ? 1 : 0) - 1 / static_cast<double>(classes_));
    return penalty;
  }

  // Adds the block of points that begins at i, all of class `truth`. Sets the lower triangle of the
  // information only.
  void AddBlock(std::size_t truth, std::size_t i, const Eigen::VectorXd& v,
                MultinomialAt& sum) const {
    constexpr std::size_t kBlock = PointPlanes::kBlock;
    const PointPlanes& points = points_[truth];
    thread_local std::vector<PointPlanes::Block> p;
    p.assign(classes_, {});
    PointPlanes::Block log_sum;
    std::array<logistic::Vector, kBlock> t;
    for (std::size_t at = 0; at < kBlock; ++at) {
      t[at] = logistic::TermsOf(form_, points, i + at);
      for (std::size_t k = 0; k + 1 < classes_; ++k)
        p[k][at] = v.segment(static_cast<Eigen::Index>(k) * terms(), terms()).dot(t[at]);
    }
    const PointPlanes::Block score = p[truth];
    SoftmaxBlock(p, log_sum);
    for (std::size_t at = 0; at < kBlock; ++at) {
      const double weight = points.weight[i + at];
      if (weight == 0) continue;
      sum.value += weight * (score[at] - log_sum[at]);
      for (std::size_t k = 0; k < classes_; ++k) {
        const double pk = p[k][at], residual = (k == truth ? 1 : 0) - pk;
        sum.error(static_cast<Eigen::Index>(k)) += weight * std::abs(residual);
        if (k + 1 == classes_) continue;
        const Eigen::Index row = static_cast<Eigen::Index>(k) * terms();
        sum.gradient.segment(row, terms()) += weight * residual * t[at];
        for (std::size_t l = 0; l <= k; ++l) {
          const double factor = weight * pk * ((k == l ? 1 : 0) - p[l][at]);
          sum.information.block(row, static_cast<Eigen::Index>(l) * terms(), terms(), terms()) +=
              factor * t[at] * t[at].transpose();
        }
      }
    }
  }

  double ridge_;
  std::size_t classes_;
  Polynomial form_;
  std::vector<PointPlanes> points_;  // of each class, standardised
  Scale scale_;
  Eigen::MatrixXd penalty_;
  double total_ = 0, least_ = HUGE_VAL;
};

}  // namespace

void FitMultinomial(const Samples& samples, const FitOptions& options, Model& model) {
  const LogisticOptions& how = options.logistic;
  if (model.classes.size() > kMaxLogisticClasses)
    throw Error("logistic", fmt::format("has at most {} classes, the samples {}",
                                        kMaxLogisticClasses, model.classes.size()));
  if (how.solver != LogisticOptions::Solver::kNewton)
    throw Error("`solver`", fmt::format("{} is for two classes, the samples have {} (newton)",
                                        SolverName(how.solver), model.classes.size()));
  const Multinomial problem(samples, options, model);
  const int most = how.iterations.value_or(50);
  Iterations watch(options, 1, most);
  watch.Begin(problem.total());
  MultinomialAt at = problem.At(Eigen::VectorXd::Zero(problem.size()));
  if (how.ridge == 0) RequireIndependentTerms(at.information);
  const auto ends = [&](double before, const Eigen::VectorXd& step,
                        const logistic::Solution<Eigen::VectorXd>& s) {
    // If a rare class can be told apart, its weights grow by about 1 in each step, while the mean
    // log-likelihood, of the many other pixels, hardly changes.
    constexpr double kShort = 1e-3;
    return logistic::HardlyChanges(before, at.value, how.tolerance) &&
           (how.ridge > 0 || step.norm() <= kShort * (1 + s.w.norm()));
  };
  const auto [v, iterations, converged] = logistic::Newton<Eigen::VectorXd>(
      at, most, watch, [&](const Eigen::VectorXd& w) { return problem.At(w); }, ends);
  if (how.ridge == 0 && (converged ? problem.Separates(at) : !how.iterations))
    FailSeparable(iterations);
  const double log_likelihood = problem.LogLikelihood(v);
  if (!v.allFinite() || !std::isfinite(log_likelihood)) FailSeparable(iterations);
  const std::vector<FeatureTerms> terms = problem.Coefficients(v);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    ClassModel& c = model.classes[k];
    c.terms = terms[k];
    // The prior's part of the constant is stored with the class.
    c.terms.constant -= std::log(static_cast<double>(c.count));
  }
  LogisticTerms& l = model.logistic;
  l.linear = FeatureVector::Zero(options.features.size());
  l.ridge = how.ridge;
  l.solver = SolverName(how.solver);
  l.iterations = iterations;
  model.converged = converged;
  l.log_likelihood = log_likelihood;
}

}  // namespace skinmask
