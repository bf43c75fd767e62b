// A part is the file of what one shard of a run found. Its header tells it from other parts: which
// shard of what, made by which program with which options. The part of a comparison has the scores
// of its models (that of an evaluation: evaluation_part.h).
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "skinmask/learn/compare.h"
#include "skinmask/pipeline/collect_samples.h"

namespace [[gnu::visibility("default")]] skinmask {

// How many of `size` things a shard has.
inline std::size_t SizeOf(const Shard& shard, std::size_t size) {
  return size < shard.index ? 0 : (size - shard.index) / shard.count + 1;
}
// The place in the whole list of the i-th of them.
inline std::size_t PlaceOf(const Shard& shard, std::size_t i) {
  return shard.index - 1 + i * shard.count;
}
// Throws Error for what is no shard.
void RequireShard(const Shard& shard);

struct PartHeader {
  std::string version;            // of the program
  std::string data;               // digest of the names in the whole list, or of the table
  std::string model;              // digest of the model; empty where there is none
  Json options = Json::object();  // those that decide the result, by their values where these tell
  Shard shard;
  std::size_t size = 0;  // of the whole list
};

// An object that begins with the header's keys. `format`: "skinmask-evaluation-part".
Json JsonOf(const PartHeader& header, const std::string& format);
// Throws Error for what is no such part of this version of the program, or names no shard.
PartHeader ReadPartHeader(const JsonNode& root, const std::string& subject,
                          const std::string& format);

// Throws Error for the part of a file that was made with other options than these `here`, but for
// those that are `free` to differ.
void RequireMadeWith(const std::string& file, Json made, Json here,
                     const std::vector<std::string>& free);

// The parts of one whole, as files name them.
class PartSet {
 public:
  // Throws Error, which names the file and what differs, for a part of something else, and for a
  // shard that was there before.
  void Add(const std::string& file, const PartHeader& header);
  // Throws Error where a shard is missing.
  void RequireWhole() const;

 private:
  std::map<std::size_t, std::string> files_;  // by the shard's index
  std::string first_;
  PartHeader header_;  // of the first
};

// Of `models`, all of a comparison, those of the shard.
std::vector<ComparedModel> ModelsOfShard(const Shard& shard,
                                         const std::vector<ComparedModel>& models);

// The file of a part (docs/formats.md, 'Part of a comparison'): the header, and the shard's models.
std::string FormatComparisonPart(const PartHeader& header,
                                 const std::vector<ComparedModel>& models);

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
