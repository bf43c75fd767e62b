// The tables of frames that detect and live write: a row per frame (docs/formats.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "programs/cli/journal.h"
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
  // `last_column` is the name of the one column that is not the same for both. With kKeep the rows
  // of the file that is there are kept before the new ones, and those that a killed run left, but
  // for those whose last column says what one of the new ones says, which are replaced. Throws
  // Error where the file exists (with kFail), cannot be written or, with kKeep, is no such table,
  // unless `or_replace`.
  FrameTable(const std::filesystem::path& path, IfExists if_exists, int seconds_decimals,
             const std::string& last_column, bool or_replace = false);
  // Whether the file that is there has a row with this in its last column, or with a file in it, as
  // if it were a folder (of archives).
  bool Keeps(const std::string& last) const {
    const auto in_it = earlier_cells_.lower_bound(last + '/');
    return earlier_cells_.contains(last) ||
           (in_it != earlier_cells_.end() && in_it->starts_with(last + '/'));
  }
  // The rows that a killed run left of inputs whose outputs it did not: they are no more.
  void DropKilled(const std::function<bool(const std::string& last)>& drop);
  void Add(const Row& row);
  // What has been added so far is there, whatever becomes of the process.
  void Flush() { journal_.Flush(); }
  // What has been added so far belongs to whole inputs.
  void Mark() { marked_ = journal_.size(); }
  // Takes back what was added since.
  void CutToMark() { journal_.CutTo(marked_); }
  // Writes the file, with all rows. Throws Error when the disk is full.
  void Finish();

 private:
  bool has_header() const { return journal_.size() > 0 || !journal_.earlier().empty(); }
  void ReadEarlier(bool or_replace);
  void KeepCells(std::string_view rows);

  std::filesystem::path path_;
  const IfExists if_exists_;
  const int seconds_decimals_;
  const std::string header_;
  Journal journal_;
  std::string earlier_, killed_;                      // rows of the file, and of a killed run
  std::set<std::string> last_cells_, earlier_cells_;  // of the new rows, and of all those before
  std::size_t marked_ = 0;                            // bytes
};

}  // namespace skinmask::cli
