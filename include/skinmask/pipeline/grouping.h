// Groups of judged images: by the tone of their true skin, or by the columns of a table.
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
  std::vector<std::string> names;  // names of the groups: of a scale all of them in its order,
                                   // otherwise sorted by bytes
  // For each image of the report an index into `names`; absent if it is in no group.
  std::vector<std::optional<std::size_t>> group;
  std::string why_none;  // the reason why images are in no group: "no true skin"
};

// A table (CSV) with a row for each image: its name, and its value in each column.
struct GroupTable {
  std::string file;
  std::vector<std::string> columns;
  // By the image's name: a cell for each column, empty if there is no value.
  std::map<std::string, std::vector<std::string>> rows;
};

// Reads a table (docs/formats.md, 'Groups of images (CSV)'). Throws Error, with the line, for other
// headers, rows of other lengths, an image that is named twice, and a column with more than a
// hundred values.
GroupTable ReadGroupTable(const std::filesystem::path& file);
// The same for a text; errors have `subject` in place of the file.
GroupTable ParseGroupTable(std::string_view text, const std::string& subject);

// Adds the two groupings by tone. EvaluationReport::tones must be filled.
void AddToneGroupings(EvaluationReport& report);
// Adds a grouping for each column. Images without a row, and rows without an image, are a warning
// of `run` each; if no image has a row, that is a problem.
void AddGroupings(EvaluationReport& report, const GroupTable& table, const Run& run);

}  // namespace skinmask
