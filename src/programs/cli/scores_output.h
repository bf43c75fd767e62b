// Prints and draws scores and models for the verbs.
#pragma once

#include <optional>
#include <string>

#include "programs/cli/evaluate_flags.h"
#include "skinmask/learn/compare.h"
#include "skinmask/model/model.h"
#include "skinmask/pipeline/evaluate.h"
#include "skinmask/report/picture.h"
#include "skinmask/report/report.h"

namespace skinmask::cli {

// Prints the table of scores; `by_faces`: also the number of images with faces.
void PrintEvaluation(const EvaluationReport& report, bool by_faces);

// Warns if the true masks seem to be read by the wrong rule.
void WarnOfMasks(const EvaluationReport& report, const EvaluateFlags& flags);

// The day of SOURCE_DATE_EPOCH (reproducible-builds.org), "2026-11-22"; absent if it is not set,
// because the current date would make every page different. Throws Error if it is not a number of
// seconds.
std::optional<std::string> SourceDate();

void PrintComparison(const Comparison& comparison);

// A calibration curve in words: "below 0.8, and times 0.2 to 2, 0.6 beyond; above times 0.25".
std::string CurveWords(const CalibrationCurve& curve);

// The format for the file's extension.
PictureFormat PictureFormatOf(const std::string& file);
// The name of a model file in a picture: "default" for the built-in one.
std::string ModelStem(const std::string& file);
// The picture of --picture. Throws Error if nothing was scored.
std::string CurvesOf(const EvaluationReport& report, const EvaluateFlags& flags, const Model& model,
                     const Rival* rival);

}  // namespace skinmask::cli
