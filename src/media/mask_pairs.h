// Finds the mask of each image by the names of files, also in archives.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "media/archive.h"
#include "skinmask/media/inputs.h"

namespace [[gnu::visibility("default")]] skinmask {

// A pattern for file names without extension, in which {stem} stands for the common part of image
// and mask. A pattern that ends in an image extension matches that extension only.
class NamePattern {
 public:
  // `role` names the pattern in errors ("mask name"). Throws Error for a pattern without {stem}, or
  // with a slash.
  NamePattern(std::string pattern, std::string_view role);

  std::string Expand(std::string_view stem) const;
  // The stem of a file name (with extension) that matches the pattern; empty if it does not match.
  std::string StemOf(const std::filesystem::path& file_name) const;
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
  std::size_t without_mask = 0;  // the number of images without a mask
};

struct PairingOptions {
  // The images are masks that `detect` wrote: other outputs of `detect` are skipped, full names
  // (b.jpg.png) match the mask of b, and true masks without a predicted one are problems.
  bool predicted = false;
  // The suffixes of these other outputs.
  std::vector<std::string_view> other_outputs{};
  // Images without a mask are reported to passed_over and not as problems.
  bool allow_missing = false;
};

// True for KEY.seg.png in an archive, where only KEY.jpg is an image, unless the pattern asks for
// more.
bool IsAnnotation(const InputFile& image, const NamePattern& name);

// Finds, for each image below `images` whose name matches `image_name`, its mask below `masks`, in
// the same subfolder. Images without a mask, or with several, are reported to the problems of
// `list`; if many problems are alike, ten are shown, and one line counts the others. Files that are
// masks of other images do not count as images. Files below `images` without an image's extension
// go to `passed_over`. Throws Error if `images` or `masks` is not a folder, if no image has a mask,
// and if the names suggest that predicted and true masks are swapped. An archive counts as a folder
// of its files; see ListFolder.
MaskPairs PairMasks(const std::filesystem::path& images, const NamePattern& image_name,
                    const std::filesystem::path& masks, const NamePattern& mask_name,
                    const PairingOptions& options, const ListOptions& list, Archives& archives);

}  // namespace skinmask
