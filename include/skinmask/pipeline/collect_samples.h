// Pairs of images and masks, and the table of their labelled pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skinmask/data/samples.h"
#include "skinmask/media/image.h"
#include "skinmask/pipeline/run.h"

namespace [[gnu::visibility("default")]] skinmask {

// The part of a list that one run processes: every count-th item, beginning with the index-th.
// Index counts from 1.
struct Shard {
  std::size_t index = 1, count = 1;

  bool operator==(const Shard&) const = default;
};

struct PairOptions {
  // Folders, or tar archives, which count as folders, also within folders. With whole_class `masks`
  // is not used. Without `masks` the masks lie beside the images, in archives, and are called
  // {stem}.mask unless mask_name says otherwise.
  std::filesystem::path images, masks;
  // Alternative to the folders: a list of image files, whose names are their paths, and mask files
  // (empty with whole_class). No image may be listed twice.
  std::vector<std::pair<std::filesystem::path, std::filesystem::path>> listed;
  std::string image_name = "{stem}";
  std::string mask_name = "{stem}";
  std::vector<std::string> labels, ignored;  // as MaskRule takes them
  bool invert = false;
  std::string whole_class;     // there are no mask files: every pixel of every image has this class
  bool allow_missing = false;  // images without a mask are left out without a message
  int step = 1;                // for samples: every step-th pixel of every step-th row
  // For samples: each image is a group of its own; otherwise all are group 0.
  bool groups = true;
  // The shard of the pairs, which are sorted by name. Problems of the folders themselves (missing
  // masks, files that are not images) are reported by the first shard only.
  Shard shard;
  std::int64_t max_pixels = kMaxPixels;  // of an image or a mask; see DecodeOptions
  // For `listed`: returns the bytes of a file that is in memory; absent means that the path is to
  // be read. Called by many threads, possibly twice for an image.
  std::function<std::optional<std::string>(const std::filesystem::path&)> bytes{};
};

// Counts the colours of all pairs of the shard. The group of an image is its number, from 1, in the
// list of the images of all shards, sorted by name. Therefore the tables of all shards add up to
// the table of a single run. The table of a shard may be empty. Memory: 24 bytes for each distinct
// colour of each group.
Samples CollectSamples(const PairOptions& options, const Run& run);

}  // namespace skinmask
