// Names of the files that keys make.
#pragma once

#include <filesystem>
#include <string>

namespace skinmask::live {

// A name in `folder`: "live-20261121-172233" and what follows; never one that exists.
std::filesystem::path NewFileName(const std::filesystem::path& folder, const std::string& suffix);

}  // namespace skinmask::live
