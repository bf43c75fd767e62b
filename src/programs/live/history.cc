#include "programs/live/history.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace skinmask::live {

void History::Add(double value) {
  values_.push_back(value);
  if (values_.size() > most_) values_.pop_front();
}

double History::mean() const {
  const auto n = static_cast<double>(values_.size());
  return values_.empty() ? 0 : std::accumulate(values_.begin(), values_.end(), 0.0) / n;
}

double History::Quantile(double share) const {
  if (values_.empty()) return 0;
  std::vector<double> sorted(values_.begin(), values_.end());
  const auto last = static_cast<double>(sorted.size() - 1);
  const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(share * last + 0.5);
  std::ranges::nth_element(sorted, at);
  return *at;
}

double History::Ceiling() const {
  constexpr double kFactors[] = {2, 2.5, 2};
  const double most = values_.empty() ? 0 : *std::ranges::max_element(values_);
  double ceiling = 10;
  for (std::size_t i = 0; ceiling < most; i = (i + 1) % 3) ceiling *= kFactors[i];
  return ceiling;
}

}  // namespace skinmask::live
