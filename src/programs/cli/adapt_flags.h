// The options of detect, live and evaluate that adapt the model to each image.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "skinmask/detect/detector.h"

namespace skinmask::cli {

struct AdaptFlags {
  std::string adapt = "auto";
  bool given = false;  // --adapt, on the command line
  std::string faces, seed_mask, seed_rect;
  std::string refine = "guided";

  bool has_seeds() const { return !seed_mask.empty() || !seed_rect.empty(); }
  // By default seeds are all that counts where there are some.
  bool by_faces() const { return adapt == "faces" || (adapt == "auto" && (given || !has_seeds())); }
  // The same after somebody asked for adaptation.
  AdaptFlags WhenAskedFor() const {
    AdaptFlags flags = *this;
    if (adapt == "off" && !has_seeds()) flags.adapt = "auto";
    flags.given = true;
    return flags;
  }
  // Asked for on the command line, not by default.
  bool any_given() const { return (given && adapt != "off") || has_seeds() || !faces.empty(); }
};

void AddAdaptFlags(CLI::App& verb, AdaptFlags& flags);
// The files that they name, for the sandbox.
void AddReads(const AdaptFlags& flags, std::vector<std::filesystem::path>& reads);
// Sets what they ask for. Throws UsageError.
void SetAdaptation(const AdaptFlags& flags, DetectorOptions& options);

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
