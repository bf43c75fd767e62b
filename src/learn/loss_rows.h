// What log-odds lose against the truth, of many pixels at a time.
#pragma once

#include <cstddef>

namespace skinmask {

// For each of `count` log-odds z, with `truth` 1 for the positive class and -1 for the others, in
// multiples of 2^-32, rounded: (P - truth)^2, and -log P(truth), which counts as 2^18 at most. The
// same bits for every CPU target. The count is rounded up to a multiple of 8, for which there is
// room.
void LossRow(const double* z, const double* truth, std::size_t count, double* squared_error,
             double* log_loss);

}  // namespace skinmask
