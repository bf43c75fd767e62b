// DrawModel draws a model as a picture.
#pragma once

#include <string>

#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

enum class PictureFormat { kPng, kSvg };

// The model's planes side by side, as a file: each class's region (where its posterior is the
// greatest) in its colour of ClassPalette, the borders between regions, the boundary at the model's
// threshold, and the ellipses of one and two standard deviations of each Gaussian (projected, not
// cut). Of a model of one feature, the classes' densities times their priors, or for logistic
// models P, with the boundaries. Drawn by Cairo, with the sans-serif font of the system (where it
// has none, with one of Cairo's own); the same bytes each time on one machine. Throws Error where
// Cairo fails. Cost: half a second.
std::string DrawModel(const Model& model, PictureFormat format);

}  // namespace skinmask
