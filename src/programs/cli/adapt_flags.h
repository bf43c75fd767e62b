// The options of detect, live and evaluate that adapt the model to each image.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "skinmask/detect/adapt.h"
#include "skinmask/model/model.h"

namespace skinmask::cli {

struct AdaptFlags {
  std::string adapt = "off";
  std::string cascade, seed_mask, seed_rect;
  std::string refine = "guided";
  bool any() const { return adapt != "off" || !seed_mask.empty() || !seed_rect.empty(); }
};

void AddAdaptFlags(CLI::App& verb, AdaptFlags& flags);
// The threshold of the model as it was made, moved as a change of its prior moves all log-odds.
double OwnThreshold(const Model& made, double prior);
// Null when nothing is to be adapted to. `own_threshold` as Adapter takes it.
std::shared_ptr<const Adapter> MakeAdapter(const AdaptFlags& flags, const Model& model,
                                           double own_threshold);

}  // namespace skinmask::cli
