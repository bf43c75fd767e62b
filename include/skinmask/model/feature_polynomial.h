// Discriminants and log-odds as textbooks write them: polynomials of the features of a model.
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

// Of a class of logistic models of more than two, and of a class of one Gaussian: log prior + log
// density, but for what all classes have in common: for lda that is the quadratic part, too, so
// that A is 0. Absent for the other kinds.
std::optional<FeaturePolynomial> DiscriminantOf(const Model& model, std::size_t class_index);

// The log-odds of the positive class, calibrated, of two classes of one Gaussian each, and of
// logistic models of two classes. Absent for the others.
std::optional<FeaturePolynomial> LogOddsOf(const Model& model);

// The polynomial of a logistic model of two classes, with its priors and without its calibration.
FeaturePolynomial LogisticPolynomial(const Model& model);

// Of a polynomial of one feature, where it has this value, ascending: none, one or two.
std::vector<double> WhereItIs(const FeaturePolynomial& polynomial, double value);

}  // namespace skinmask
