// The tables that detect and live write about pictures and frames (docs/formats.md): a row for each
// picture, and one for each face in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "programs/cli/journal.h"
#include "skinmask/base/file.h"
#include "skinmask/detect/measure.h"
#include "skinmask/detect/region.h"

namespace skinmask::cli {

// A table of which a run writes rows as it goes: journalled, completed by a run that resumes.
class FrameTable {
 public:
  // `columns` are the header's; cells of the one with the index `key` say what input the row is of,
  // and those before are numbers, or empty. With kKeep the rows of the file that is there are kept
  // before the new ones, and those that a killed run left, but for those of inputs of which
  // there are new ones. Throws Error where the file exists (with kFail), cannot be
  // written or, with kKeep, is no such table, unless `or_replace`.
  FrameTable(const std::filesystem::path& path, IfExists if_exists, const std::string& columns,
             std::size_t key, bool or_replace);
  // Whether the file that is there has a row of this input, or of a file in it, as if it were a
  // folder (of archives).
  bool Keeps(const std::string& input) const {
    const auto in_it = earlier_inputs_.lower_bound(input + '/');
    return earlier_inputs_.contains(input) ||
           (in_it != earlier_inputs_.end() && in_it->starts_with(input + '/'));
  }
  // Whether no run before, be it killed, has begun the table.
  bool is_new() const { return is_new_; }
  // The rows that a killed run left of inputs whose outputs it did not: they are no more.
  void DropKilled(const std::function<bool(const std::string& input)>& drop);
  // From now on rows replace those of the same frame alone, and not all of their input.
  void ReplaceByFrame() { by_frame_ = true; }
  // Whole rows of an input, which may be none: those that it had before are replaced.
  void Add(std::string_view rows, const std::string& input, std::int64_t frame);
  // What has been added so far is there, whatever becomes of the process. Throws Error where it is
  // not (is the disk full?). No run completes what is no file: that fails at the end.
  void Flush() { journal_.is_special() ? journal_.Flush() : journal_.RequireWritten(); }
  // What has been added so far belongs to whole inputs.
  void Mark() { marked_ = journal_.size(); }
  // Takes back what was added since.
  void CutToMark() { journal_.CutTo(marked_); }
  // Writes the file, with all rows. Throws Error when the disk is full.
  void Finish();
  // Where the file is not written: no run is going to complete it.
  void GiveUp() { journal_.Remove(); }

 private:
  bool has_header() const { return journal_.size() > 0 || !journal_.earlier().empty(); }
  void ReadEarlier(bool or_replace);
  void KeepInputs(std::string_view rows);
  // As it is in its cell, without quotes.
  std::string InputOf(std::string_view row) const;
  // What rows replace: all of an input, or a frame of it, whose number stands first.
  std::string KeyOf(std::string_view row, const std::string& input) const;
  template <class See>
  void ForEachRow(std::string_view rows, const See& see) const;
  template <class Drop>
  std::string RowsWithout(std::string_view rows, const Drop& drop) const;

  std::filesystem::path path_;
  const IfExists if_exists_;
  const std::string header_;
  const std::size_t key_;
  Journal journal_;
  std::string earlier_, killed_;          // rows of the file, and of a killed run
  std::set<std::string> replaced_;        // keys of the new rows
  std::set<std::string> earlier_inputs_;  // of all those before
  bool is_new_ = true, by_frame_ = false;
  std::size_t marked_ = 0;  // bytes
};

struct TableFlags {
  std::string csv, faces_csv;  // empty: none
};

struct FrameRow {
  std::int64_t frame = 0;
  double seconds = 0;
  double skin_fraction = 0;
  std::optional<Region> region;
  const Measurement* measured;
  std::string input{};               // of detect
  double latency_ms = 0;             // of live
  std::optional<double> captured{};  // likewise: seconds since 1970
};

class FrameTables {
 public:
  enum class Of { kDetect, kLive };

  // As FrameTable.
  FrameTables(const TableFlags& files, Of of, IfExists if_exists, bool or_replace = false);
  // Nothing resumes what `live` records.
  ~FrameTables() {
    if (of_ == Of::kLive) Each(&FrameTable::GiveUp);
  }
  FrameTables(const FrameTables&) = delete;
  FrameTables& operator=(const FrameTables&) = delete;

  bool any() const { return pictures_ || faces_; }
  // Whether the table of pictures, which has all inputs, lacks rows of this one.
  bool PicturesLack(const std::string& input) const {
    return pictures_ && !pictures_->Keeps(input);
  }
  // Whether that of faces, of which an input may have none, lacks all inputs of runs before.
  bool FacesLackAll() const { return faces_ && faces_->is_new(); }
  void Add(const FrameRow& row);
  void DropKilled(const std::function<bool(const std::string& input)>& drop) {
    Each([&](FrameTable& table) { table.DropKilled(drop); });
  }
  void ReplaceByFrame() { Each(&FrameTable::ReplaceByFrame); }
  void Flush() { Each(&FrameTable::Flush); }
  void Mark() { Each(&FrameTable::Mark); }
  void CutToMark() { Each(&FrameTable::CutToMark); }
  void Finish() { Each(&FrameTable::Finish); }

 private:
  template <class Act>
  void Each(const Act& act) {
    for (std::optional<FrameTable>* const table : {&pictures_, &faces_})
      if (*table) std::invoke(act, **table);
  }

  const Of of_;
  std::optional<FrameTable> pictures_, faces_;
};

}  // namespace skinmask::cli
