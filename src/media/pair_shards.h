// Images and masks in tar archives.
#pragma once

#include <filesystem>

#include "media/shard_files.h"
#include "skinmask/media/mask_pairs.h"

namespace [[gnu::visibility("default")]] skinmask {

// True for an archive by its name, and for a folder that holds one.
bool HoldsArchives(const std::filesystem::path& path);

// As ListFolder and PairMasks, where archives are folders: the one that is named, and those that
// folders hold. They are opened in `shards`.
InputList ListFolderWithShards(const std::filesystem::path& folder, const ListOptions& options,
                               ShardFiles& shards);
MaskPairs PairMasksWithShards(const std::filesystem::path& images, const NamePattern& image_name,
                              const std::filesystem::path& masks, const NamePattern& mask_name,
                              const PairingOptions& options, const ListOptions& list,
                              ShardFiles& shards);

}  // namespace skinmask
