// The tables that detect and live write about pictures and frames (docs/formats.md): a row for each
// picture, and one for each face in it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "programs/cli/frame_table.h"
#include "skinmask/base/file.h"
#include "skinmask/detect/measure.h"
#include "skinmask/detect/region.h"

namespace skinmask::cli {

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

  bool any() const { return pictures_ || faces_; }
  // Whether the table of pictures, which has all inputs, lacks rows of this one.
  bool Lacks(const std::string& input) const { return pictures_ && !pictures_->Keeps(input); }
  void Add(const FrameRow& row);
  void DropKilled(const std::function<bool(const std::string& input)>& drop) {
    Each([&](FrameTable& table) { table.DropKilled(drop); });
  }
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
