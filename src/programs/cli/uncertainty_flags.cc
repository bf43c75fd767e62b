#include "programs/cli/uncertainty_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/parse.h"
#include "programs/cli/usage_error.h"
#include "programs/cli/verb.h"

namespace skinmask::cli {

void AddAbstainFlag(CLI::App& verb, std::string& abstain) {
  OptionGroup(verb, "Decision")
      .Add("--abstain", abstain, "LOW,HIGH",
           "Say 'I do not know' where P(skin) is above LOW and at most HIGH");
}

void AddUncertaintyFlags(CLI::App& verb, UncertaintyFlags& flags) {
  AddAbstainFlag(verb, flags.abstain);
  OptionGroup(verb, "Decision")
      .Add("--outlier", flags.outlier, "Q",
           "... and where the colour is outside of the part of each class, and each Gaussian, that "
           "holds the share Q of it (default: 0.999 with --output uncertainty, else all colours "
           "are known)");
}

std::optional<std::pair<double, double>> AbstainOf(const std::string& abstain) {
  if (abstain.empty()) return std::nullopt;
  const auto numbers = ParseNumbers<double>(abstain, ',');
  if (!numbers || numbers->size() != 2 || !((*numbers)[0] >= 0) ||
      !((*numbers)[0] <= (*numbers)[1]) || !((*numbers)[1] <= 1))
    throw UsageError(fmt::format(
        "--abstain '{}' is not LOW,HIGH (two probabilities, the lower one first, as in 0.2,0.8)",
        abstain));
  return std::pair((*numbers)[0], (*numbers)[1]);
}

void SetUncertainty(const UncertaintyFlags& flags, const std::vector<Output>& outputs,
                    const Model& model, DetectorOptions& options) {
  const auto interval = AbstainOf(flags.abstain);
  const bool map = std::ranges::count(outputs, Output::kUncertainty) > 0;
  const bool abstain = interval && std::ranges::count(outputs, Output::kMask) > 0;
  if (interval && !Any(outputs, &OutputKind::of_unknown))
    throw UsageError("--abstain needs --output mask or uncertainty");
  if (flags.outlier && !map && !abstain)
    throw UsageError("--outlier needs --output uncertainty or --abstain");
  options.abstain = interval;
  options.outlier = flags.outlier;
  // Masks beside a map of what is not known show the same of it.
  if (map && !flags.outlier && model.kind != Kind::kLogistic) options.outlier = 0.999;
}

}  // namespace skinmask::cli
