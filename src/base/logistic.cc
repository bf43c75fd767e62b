#include "skinmask/base/logistic.h"

#include <cmath>

namespace skinmask {

double Logit(double probability) { return std::log(probability) - std::log1p(-probability); }

double Logistic(double log_odds) {
  if (log_odds >= 0) return 1 / (1 + std::exp(-log_odds));
  const double e = std::exp(log_odds);
  return e / (1 + e);
}

double LogLogistic(double log_odds) {
  if (log_odds > 0) return -std::log1p(std::exp(-log_odds));
  return log_odds - std::log1p(std::exp(log_odds));
}

}  // namespace skinmask
