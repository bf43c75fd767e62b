// What `show` and `evaluate` draw.
#pragma once

#include <string>

#include "programs/cli/evaluate_flags.h"
#include "skinmask/report/picture.h"
#include "skinmask/report/report.h"

namespace skinmask::cli {

// By the extension of the file.
PictureFormat PictureFormatOf(const std::string& file);
// What a model of this file is called in a picture: "default" for the built-in one.
std::string ModelStem(const std::string& file);
// The picture of --picture. Throws Error where nothing was scored.
std::string CurvesOf(const EvaluationReport& report, const EvaluateFlags& flags, const Model& model,
                     const Rival* rival);

}  // namespace skinmask::cli
