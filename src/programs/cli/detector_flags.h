// The options of detect, live and evaluate that are those of a Detector, and lines about what it
// did.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "base/json.h"
#include "skinmask/detect/detector.h"

namespace skinmask::cli {

// Those under "Adaptation".
void AddAdaptationOptions(CLI::App& verb, DetectorOptions& options);
// The options with the file of faces that the environment names, where they name none. Throws
// UsageError for faces that nothing is adapted to.
DetectorOptions WithFacesOfEnvironment(DetectorOptions options);

// The option of DetectorTable that a flag is ("seed-rect"); null for others.
const OptionRow* DetectorRowOf(std::string flag);
// What of these options, by flags as Context::options has them, a Detector of the model was given,
// by names of the table and by values: "0.5" and ".5" say the same, and so do a default and
// nothing.
std::map<std::string, std::string> DetectorOptionsIn(const Json& given, const Model& model);

// 'fitted to 2 faces', 'fitted to the seed', 'no face, its own threshold 1.3 below the model's in
// log-odds', 'the global model'.
std::string TextOf(const AdaptationSummary& summary);

// 'faces in 88 of 101 images'.
struct FaceCount {
  std::size_t images = 0, with_faces = 0;
  void Add(const AdaptationSummary& summary) {
    ++images;
    with_faces += summary.faces > 0;
  }
  std::string Text() const;
};

}  // namespace skinmask::cli
