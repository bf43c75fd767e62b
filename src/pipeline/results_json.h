// Writes results as JSON, and reads counts back, whose source is untrusted; docs/formats.md has the
// keys.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/json.h"
#include "skinmask/base/problem.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/detect/measure.h"
#include "skinmask/learn/class_counts.h"
#include "skinmask/learn/evaluation.h"
#include "skinmask/pipeline/evaluate.h"

namespace [[gnu::visibility("default")]] skinmask {

// {"input": ...}; also "input_bytes", in base64, if the name is no UTF-8, because JSON replaces
// such bytes, so that names may become equal.
Json EntryOfInput(const std::string& input);
// The same, with "reason".
Json EntryOfInput(const std::string& input, const std::string& reason);
// The name in such an entry with its bytes, if it is known; nullopt also if they are no base64.
std::optional<std::string> BytesOfInput(const Json& entry);

// True for a list of failures, which have an `input` and a `reason`, in a record of a run.
bool AreFailures(const Json& list);

// A failure that the record of an earlier run tells.
Problem FailedBefore(const std::string& input, const std::string& reason);

inline constexpr std::pair<const char*, std::uint64_t Confusion::*> kConfusionCounts[] = {
    {"tp", &Confusion::tp}, {"fp", &Confusion::fp}, {"fn", &Confusion::fn}, {"tn", &Confusion::tn}};
inline constexpr std::pair<const char*, std::optional<double> Metrics::*> kRatios[] = {
    {"accuracy", &Metrics::accuracy},
    {"precision", &Metrics::precision},
    {"recall", &Metrics::recall},
    {"specificity", &Metrics::specificity},
    {"f1", &Metrics::f1},
    {"iou", &Metrics::iou},
    {"auc", &Metrics::auc},
    {"average_precision", &Metrics::average_precision},
    {"brier", &Metrics::brier},
};
inline constexpr auto kRatiosOfScores = std::span(kRatios).last<3>();  // not of counts
// {"tp": ..., "fp": ..., "fn": ..., "tn": ...}
Json JsonOf(const Confusion& counts);
// Throws Error for a count above `most`, which is at most 2^60, so that sums cannot overflow.
Confusion ReadConfusion(const JsonNode& node, std::uint64_t most);
// {"classes": [...], "counts": [[...], ...] (true class by called class), "accuracy": ...,
// "recall": [...], "precision": [...]}, in the order of the classes; null where 0/0.
Json JsonOf(const ClassCounts& counts);
// Reads what JsonOf(ClassCounts) writes; the counts must add up to at most `pixels`.
ClassCounts ReadClassCounts(const JsonNode& node, std::uint64_t pixels);

// {"by": "seeds", "faces": 2}, {"by": "image", "shift": -1.3} or {"by": "nothing"}.
Json JsonOf(const AdaptationSummary& summary);
// {"pixels": ..., "mean": {"red": ..., ...}, "sd": {...}}; null where there are no pixels.
Json JsonOf(const ColorSums& colors);
Json JsonOf(const MeasuredFace& face);

Json RatiosJson(const NamedRatios& ratios);
Json MetricsJson(const Metrics& metrics);  // counts and ratios

// {"pooled": {...}, "mean_per_image": {...}, "images": [...]}, and the other parts of the report.
Json ReportJson(const EvaluationReport& report);

}  // namespace skinmask
