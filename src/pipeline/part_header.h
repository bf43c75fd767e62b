// What tells the file of one shard's results from those of others: which shard of what, made by
// which program with which options.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "skinmask/pipeline/collect_samples.h"

namespace [[gnu::visibility("default")]] skinmask {

struct PartHeader {
  std::string format;             // "skinmask-evaluation-part"
  std::string version;            // of the program
  std::string data;               // digest of the names in the whole list, or of the table
  std::string model;              // digest of the model; empty where there is none
  Json options = Json::object();  // as the command line had them, those that decide the result
  Shard shard;
  std::size_t size = 0;  // of the whole list
};

// An object that begins with the header's keys.
Json JsonOf(const PartHeader& header);
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

}  // namespace skinmask
