// Calibrating what adaptation says: scales for a model from evaluations of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

// What one file of an evaluation shows.
struct CalibrationSet {
  std::string name;        // of the file
  std::size_t images = 0;  // that were judged
  // The expected calibration errors of the model as it is, and with scales to which no image of the
  // same fold contributed (leaving images out). Absent without pixels.
  std::optional<double> before, after;
};

struct AdaptedCalibrationFit {
  AdaptedCalibration calibration;  // that the model is to have
  // Images with seeds, and those that were divided by their own colours; of fewer than two, of
  // which one can be left out, the scales stay as they were.
  std::size_t faces = 0, image = 0;
  std::vector<CalibrationSet> sets;
};

// Fits the scales of `model` on files that EvaluateShard's parts were written to, with each image's
// scores: whole evaluations of this very model with adaptation, each of one or several files. Each
// pixel weighs the same. Up to 200 images are left out one at a time; of more, 200 folds. Scales
// are rounded to four digits. Throws Error for a file that is no such part, or whose others are
// missing, and where no scales can be fitted. After a stop what it returns is of no use. Cost:
// three passes over the files' scores, 2 ms an image.
AdaptedCalibrationFit FitAdaptedCalibration(const std::vector<std::filesystem::path>& parts,
                                            const Model& model,
                                            const std::atomic<bool>* stop = nullptr);

}  // namespace skinmask
