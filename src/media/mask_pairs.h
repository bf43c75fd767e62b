// Finds the mask that belongs to each image, by the names of files, also in archives.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "media/archive.h"
#include "skinmask/media/inputs.h"

namespace [[gnu::visibility("default")]] skinmask {

// A file name without extension in which {stem} stands for what image and mask have in common. A
// pattern that ends in an image extension names that extension only.
class NamePattern {
 public:
  // `role` is what errors call it ("mask name"). Throws Error for a pattern without {stem}, or
  // with a slash.
  NamePattern(std::string pattern, std::string_view role);

  std::string Expand(std::string_view stem) const;
  // The stem of a file name (with its extension) that fits the pattern; empty where it does not
  // fit.
  std::string StemOf(const std::filesystem::path& file_name) const;
  // It names one extension, not any.
  bool has_extension() const { return has_extension_; }

 private:
  std::string pattern_;
  bool has_extension_;
};

struct MaskPair {
  InputFile image;
  std::filesystem::path mask;
};

struct MaskPairs {
  std::vector<MaskPair> pairs;
  std::size_t without_mask = 0;  // images that have none
};

struct PairingOptions {
  // The images are masks that `detect` wrote: its other outputs are passed over, full names
  // (b.jpg.png) find the mask of b, and masks without one go to the problems.
  bool predicted = false;
  // What the names of those end in.
  std::vector<std::string_view> other_outputs{};
  // Images without a mask are no problems, but passed over.
  bool allow_missing = false;
};

// For each image below `images` whose name fits `image_name`: its mask below `masks`, sub-folders
// mirrored. Images without a mask, or with more than one, go to the problems of `list`; where there
// are many of a kind, ten are shown, and a line counts the others. Files that are masks of others
// are no images. Files below `images` that are no image by their names go to `passed_over`. Throws
// Error for what is no folder, where no image has a mask, and where predicted and true masks have
// changed places, as far as names show it. An archive is a folder of its files, as for ListFolder.
MaskPairs PairMasks(const std::filesystem::path& images, const NamePattern& image_name,
                    const std::filesystem::path& masks, const NamePattern& mask_name,
                    const PairingOptions& options, const ListOptions& list, Archives& archives);

}  // namespace skinmask
