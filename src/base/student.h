// Student's t, for intervals from few values.
#pragma once

#include <cstddef>

namespace [[gnu::visibility("default")]] skinmask {

// The t that so large a share of the distribution lies below, from 1/2 to less than 1. Of more than
// a thousand degrees of freedom it is that of a thousand, which is a thousandth wider.
double StudentQuantile(double share, std::size_t degrees);

}  // namespace skinmask
