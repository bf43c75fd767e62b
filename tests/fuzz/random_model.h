// Models out of the input of a fuzz target: every kind and space, parameters from small to extreme.
#pragma once

#include "fuzz/input.h"
#include "skinmask/model/model.h"

namespace skinmask::fuzz {

// Throws Error where it is none that Validate takes.
Model RandomModel(Input& input);

// How far rounding in double may take the model's log-odds, by the reference or by their folded
// form: 2^-52 of the largest terms, by the worst condition number of its covariances.
double DoubleSlack(const Model& model);

}  // namespace skinmask::fuzz
