// The options that say how detect and live read the model.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "skinmask/detect/detector.h"

namespace skinmask::cli {

struct PosteriorFlags {
  std::optional<double> threshold, prior;
};

void AddPosteriorFlags(CLI::App& verb, PosteriorFlags& flags);
// Sets what they ask for.
void SetPosterior(const PosteriorFlags& flags, DetectorOptions& options);

}  // namespace skinmask::cli
