#include "learn/logistic_likelihood.h"

#include <cmath>

#include "skinmask/base/error.h"

namespace skinmask::logistic {
namespace {

using Terms = LogisticOptions::Terms;

Polynomial FormOf(Terms terms, int size) {
  Polynomial form;
  form.features = static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < form.features; ++i)
    for (std::size_t j = i; j < form.features; ++j)
      if (terms == Terms::kQuadratic || (terms == Terms::kSquares && i == j))
        form.products.emplace_back(i, j);
  return form;
}

Scale ScaleOf(const PointPlanes& positive, const PointPlanes& negative, int size, double total) {
  Scale scale{FeatureVector::Zero(size), FeatureVector::Zero(size)};
  for (int i = 0; i < size; ++i) {
    const auto channel = static_cast<std::size_t>(i);
    double sum = 0, squares = 0;
    for (const PointPlanes* points : {&positive, &negative})
      for (std::size_t k = 0; k < points->count; ++k)
        sum += points->weight[k] * points->f[channel][k];
    const double mean = scale.mean(i) = sum / total;
    for (const PointPlanes* points : {&positive, &negative})
      for (std::size_t k = 0; k < points->count; ++k) {
        const double d = points->f[channel][k] - mean;
        squares += points->weight[k] * d * d;
      }
    scale.deviation(i) = std::sqrt(squares / total);
    if (!(scale.deviation(i) > 0))
      throw Error("logistic", "a channel never varies (more varied samples, fewer `channels`)");
  }
  return scale;
}

// The part of the weights that the ridge draws to 0: all but the constant.
Vector Penalised(Vector w) {
  w(0) = 0;
  return w;
}

}  // namespace

Problem::Problem(const Samples& samples, const FitOptions& options, const Model& model)
    : options_(options.logistic), form_(FormOf(options.logistic.terms, options.features.size())) {
  const PointPlanes positive = PlanesOf(samples, options.features, model.classes[0].name);
  const PointPlanes negative = PlanesOf(samples, options.features, model.classes[1].name);
  total_ = static_cast<double>(model.classes[0].count + model.classes[1].count);
  scale_ = ScaleOf(positive, negative, options.features.size(), total_);
  points_ = PointPlanes(positive.count + negative.count);
  Standardise(positive, 1, 0);
  Standardise(negative, -1, positive.count);
}

// Puts points in from place `first` on, with weights of this sign.
void Problem::Standardise(const PointPlanes& points, double sign, std::size_t first) {
  for (std::size_t k = 0; k < points.count; ++k)
    points_.weight[first + k] = sign * points.weight[k];
  for (std::size_t i = 0; i < form_.features; ++i) {
    const double mean = scale_.mean(static_cast<Eigen::Index>(i)),
                 deviation = scale_.deviation(static_cast<Eigen::Index>(i));
    for (std::size_t k = 0; k < points.count; ++k)
      points_.f[i][first + k] = (points.f[i][k] - mean) / deviation;
  }
}

Vector Problem::TermsOf(std::size_t point) const {
  Vector t(terms());
  Eigen::Index next = 0;
  t(next++) = 1;
  for (std::size_t i = 0; i < form_.features; ++i) t(next++) = points_.f[i][point];
  for (const auto& [i, j] : form_.products) t(next++) = points_.f[i][point] * points_.f[j][point];
  return t;
}

LogLikelihoodAt Problem::At(const Vector& w, bool information) const {
  Polynomial z = form_;
  std::copy(w.begin(), w.end(), z.w.begin());
  const LikelihoodSums sums = Likelihood(points_, z, information);
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
  at.value -= 0.5 * options_.ridge * penalised.squaredNorm();
  at.gradient -= options_.ridge * penalised;
  for (int i = 1; i < m; ++i) at.information(i, i) += options_.ridge;
  return at;
}

double Problem::LogLikelihood(const Vector& w) const {
  return total_ * (At(w, false).value + 0.5 * options_.ridge * Penalised(w).squaredNorm());
}

LogisticTerms Problem::Coefficients(const Vector& w) const {
  const auto size = static_cast<int>(form_.features);
  LogisticTerms terms;
  terms.constant = w(0);
  terms.linear = w.segment(1, size).cwiseQuotient(scale_.deviation);
  terms.constant -= terms.linear.dot(scale_.mean);
  if (!form_.products.empty())
    terms.product.assign(static_cast<std::size_t>(size * (size + 1) / 2), 0);
  for (std::size_t k = 0; k < form_.products.size(); ++k) {
    const auto i = static_cast<int>(form_.products[k].first),
               j = static_cast<int>(form_.products[k].second);
    const double a = w(1 + size + static_cast<int>(k)) / scale_.deviation(i) / scale_.deviation(j);
    terms.product[static_cast<std::size_t>(i * size - i * (i - 1) / 2 + j - i)] = a;
    terms.linear(i) -= a * scale_.mean(j);
    terms.linear(j) -= a * scale_.mean(i);
    terms.constant += a * scale_.mean(i) * scale_.mean(j);
  }
  return terms;
}

}  // namespace skinmask::logistic
