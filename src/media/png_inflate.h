// The slow part of reading a PNG, made fast, and what is looked at before libpng takes memory.
#pragma once

#include <optional>
#include <string_view>

#include "skinmask/base/scratch.h"

namespace skinmask {

// The same picture with its image data stored instead of compressed, in `buffer`: ISA-L inflates
// three times as fast as zlib, and libpng, which decodes all the rest, then only copies. The CRCs
// of the critical chunks have been checked, and the new image data's is not valid. Absent for what
// is not plain (interlaced or larger than 1 GiB) or not whole, which libpng may judge.
std::optional<std::string_view> WithStoredData(std::string_view png, Scratch& buffer);

// Whether all chunks up to IEND are in the file. libpng takes what a chunk says that it holds (up
// to 8 MB) before it reads it.
bool ReachesItsEnd(std::string_view png);

}  // namespace skinmask
