// Discriminants and log-odds in the form of textbooks: polynomials of a model's features.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

// c + b'f + f'A f of the features f, in the order of the model's channels; A is symmetric.
struct FeaturePolynomial {
  double constant = 0;    // c
  FeatureVector linear;   // b
  FeatureMatrix product;  // A, 0 where the polynomial is linear

  double operator()(const FeatureVector& f) const;
};

// The discriminant of a class: log prior + log density, without terms that all classes share. For
// lda these include the quadratic ones, so A is 0. For classes of one Gaussian, and of logistic
// models of more than two classes; absent for other kinds.
std::optional<FeaturePolynomial> DiscriminantOf(const Model& model, std::size_t class_index);

// The calibrated log-odds of the positive class. For two classes of one Gaussian each, and logistic
// models of two classes; absent for others.
std::optional<FeaturePolynomial> LogOddsOf(const Model& model);

// The log-odds of a logistic model of two classes, with its priors, without its calibration.
FeaturePolynomial LogisticPolynomial(const Model& model);

// The values of the feature at which a polynomial of one feature has this value, ascending: none,
// one or two.
std::vector<double> WhereItIs(const FeaturePolynomial& polynomial, double value);

}  // namespace skinmask
