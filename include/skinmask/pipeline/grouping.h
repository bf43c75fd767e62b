// Judged images in groups: by the tone of their true skin, or by what a table says of them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skinmask/pipeline/run.h"

namespace [[gnu::visibility("default")]] skinmask {

struct EvaluationReport;

struct Grouping {
  std::string by;                  // "tone by ITA", "tone by Monk", or a column's name
  std::string source;              // "true skin", or the table's file
  std::vector<std::string> names;  // of the groups: of a scale all, in its order; else by bytes
  // Of each image of the report, an index into `names`; absent where it is in no group.
  std::vector<std::optional<std::size_t>> group;
  std::string why_none;  // "no true skin": what images have that are in no group
};

// A table (CSV) with a row for each image: its name, and what it is in each column.
struct GroupTable {
  std::string file;
  std::vector<std::string> columns;
  // By the image's name; a cell for each column, empty where nothing is said.
  std::map<std::string, std::vector<std::string>> rows;
};

// docs/formats.md, 'Groups of images (CSV)', says what is read. Throws Error, with the line, for
// anything else: other headers, rows of other lengths, an image that is named twice, a column of
// more than a hundred values.
GroupTable ReadGroupTable(const std::filesystem::path& file);
// The same of a text that errors call `subject`.
GroupTable ParseGroupTable(std::string_view text, const std::string& subject);

// Adds the two groupings by tone, of EvaluationReport::tones, which must be there.
void AddToneGroupings(EvaluationReport& report);
// Adds a grouping for each column. `run` is told, in a line each, of images without a row, and of
// rows without an image; where no image has a row, of a problem.
void AddGroupings(EvaluationReport& report, const GroupTable& table, const Run& run);

}  // namespace skinmask
