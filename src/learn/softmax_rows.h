// Scores of classes become probabilities, in double and with the same bits on every CPU.
#pragma once

#include <cstddef>

namespace skinmask {

// Of `count` points, a multiple of 8, and `classes` planes of `stride` doubles with the scores of
// each class: leaves P = exp(score) / sum of all exp(score) there, and in `log_sum` the logarithm
// of the sum.
void SoftmaxRows(double* scores, std::size_t classes, std::size_t stride, std::size_t count,
                 double* log_sum);

}  // namespace skinmask
