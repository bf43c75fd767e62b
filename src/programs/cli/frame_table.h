// The table of detect --csv: a row per frame (docs/formats.md).
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>

#include "skinmask/base/file.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask::cli {

class FrameTable {
 public:
  // Throws Error where the file exists (without kYes) or cannot be written.
  FrameTable(const std::filesystem::path& path, Overwrite overwrite);
  void Add(const DetectedFrame& frame);
  // Without it the file vanishes. Throws Error when the disk is full.
  void Finish();

 private:
  [[noreturn]] void Fail() const;

  std::filesystem::path path_;
  PartFile part_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace skinmask::cli
