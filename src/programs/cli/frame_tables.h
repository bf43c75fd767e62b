// The tables of detect and live about pictures and frames (docs/formats.md): one with a row for
// each picture, and one with a row for each face.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "programs/cli/context.h"
#include "programs/cli/journal.h"
#include "skinmask/base/file.h"
#include "skinmask/detect/measure.h"
#include "skinmask/detect/region.h"

namespace skinmask::cli {

// A table whose rows are written to a journal during the run. A resumed run completes it.
class FrameTable {
 public:
  // `columns` is the header. The column with the index `key` names the input of a row; the columns
  // before it are numbers or empty. With kKeep the rows of the existing file, and those of a killed
  // run, are kept before the new rows, except for rows of inputs that have new rows. Throws Error
  // if the file exists (with kFail), if it cannot be written, or, with kKeep and without
  // `or_replace`, if it is not such a table.
  FrameTable(const std::filesystem::path& path, IfExists if_exists, const std::string& columns,
             std::size_t key, bool or_replace);
  // True if the earlier rows include this input or, for an archive, a file in it.
  bool Keeps(const std::string& input) const { return HasInputOrPart(earlier_inputs_, input); }
  // True if no earlier run, finished or killed, has begun the table.
  bool is_new() const { return is_new_; }
  // Drops the rows of killed runs that a later one made again, and those for inputs whose outputs
  // they did not complete. Call this before Finish.
  void DropKilled(const std::function<bool(const std::string& input)>& drop);
  // Drops the earlier rows of these inputs, unless rows are replaced by frame.
  void DropEarlier(const std::set<std::string>& inputs) {
    if (!by_frame_) replaced_.insert(inputs.begin(), inputs.end());
  }
  // From now on a row replaces earlier rows of the same frame only, and not of its whole input.
  void ReplaceByFrame() { by_frame_ = true; }
  // Call this before the first frame of a video and after the last one, so that a kill in between
  // leaves no part of a video's rows.
  void Bracket();
  // Adds complete rows of an input, possibly none. They replace the earlier rows of the input.
  void Add(std::string_view rows, const std::string& input, std::int64_t frame);
  // Makes everything added so far survive the end of the process. Throws Error if that fails (is
  // the disk full?), but for a pipe or device only if it `must` be written: a run of detect, whose
  // masks are worth having without a table, reports that by Finish.
  void Flush(bool must) {
    journal_.is_special() && !must ? journal_.Flush() : journal_.RequireWritten();
  }
  // Marks the rows so far as belonging to complete inputs.
  void Mark() { marked_ = journal_.size(); }
  // Removes the rows since Mark.
  void CutToMark() { journal_.CutTo(marked_); }
  // Writes the file, with all rows. Throws Error when the disk is full.
  void Finish();
  // Removes the journal of a file that is not written, because no run is going to complete it.
  void GiveUp() { journal_.Remove(); }

 private:
  bool has_header() const { return journal_.size() > 0 || !journal_.earlier().empty(); }
  void ReadEarlier(bool or_replace);
  void KeepInputs(std::string_view rows);
  // The input's name in the row, unquoted.
  std::string InputOf(std::string_view row) const;
  std::string LastRows(std::string_view rows) const;
  // The key by which rows replace others: the input or, by frame, the frame number (the first cell)
  // and the input.
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
  std::string earlier_, killed_;          // rows of the earlier file, and of a killed run
  std::set<std::string> replaced_;        // keys of rows that later ones replace
  std::set<std::string> earlier_inputs_;  // inputs of all earlier rows
  bool is_new_ = true, by_frame_ = false, has_brackets_ = false;
  std::size_t marked_ = 0;  // size in bytes
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
  std::optional<double> any_skin{};
  std::string input{};               // for detect
  double latency_ms = 0;             // for live
  std::optional<double> captured{};  // for live: seconds since 1970
};

class FrameTables {
 public:
  enum class Of { kDetect, kLive };

  // See FrameTable.
  FrameTables(const TableFlags& files, Of of, IfExists if_exists, bool or_replace = false);
  // A recording of `live` is never resumed.
  ~FrameTables() {
    if (of_ == Of::kLive) Each(&FrameTable::GiveUp);
  }

  bool any() const { return pictures_ || faces_; }
  // True if the table of pictures, which should have all inputs, lacks this one.
  bool PicturesLack(const std::string& input) const {
    return pictures_ && !pictures_->Keeps(input);
  }
  // True if the table of faces, in which an input may have no row, has no earlier rows at all.
  bool FacesLackAll() const { return faces_ && faces_->is_new(); }
  void Add(const FrameRow& row);
  void Flush() { Each(&FrameTable::Flush, of_ == Of::kLive); }
  // Calls a function of each table: Each(&FrameTable::Mark).
  template <class Act, class... Arguments>
  void Each(const Act& act, const Arguments&... arguments) {
    for (std::optional<FrameTable>* const table : {&pictures_, &faces_})
      if (*table) std::invoke(act, **table, arguments...);
  }

 private:
  const Of of_;
  std::optional<FrameTable> pictures_, faces_;
};

}  // namespace skinmask::cli
