// What `detect` tells of its results: lines, --json, --jsonl and --csv (docs/formats.md).
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "programs/cli/context.h"
#include "programs/cli/detector_flags.h"
#include "programs/cli/frame_tables.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask::cli {

struct RecordFlags {
  TableFlags tables;
  std::string jsonl;  // empty: none; "-": standard output
};

class DetectRecord {
 public:
  // Reads the record of an earlier run where that is to be completed, and opens the tables; so it
  // comes before the sandbox. Throws Error for a --json FILE that is no such record, and for files
  // that exist or cannot be written.
  DetectRecord(const RecordFlags& flags, Context& context);

  // What the results are made with, to the end. Throws Error where the earlier run had another
  // model.
  void Begin(const Detector& detector, const DetectOptions& detect);
  // `run` as it was, with problems noted here, too.
  Run Watch(Run run);
  void Add(const DetectedFrame& frame);
  // Before the outputs of an image or a video are there: a kill leaves no output without it.
  void Note(const DetectedImage& image);
  void Add(const DetectedImage& image);
  // Writes what there is to write at the end.
  void Finish();

  bool has_table() const { return tables_.any(); }
  // Whether the ellipses of images, and what is measured of them, are wanted.
  bool wants_more() const {
    return tables_.any() || !flags_.jsonl.empty() || !context_.json.empty();
  }

 private:
  Json EntryOf(const DetectedImage& image) const;
  void PrintResult(const DetectedImage& image) const;
  void OpenLines();
  void WriteLine(const Json& entry);
  void WriteJournal(const Json& entry);
  void ReadJournal();
  // What a killed run noted of inputs whose outputs it left.
  void TakeOverKilled();
  // Of an input of this run: no run before left its outputs.
  bool IsUndone(const std::string& input);
  // Takes from the record of the earlier run what holds still: failures of inputs that this run
  // left out, and of entries the outputs that it did not make again.
  void TakeOverEarlier();
  void TellMissingRows() const;
  // The entries of this run and of the earlier one's list `key`, in the order of the inputs.
  Json Completed(const std::map<std::string, Json>& entries, const char* key) const;
  bool stdout_is_taken() const {
    return context_.json_to_stdout() || flags_.jsonl == "-" || results_to_stdout_ ||
           flags_.tables.csv == kStandardOutput || flags_.tables.faces_csv == kStandardOutput;
  }

  RecordFlags flags_;
  Context& context_;
  const bool completes_;                         // what an earlier run wrote
  Json earlier_;                                 // of the run that is completed
  std::optional<Journal> journal_;               // of --json
  std::vector<Json> killed_;                     // entries of a run that was killed
  std::set<std::string_view> undone_;            // inputs; made when it is first asked for
  std::string noted_;                            // the input whose outputs are being written
  std::string unnoted_, told_unnoted_;           // why it could not be noted, and one before
  std::map<std::string, Json> images_, videos_;  // of this run, by input
  FaceCount faces_;
  FrameTables tables_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> jsonl_{nullptr, std::fclose};
  const Detector* detector_ = nullptr;
  std::string digest_;  // of its model
  bool by_faces_ = false, results_to_stdout_ = false;
};

}  // namespace skinmask::cli
