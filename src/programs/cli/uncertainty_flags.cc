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

void SetUncertainty(const UncertaintyFlags& flags, const Model& model, DetectOptions& detect) {
  const auto wanted = [&](Output output) { return std::ranges::count(detect.outputs, output) > 0; };
  const auto interval = AbstainOf(flags.abstain);
  const bool map = wanted(Output::kUncertainty);
  detect.abstain = interval && wanted(Output::kMask);
  if (!map && !detect.abstain) {
    if (interval) throw UsageError("--abstain needs --output mask or uncertainty");
    if (flags.outlier) throw UsageError("--outlier needs --output uncertainty or --abstain");
    return;
  }
  UncertaintyOptions options;
  if (interval) std::tie(options.low, options.high) = *interval;
  const bool has_densities = model.kind != Kind::kLogistic;
  options.explained_share =
      flags.outlier.value_or(map && has_densities ? options.explained_share : 1);
  detect.uncertainty = AsUsage([&] { return std::make_shared<Uncertainty>(model, options); });
}

}  // namespace skinmask::cli
