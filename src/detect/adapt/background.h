// Where the fit to an image begins: the background as its colours are without skin.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "detect/adapt/color_gaussian.h"
#include "skinmask/detect/adapt_options.h"

namespace skinmask {

// The pixels (B, G, R) that are far from all skin, as Gaussians; none where there are too few.
std::vector<ColorGaussian> InitialBackground(const std::vector<const std::uint8_t*>& pixels,
                                             std::span<const ColorGaussian> skin,
                                             const ImageFitOptions& options);

// Divides the part of greatest spread at its mean, across its principal axis, until there are
// enough: the same parts for the same colours.
std::vector<ColorGaussian> PrincipalSplit(std::vector<const std::uint8_t*> pixels,
                                          const ImageFitOptions& options);

}  // namespace skinmask
