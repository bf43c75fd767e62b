// A part is the file with the result of one shard. Its header identifies it: which shard of which
// data, made by which version and options. The part of a comparison has the scores of its models
// (for evaluations see evaluation_part.h).
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

// The number of items of a list of `size` that the shard has.
inline std::size_t SizeOf(const Shard& shard, std::size_t size) {
  return size < shard.index ? 0 : (size - shard.index) / shard.count + 1;
}
// The index in the whole list of the shard's i-th item.
inline std::size_t PlaceOf(const Shard& shard, std::size_t i) {
  return shard.index - 1 + i * shard.count;
}
// Throws Error if index or count is invalid.
void RequireShard(const Shard& shard);

struct PartHeader {
  std::string version;  // of the program
  // Digest of the names in the whole list, or of the table of samples.
  std::string data;
  std::string model;  // digest of the model; empty without one
  // The options that determine the result, with their values if these are recorded.
  Json options = Json::object();
  Shard shard;
  std::size_t size = 0;  // of the whole list
};

// A JSON object that begins with the header. `format`: "skinmask-evaluation-part".
Json JsonOf(const PartHeader& header, const std::string& format);
// Throws Error if `root` is not such a part of this version of the program, or has no valid shard.
PartHeader ReadPartHeader(const JsonNode& root, const std::string& subject,
                          const std::string& format);

// Throws Error if the part in `file` was made with options other than `here`, apart from the
// options in `free`.
void RequireMadeWith(const std::string& file, Json made, Json here,
                     const std::vector<std::string>& free);

// The parts of one whole, with the names of their files.
class PartSet {
 public:
  // Throws Error, which names the file and the difference, for a part of another whole, and for a
  // shard that was added before.
  void Add(const std::string& file, const PartHeader& header);
  // Throws Error if a shard is missing.
  void RequireWhole() const;

 private:
  std::map<std::size_t, std::string> files_;  // by the shard's index
  std::string first_;
  PartHeader header_;  // of the first part
};

// The text of the file of a part (docs/formats.md, 'Part of a comparison'): the header and the
// shard's models.
std::string FormatComparisonPart(const PartHeader& header,
                                 const std::vector<ComparedModel>& models);

struct ComparisonPart {
  PartHeader header;
  // Read as given models (GivenModel) of that name, of whatever kind.
  std::vector<ComparedModel> models;
};
// Throws Error for anything that FormatComparisonPart does not write.
ComparisonPart ReadComparisonPart(const std::filesystem::path& file);
// Copies the scores of a part into `whole`, which has all models. Throws Error if the models or the
// number of folds differ.
void AddScores(const ComparisonPart& part, const std::string& file, Comparison& whole);

}  // namespace skinmask
