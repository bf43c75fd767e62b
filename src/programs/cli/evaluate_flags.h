// The options of `evaluate`, which its parts record for the merge.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "programs/cli/context.h"
#include "programs/cli/detector_flags.h"
#include "programs/cli/sample_source.h"
#include "skinmask/pipeline/collect_samples.h"
#include "skinmask/pipeline/evaluate.h"

namespace skinmask::cli {

// --by, once for each grouping: "tone", or a table.
using GroupFlags = std::vector<std::string>;

struct EvaluateFlags {
  std::vector<std::string> models;  // the model and the second model; empty: the built-in one
  std::vector<std::string> samples;
  PairOptions pairs;  // with the shard to judge
  std::string predicted;
  DecisionFlags decision;
  DetectorOptions detector;  // only adaptation, `abstain` and `class_costs`
  GroupFlags by;
  std::string report;                 // file of the page, or empty
  std::string picture;                // file of the picture of curves, or empty
  std::string title;                  // of the page, or empty
  std::string partial;                // the file of the part to write
  std::vector<std::string> partials;  // the files to merge
};

// What the verb does.
void RunEvaluate(const EvaluateFlags& flags, Context& context);
// Throws UsageError for options that cannot be combined.
void CheckEvaluateFlags(const EvaluateFlags& flags, const Context& context);
// The pairs to judge, by a model or as masks.
PairOptions PairsOf(const EvaluateFlags& flags);

// True if tones are requested, which only images can have.
bool ByTone(const GroupFlags& by);
// Reads the tables. Call it before the long work, because tables can have errors.
std::vector<GroupTable> ReadGroupTables(const GroupFlags& by);
// Adds the requested groupings in that order; `tables` are from ReadGroupTables.
void AddGroups(EvaluationReport& report, const GroupFlags& by,
               const std::vector<GroupTable>& tables, const Run& run);
std::vector<std::string> TablesOf(const GroupFlags& by);

}  // namespace skinmask::cli
