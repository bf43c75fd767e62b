// Calibrating what adaptation says: curves for a model from evaluations of it.
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
  // The expected calibration errors of the model as it is, and with curves to which no image of the
  // same fold contributed (leaving images out), and both over P from 0.2 to 0.8. Absent without
  // pixels.
  std::optional<double> before, after, middle_before, middle_after;
};

struct AdaptedCalibrationFit {
  AdaptedCalibration calibration;  // that the model is to have
  // Images with seeds, those that were divided by their own colours, and those with neither; of
  // fewer than two, of which one can be left out, the curve stays as it was.
  std::size_t faces = 0, image = 0, neither = 0;
  std::vector<CalibrationSet> sets;
};

// Fits the curves of `model` on files that EvaluateShard's parts were written to, with each image's
// scores: whole evaluations of this very model with adaptation, each of one or several files. Each
// image weighs the same, whatever its size. Up to 200 images are left out one at a time; of more,
// 200 folds. Curves are rounded to four digits. Throws Error for a file that is no such part, or
// whose others are missing, and where no curve can be fitted. After a stop what it returns is of no
// use. Cost: three passes over the files' scores, 2 ms an image.
AdaptedCalibrationFit FitAdaptedCalibration(const std::vector<std::filesystem::path>& parts,
                                            const Model& model,
                                            const std::atomic<bool>* stop = nullptr);

}  // namespace skinmask
