// The options of a Detector for detect, live and evaluate, and texts about its results.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "skinmask/detect/detector.h"

namespace skinmask::cli {

// Adds the options of the group "Adaptation".
void AddAdaptationOptions(CLI::App& verb, DetectorOptions& options);
// Returns the options with the face detector file of SKINMASK_FACES, if they name none. Throws
// UsageError for --faces with an --adapt that uses no faces.
DetectorOptions WithFacesOfEnvironment(DetectorOptions options);
// The files that the options name, which are read.
std::vector<std::string> FilesOf(const DetectorOptions& options);

// Throws UsageError for an option of adaptation in `given` (as in Context::options) if the detector
// adapts nothing because of what its model finds.
void RequireAdapted(const Detector& detector, const Json& given);

// The row of DetectorTable for a flag ("seed-rect"); null for other flags.
const OptionRow* DetectorRowOf(std::string flag);
// The values of detector options, by their names in the table, that a detector of the model gets
// from `given` (flags and values, as in Context::options). Values are normalised: "0.5" equals
// ".5", and an explicit default equals no option.
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
