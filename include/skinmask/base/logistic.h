// Conversions between probabilities and log-odds.
#pragma once

namespace [[gnu::visibility("default")]] skinmask {

// log(P / (1 - P)); -inf at 0, +inf at 1.
double Logit(double probability);
// 1 / (1 + exp(-z)), accurate at both ends.
double Logistic(double log_odds);
// log P = -log(1 + exp(-z)), without overflow.
double LogLogistic(double log_odds);

}  // namespace skinmask
