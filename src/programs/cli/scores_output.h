// What verbs print and draw of scores and models.
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

// The table; `by_faces`: with how many images had faces.
void PrintEvaluation(const EvaluationReport& report, bool by_faces);

// Where the true masks seem to mark something else than the rule that they are read by.
void WarnOfMasks(const EvaluationReport& report, const EvaluateFlags& flags);

// The day of SOURCE_DATE_EPOCH (reproducible-builds.org), "2026-11-22"; none where it is not set.
// The clock would make every page another. Throws Error where it is no number of seconds.
std::optional<std::string> SourceDate();

void PrintComparison(const Comparison& comparison);

// A calibration curve in words: "below 0.8, and times 0.2 to 2, 0.6 beyond; above times 0.25".
std::string CurveWords(const CalibrationCurve& curve);

// By the extension of the file.
PictureFormat PictureFormatOf(const std::string& file);
// What a model of this file is called in a picture: "default" for the built-in one.
std::string ModelStem(const std::string& file);
// The picture of --picture. Throws Error where nothing was scored.
std::string CurvesOf(const EvaluationReport& report, const EvaluateFlags& flags, const Model& model,
                     const Rival* rival);

}  // namespace skinmask::cli
