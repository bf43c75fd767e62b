// A wrong command line.
#pragma once

#include <stdexcept>

#include "skinmask/base/error.h"

namespace skinmask::cli {

// One line, exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Runs `check`, which looks at options only: what it throws is the user's wording, not the world.
template <class Check>
auto AsUsage(const Check& check) {
  try {
    return check();
  } catch (const Error& e) {
    throw UsageError(e.what());
  }
}

}  // namespace skinmask::cli
