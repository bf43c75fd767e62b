// Reports the results of `detect`: lines, --json, --jsonl and --csv (docs/formats.md).
#pragma once

#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/json.h"
#include "programs/cli/context.h"
#include "programs/cli/detector_flags.h"
#include "programs/cli/earlier_run.h"
#include "programs/cli/frame_tables.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask::cli {

struct RecordFlags {
  TableFlags tables;
  std::string jsonl;  // empty: none
};

class DetectRecord {
 public:
  // Reads the record of an earlier run that is to be completed, and opens the tables; must be
  // called before the sandbox. Throws Error for a --json FILE that is not such a record, and for
  // files that exist or cannot be written.
  DetectRecord(const RecordFlags& flags, Context& context);

  // `detector` must outlive this object. Throws Error if the earlier run had another model or other
  // options.
  void Begin(const Detector& detector, const DetectOptions& detect);
  // Returns `run` with problems recorded here, too.
  Run Recording(Run run);
  void Add(const DetectedFrame& frame);
  // Must be called before the outputs of an image or a video are renamed, so that every output of a
  // killed run has its entry.
  void Note(const DetectedImage& image);
  void Add(const DetectedImage& image);
  // Writes the files that are complete only at the end.
  void Finish();

  bool has_table() const { return tables_.any(); }
  // True if regions and measurements of images are needed.
  bool wants_more() const {
    return tables_.any() || !flags_.jsonl.empty() || !context_.json.empty();
  }

 private:
  Json EntryOf(const DetectedImage& image) const;
  void PrintResult(const DetectedImage& image) const;
  void OpenLines();
  void WriteLine(const Json& entry);
  void WriteJournal(const Json& entry);
  void TellMissingRows() const;
  void WriteJson();
  bool stdout_is_taken() const {
    return context_.json_to_stdout() || flags_.jsonl == kStandardOutput || results_to_stdout_ ||
           flags_.tables.csv == kStandardOutput || flags_.tables.faces_csv == kStandardOutput;
  }

  RecordFlags flags_;
  Context& context_;
  const bool completes_;  // this run completes the files of an earlier one
  EarlierRun earlier_;
  std::optional<Journal> journal_;               // of the file of --json
  std::string video_;                            // the video whose frames are being noted
  std::string noted_;                            // the input whose outputs are being written
  std::string unnoted_, told_unnoted_;           // the error of Note, and the last reported one
  std::map<std::string, Json> images_, videos_;  // of this run, by input
  FaceCount faces_;
  FrameTables tables_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> jsonl_{nullptr, std::fclose};
  const Detector* detector_ = nullptr;
  std::string digest_;  // of its model
  bool by_faces_ = false, results_to_stdout_ = false, is_one_file_ = false;
  std::exception_ptr lines_problem_;  // why the file of the lines could not be opened
};

}  // namespace skinmask::cli
