// Images with their masks, and the table of their pixels.
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

// The part of a list that one run does: every count-th of it, from the index-th on. Index counts
// from 1.
struct Shard {
  std::size_t index = 1, count = 1;

  bool operator==(const Shard&) const = default;
};

struct PairOptions {
  // Folders, or tar archives, which are folders here, also within folders. Of `masks` whole_class
  // has no use; where they are empty, masks lie beside the images, in archives, and are called
  // {stem}.mask unless mask_name says otherwise.
  std::filesystem::path images, masks;
  // Or, in their place, files: each image, its path being its name, and its mask (whole_class has
  // none). No image may stand there twice.
  std::vector<std::pair<std::filesystem::path, std::filesystem::path>> listed;
  std::string image_name = "{stem}";
  std::string mask_name = "{stem}";
  std::vector<std::string> labels, ignored;  // as MaskRule takes them
  bool invert = false;
  std::string whole_class;     // no mask files: every pixel of every image is of this class
  bool allow_missing = false;  // images without a mask are left out, and nothing is said of them
  int step = 1;                // for samples: every step-th pixel of every step-th row
  bool groups = true;          // for samples: number the images; otherwise all are group 0
  // Of the pairs in the order of their names. What is wrong with the folders themselves (masks that
  // are missing, files that are no images) the first shard tells, and no other.
  Shard shard;
  std::int64_t max_pixels = kMaxPixels;  // of an image or a mask: as DecodeOptions has it
  // For `listed`: the bytes of a file that is in memory, or nothing, where the path is to be read.
  // Many threads call it, for an image maybe twice.
  std::function<std::optional<std::string>(const std::filesystem::path&)> bytes{};
};

// Counted colours of all pairs of the shard, the images numbered as groups from 1 in the order of
// their names, those of other shards counting: the tables of all shards add up to that of one run,
// and a table may be empty.
// Memory: the table, 24 bytes per distinct colour of each group.
Samples CollectSamples(const PairOptions& options, const Run& run);

}  // namespace skinmask
