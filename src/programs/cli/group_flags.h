// --by of `evaluate`: scores of groups of images.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "skinmask/pipeline/evaluate.h"

namespace skinmask::cli {

// --by, once for each grouping: "tone", or a table.
using GroupFlags = std::vector<std::string>;

void AddGroupOption(CLI::App& verb, GroupFlags& by);
// Whether tones are asked for, which only images can tell.
bool ByTone(const GroupFlags& by);
// Reads the tables, before the work whose results they divide.
std::vector<GroupTable> ReadGroupTables(const GroupFlags& by);
// Adds what is asked for, in that order; `tables` as ReadGroupTables gave them.
void AddGroups(EvaluationReport& report, const GroupFlags& by,
               const std::vector<GroupTable>& tables, const Run& run);
// Throws UsageError where the output of `option` is one of the tables.
void RequireNoTable(const GroupFlags& by, const std::string& output, const std::string& option);
// The files of the tables.
std::vector<std::filesystem::path> TablesOf(const GroupFlags& by);

// The tables of scores, and what the gaps say.
void PrintGroups(const EvaluationReport& report);

}  // namespace skinmask::cli
