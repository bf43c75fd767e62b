// Draws models as a picture.
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
  std::vector<std::string> names;  // the models' names, if there are several
  // For models with three channels: the value of the channel that a plane does not show (default:
  // the positive class's mean; without means, that of the samples or mid-range), or whether that
  // channel is integrated out.
  std::vector<std::pair<std::string, double>> at;
  bool marginal = false;
  const Samples* samples = nullptr;  // pixels to show, of the models' classes
};

// Throws Error for options that a picture of this model cannot have: an unknown channel, a value
// that it never has, a channel twice, and what needs three channels for a model of others.
void RequireHeld(const Model& model, const PictureOptions& options);

// The planes of each model, as a file. A plane shows each class's region (where its posterior is
// the greatest) in its colour of ClassPalette, the borders between regions, the boundary at the
// model's threshold, and the ellipse that holds 95 % of each Gaussian (projected, not cut). For
// models with one feature it shows the classes' densities times their priors, or P for logistic
// models, with the boundaries. Samples are shown as up to 1,000 points, chosen evenly, or, with one
// feature, all as histograms. Several models are drawn over the same axes, cut at the same place,
// which the first one with means determines, or else the samples. Drawn by Cairo with the system's
// sans-serif font, or without one with Cairo's own; the same bytes each time on one machine. Throws
// Error for no model, for models that Validate refuses or that differ in features, classes or
// positive class, for what RequireHeld refuses, and if Cairo fails. Cost: half a second a model.
std::string DrawModels(std::span<const Model> models, PictureFormat format,
                       const PictureOptions& options = {});

}  // namespace skinmask
