// When the answer is 'I do not know'.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skinmask/detect/detector.h"
#include "skinmask/detect/outputs.h"

namespace skinmask::cli {

struct UncertaintyFlags {
  std::string abstain;            // LOW,HIGH, or empty
  std::optional<double> outlier;  // a share
};

// --abstain, of verbs that judge.
void AddAbstainFlag(CLI::App& verb, std::string& abstain);
void AddUncertaintyFlags(CLI::App& verb, UncertaintyFlags& flags);
// The two probabilities of --abstain; absent where it is not given. Throws UsageError.
std::optional<std::pair<double, double>> AbstainOf(const std::string& abstain);
// Sets what they ask for of these outputs. Throws UsageError for flags without an output that they
// change.
void SetUncertainty(const UncertaintyFlags& flags, const std::vector<Output>& outputs,
                    const Model& model, DetectorOptions& options);

}  // namespace skinmask::cli
