// The tables of frames that detect and live write: a row per frame (docs/formats.md).
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

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
  // the file exists (with kFail) or cannot be written.
  FrameTable(const std::filesystem::path& path, IfExists if_exists, int seconds_decimals,
             const std::string& last_column);
  // Keeps the rows of the file that is there, before the new ones, but for those whose last column
  // says what one of the new ones says, which are replaced. Throws Error where it is no such table,
  // unless `or_replace`.
  void Complete(bool or_replace);
  // Whether the file that is there has a row with this in its last column, or with a file in it, as
  // if it were a folder (of archives).
  bool Keeps(const std::string& last) const {
    const auto in_it = earlier_cells_.lower_bound(last + '/');
    return earlier_cells_.contains(last) ||
           (in_it != earlier_cells_.end() && in_it->starts_with(last + '/'));
  }
  void Add(const Row& row);
  // What has been added so far belongs to whole inputs.
  void Mark();
  enum class Rows { kAll, kMarked };
  // Without it the file vanishes. Throws Error when the disk is full.
  void Finish(Rows rows = Rows::kAll);

 private:
  // A pipe or a device, which is written to as it is.
  bool is_special() const { return unfinished_.path() == path_; }
  [[noreturn]] void Fail() const;
  void Write(std::string_view text);
  void WriteEarlierFirst();

  std::filesystem::path path_;
  UnfinishedFile unfinished_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  int seconds_decimals_;
  std::string header_, earlier_;
  std::set<std::string> last_cells_, earlier_cells_;  // of the new rows, and of the earlier ones
  long marked_ = 0;                                   // bytes
};

}  // namespace skinmask::cli
