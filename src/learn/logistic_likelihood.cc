#include "learn/logistic_likelihood.h"

#include <cmath>

#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"

namespace skinmask::logistic {
namespace {

using Terms = LogisticOptions::Terms;

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
      throw Error("logistic", "a channel never varies (more varied samples, fewer channels)");
  return {mean.head(size), deviation.head(size)};
}

// The part of the weights that the ridge draws to 0: all but the constant.
Vector Penalised(Vector w) {
  w(0) = 0;
  return w;
}

}  // namespace

Problem::Problem(const Samples& samples, const FitOptions& options, const Model& model)
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

void Problem::AddTo(Likelihood& sum, const Row& row, const Vector& w, bool information) const {
  const double z = w.dot(row.t), p = Logistic(z);
  sum.value += row.weight * LogLogistic(row.positive ? z : -z);
  const double residual = row.positive ? Logistic(-z) : -p;  // y - p, without cancelling
  sum.gradient.head(terms()) += row.weight * residual * row.t;
  if (information)
    sum.information.topLeftCorner(terms(), terms())
        .selfadjointView<Eigen::Lower>()
        .rankUpdate(row.t, row.weight * p * (1 - p));
}

Likelihood Problem::At(const Vector& w, bool information) const {
  Likelihood at = SumOver<Likelihood>(
      rows_.size(), [&](std::size_t i, Likelihood& sum) { AddTo(sum, rows_[i], w, information); });
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

double Problem::LogLikelihood(const Vector& w) const {
  return total_ * (At(w, false).value + 0.5 * options_.ridge * Penalised(w).squaredNorm());
}

LogisticTerms Problem::Coefficients(const Vector& w) const {
  LogisticTerms terms;
  terms.constant = w(0);
  terms.linear = w.segment(1, size_).cwiseQuotient(scale_.deviation);
  terms.constant -= terms.linear.dot(scale_.mean);
  if (!products_.empty())
    terms.product.assign(static_cast<std::size_t>(size_ * (size_ + 1) / 2), 0);
  for (std::size_t k = 0; k < products_.size(); ++k) {
    const auto [i, j] = products_[k];
    const double a = w(1 + size_ + static_cast<int>(k)) / scale_.deviation(i) / scale_.deviation(j);
    terms.product[static_cast<std::size_t>(i * size_ - i * (i - 1) / 2 + j - i)] = a;
    terms.linear(i) -= a * scale_.mean(j);
    terms.linear(j) -= a * scale_.mean(i);
    terms.constant += a * scale_.mean(i) * scale_.mean(j);
  }
  return terms;
}

Row Problem::RowOf(const WeightedPoint& point, bool positive) const {
  const FeatureVector u = (point.f.head(size_) - scale_.mean).cwiseQuotient(scale_.deviation);
  Row row{Vector(terms()), point.weight, positive};
  row.t(0) = 1;
  row.t.segment(1, size_) = u;
  for (std::size_t k = 0; k < products_.size(); ++k)
    row.t(1 + size_ + static_cast<int>(k)) = u(products_[k].first) * u(products_[k].second);
  return row;
}

}  // namespace skinmask::logistic
