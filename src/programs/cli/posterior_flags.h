// The options that say how detect and live read the model.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "skinmask/model/model.h"

namespace skinmask::cli {

struct PosteriorFlags {
  std::optional<double> threshold, prior;
};

void AddPosteriorFlags(CLI::App& verb, PosteriorFlags& flags);
// The model with the threshold and the prior that were asked for. Throws UsageError.
Model WithPosteriorFlags(Model model, const PosteriorFlags& flags);

}  // namespace skinmask::cli
