#include "programs/live/new_file_name.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace skinmask::live {

std::filesystem::path NewFileName(const std::filesystem::path& folder, const std::string& suffix) {
  const std::string stem = fmt::format("live-{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  std::filesystem::path path = folder / (stem + suffix);
  for (int i = 2; std::filesystem::exists(path); ++i)
    path = folder / fmt::format("{}-{}{}", stem, i, suffix);
  return path;
}

}  // namespace skinmask::live
