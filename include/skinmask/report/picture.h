// DrawModels draws models as a picture.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "skinmask/data/samples.h"
#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

enum class PictureFormat { kPng, kSvg };

struct PictureOptions {
  std::vector<std::string> names;  // what the models are called, where there are several
  // Of models with three channels: where planes are cut that do not show the channel (default: at
  // the positive class's mean), or that it is integrated out.
  std::vector<std::pair<std::string, double>> at;
  bool marginal = false;
  const Samples* samples = nullptr;  // pixels to show, those of the models' classes
};

// The planes of each model, as a file: each class's region (where its posterior is the greatest) in
// its colour of ClassPalette, the borders between regions, the boundary at the model's threshold,
// and the ellipse that holds 95 % of each Gaussian (projected, not cut). Of models with one
// feature, the classes' densities times their priors, or for logistic models P, with the
// boundaries. Of the samples up to 1,000 pixels, evenly chosen, as points, or with one feature all
// as histograms. Several models are drawn over the same axes, cut at the same place; the first says
// where. Drawn by Cairo, with the sans-serif font of the system (where it has none, with one of
// Cairo's own); the same bytes each time on one machine. Throws Error for no model, for models
// that Validate refuses or that do not have the same features, classes and positive class, for a
// channel that is not there, and where Cairo fails. Cost: half a second a model.
std::string DrawModels(std::span<const Model> models, PictureFormat format,
                       const PictureOptions& options = {});

}  // namespace skinmask
