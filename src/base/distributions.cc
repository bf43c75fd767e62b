#include "base/distributions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

// P(T <= t), t >= 0, by its finite series (Abramowitz and Stegun 26.7.3 and 26.7.4).
double StudentShare(double t, std::size_t degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1, sum = degrees == 1 ? 0 : term;
  for (std::size_t i = odd ? 3 : 2; i < degrees; i += 2) {
    term *= cosine * cosine * static_cast<double>(i - 1) / static_cast<double>(i);
    sum += term;
  }
  const double within = std::sin(angle) * sum;
  return 0.5 + (odd ? (angle + within) / std::numbers::pi : within / 2);
}

}  // namespace

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

double StudentQuantile(double share, std::size_t degrees) {
  constexpr std::size_t kMany = 1000;
  degrees = std::min(degrees, kMany);
  double low = 0, high = 1;
  while (StudentShare(high, degrees) < share) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (StudentShare(middle, degrees) < share ? low : high) = middle;
  }
  return high;
}

}  // namespace skinmask
