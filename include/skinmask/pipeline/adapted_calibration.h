// Calibrates the probabilities of adapted models: fits the calibration curves of a model to
// evaluations of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

// The result for one file of an evaluation.
struct CalibrationSet {
  std::string name;        // of the file
  std::size_t images = 0;  // judged images
  // The expected calibration error (ECE) of the model as it is, and with curves that were fitted
  // without the images of the same fold; then both over the pixels with P from 0.2 to 0.8 only.
  // Absent without such pixels.
  std::optional<double> before, after, middle_before, middle_after;
};

struct AdaptedCalibrationFit {
  AdaptedCalibration calibration;  // the new curves of the model
  // The numbers of images with seeds, of images that were divided by their own colours, and of
  // images with neither. A kind with fewer than two images keeps its curve, because one image must
  // be left out, and so does one that lacks pixels of both classes on both sides of the threshold.
  std::size_t faces = 0, image = 0, neither = 0;
  bool faces_fitted = false, image_fitted = false, neither_fitted = false;
  std::vector<CalibrationSet> sets;
};

// Fits the curves of `model` to files of the parts of EvaluateShard. The parts must keep each
// image's scores and must form whole evaluations of this very model with adaptation, each of one or
// several files. Every image has the same weight, whatever its size. The errors are
// cross-validated: each image is left out once (up to 200 images), or each of 200 folds. Curves are
// rounded to four digits. Throws Error for a file that is not such a part, for a missing part, and
// if no curve can be fitted. After a stop the result is unusable. Cost: three passes over the
// files' scores, 2 ms an image.
AdaptedCalibrationFit FitAdaptedCalibration(const std::vector<std::filesystem::path>& parts,
                                            const Model& model,
                                            const std::atomic<bool>* stop = nullptr);

}  // namespace skinmask
