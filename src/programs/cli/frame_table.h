// The tables of frames that detect and live write: a row per frame (docs/formats.md).
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "skinmask/base/file.h"
#include "skinmask/detect/region.h"

namespace skinmask::cli {

class FrameTable {
 public:
  struct Row {
    std::uint64_t frame = 0;
    double seconds = 0;
    double skin_fraction = 0;
    std::optional<Region> region;
    std::string last;  // what is in the last column
  };
  // `last_column` is the name of the one column that is not the same for both. Throws Error where
  // the file exists (without kYes) or cannot be written.
  FrameTable(const std::filesystem::path& path, Overwrite overwrite, int seconds_decimals,
             const std::string& last_column);
  void Add(const Row& row);
  // Without it the file vanishes. Throws Error when the disk is full.
  void Finish();

 private:
  [[noreturn]] void Fail() const;
  void Write(const std::string& line);

  std::filesystem::path path_;
  PartFile part_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  int seconds_decimals_;
};

}  // namespace skinmask::cli
