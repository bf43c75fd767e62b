#include "programs/cli/posterior_flags.h"

#include "programs/cli/option_checks.h"
#include "programs/cli/verb.h"

namespace skinmask::cli {

void AddPosteriorFlags(CLI::App& verb, PosteriorFlags& flags) {
  const OptionGroup group(verb, "Decision");
  group
      .Add("--threshold", flags.threshold, "P",
           "A pixel is skin when P(skin) is above this (default: the model's own)")
      ->check(Probability());
  group.Add("--prior", flags.prior, "P",
            "Prior P(skin), more than 0 and less than 1 (default: the model's own)");
}

void SetPosterior(const PosteriorFlags& flags, DetectorOptions& options) {
  options.prior = flags.prior;
  options.threshold = flags.threshold;
}

}  // namespace skinmask::cli
