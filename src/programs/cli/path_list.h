// Lists of paths, as find and git write them.
#pragma once

#include <string>
#include <vector>

namespace skinmask::cli {

// The paths that a file names, a line each or, where it holds a zero byte, each ended by one; "-"
// is standard input. Empty ones are passed over, and a byte-order mark before the first. Throws
// Error where it cannot be read, or names nothing.
std::vector<std::string> ReadPathList(const std::string& file);

}  // namespace skinmask::cli
