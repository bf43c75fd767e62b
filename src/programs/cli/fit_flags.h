// The options that say what kind of model to train, and how.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skinmask/learn/fit.h"

namespace skinmask::cli {

struct FitFlags {
  std::string kind = "qda", space = "BGR", covariance = "mle", shrinkage = "0", positive = "skin";
  std::vector<std::string> channels, priors, components;
  std::string terms = "quadratic", solver = "newton";
  double ridge = 0;
  std::optional<double> rate, tolerance;
  std::optional<int> iterations;
  int bins = 32;
  double smoothing = 1;
  std::uint64_t seed = 1;
};

void AddFitFlags(CLI::App& verb, FitFlags& flags);
// Throws UsageError.
FitOptions FitOptionsOf(const FitFlags& flags);

// "NAME=VALUE" in two; throws UsageError that names the option.
std::pair<std::string, std::string> KeyValue(const std::string& text, const std::string& option);

}  // namespace skinmask::cli
