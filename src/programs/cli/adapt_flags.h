// The options of detect, live and evaluate that adapt the model to each image.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "skinmask/detect/adapt.h"
#include "skinmask/model/model.h"

namespace skinmask::cli {

struct AdaptFlags {
  std::string adapt = "auto";
  bool given = false;  // --adapt, on the command line
  std::string faces, seed_mask, seed_rect;
  std::string refine = "guided";

  bool has_seeds() const { return !seed_mask.empty() || !seed_rect.empty(); }
  // By default seeds are all that counts where there are some.
  bool by_faces() const { return adapt == "faces" || (adapt == "auto" && (given || !has_seeds())); }
  bool by_image() const { return adapt == "auto" && (given || !has_seeds()); }
  bool any() const { return adapt != "off" || has_seeds(); }
  // Asked for on the command line, not by default.
  bool any_given() const { return (given && adapt != "off") || has_seeds() || !faces.empty(); }
};

void AddAdaptFlags(CLI::App& verb, AdaptFlags& flags);
// The files that they name, for the sandbox.
void AddReads(const AdaptFlags& flags, std::vector<std::filesystem::path>& reads);
// Null when nothing is to be adapted to: --adapt off, or, where --adapt is not given, a model whose
// positive class is not skin. `own_threshold` as Adapter takes it; `hog` is for the built-in
// finder.
std::shared_ptr<const Adapter> MakeAdapter(const AdaptFlags& flags, const Model& model,
                                           double own_threshold, const HogOptions& hog = {});

// 'fitted to 2 faces', 'fitted to the seed', 'no face, its own threshold 1.3 below the model's in
// log-odds', 'the global model'.
std::string TextOf(const AdaptationSummary& summary);

// 'faces in 88 of 101 images'.
struct FaceCount {
  std::size_t images = 0, with_faces = 0;
  void Add(const AdaptationSummary& summary);
  std::string Text() const;
};

}  // namespace skinmask::cli
