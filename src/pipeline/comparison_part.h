// The part of a comparison is what one shard of it found: the scores of its models.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/part_header.h"
#include "skinmask/learn/compare.h"

namespace [[gnu::visibility("default")]] skinmask {

// Of `models`, all of a comparison, those of the shard.
std::vector<ComparedModel> ModelsOfShard(const Shard& shard,
                                         const std::vector<ComparedModel>& models);

// The file of a part (docs/formats.md, 'Part of a comparison'): the header, which lacks but its
// format, and the shard's models.
std::string FormatComparisonPart(PartHeader header, const std::vector<ComparedModel>& models);

struct ComparisonPart {
  PartHeader header;
  std::vector<ComparedModel> models;  // with the name of a given model, whatever they are
};
// Throws Error for what FormatComparisonPart does not write.
ComparisonPart ReadComparisonPart(const std::filesystem::path& file);
// Puts the scores of a part into `whole`, which has all models. Throws Error where the models are
// others, or have another number of folds.
void AddScores(const ComparisonPart& part, const std::string& file, Comparison& whole);

}  // namespace skinmask
