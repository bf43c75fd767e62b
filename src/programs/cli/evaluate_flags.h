// The options of `evaluate`, which its parts keep for the merge.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
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
  std::vector<std::string> models;  // the model, and the one beside it; none: the built-in one
  std::vector<std::string> samples;
  PairOptions pairs;
  std::string predicted;
  DecisionFlags decision;
  DetectorOptions detector;  // of it adaptation, and what is not known
  GroupFlags by;
  std::string report;                 // the page to write, or empty
  std::string picture;                // of curves, to draw, or empty
  std::string title;                  // of the page, or empty
  std::string shard = "1/1";          // what to judge,
  std::string partial;                // for this file of a part
  std::vector<std::string> partials;  // files to make the whole of
};

// The verb with its options, but no action.
CLI::App* AddEvaluateVerb(CLI::App& app, EvaluateFlags& flags, Context& context);
// Throws UsageError for options that do not go together.
void CheckEvaluateFlags(const EvaluateFlags& flags, const Context& context);
// The pairs that are judged, whether by a model or as masks.
PairOptions PairsOf(const EvaluateFlags& flags);

// Whether tones are asked for, which only images can tell.
bool ByTone(const GroupFlags& by);
// Reads the tables, before the work whose results they divide.
std::vector<GroupTable> ReadGroupTables(const GroupFlags& by);
// Adds what is asked for, in that order; `tables` as ReadGroupTables gave them.
void AddGroups(EvaluationReport& report, const GroupFlags& by,
               const std::vector<GroupTable>& tables, const Run& run);
// The files of the tables.
std::vector<std::filesystem::path> TablesOf(const GroupFlags& by);

}  // namespace skinmask::cli
