// Records with which options the outputs in a folder were made, so that a resumed run does not mix
// outputs of different options, and what failed in inputs whose outputs exist nevertheless.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "skinmask/base/problem.h"
#include "skinmask/model/model.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask {

class MadeWith {
 public:
  // Compares the `made_with` of these options, and the model, with the records of earlier runs
  // about outputs of the same kinds in the output folder. If the run resumes (kKeep) and a record
  // differs, throws Error that names the first differing option.
  MadeWith(const DetectOptions& options, const Model& model);
  // Call this once the inputs are listed. `list` identifies the list of all inputs. Throws Error if
  // the record could not be written.
  void SetList(const std::string& list);
  // Call this before an output is written, and before an output of a concurrent run is accepted as
  // done; by one thread at a time. Writes the record, if it is not written yet. Throws Error as the
  // constructor does if a concurrent run has written another record first.
  void WriteRecord();
  // Does what WriteRecord does, and then reads the file again, for what a concurrent run has told
  // of an output.
  void Reread() {
    WriteRecord();
    if (!entry_.is_null()) Compare();
  }
  // Call this before the `outputs` of one input become complete. `failed` is what failed in it all
  // the same: the end of a video that is cut off, or images of an archive, which holds `images` (0
  // for other inputs). Throws Error if it cannot be recorded.
  void WriteFailures(const std::vector<std::filesystem::path>& outputs,
                     const std::vector<Problem>& failed, std::size_t images = 0);
  // What earlier runs told of the input of `output`.
  struct Earlier {
    std::vector<Problem> failures;
    std::size_t images = 1;  // of an archive
  };
  Earlier EarlierOf(const std::filesystem::path& output) const;
  // Call this after a run if no output of its list is of an earlier run. If the run has replaced
  // outputs of other options, cancels their records.
  void CancelReplaced() const;

 private:
  void Compare();
  // The name of an output in the record, where names are UTF-8.
  std::string NameOf(const std::filesystem::path& output) const;

  const DetectOptions& options_;
  std::filesystem::path file_;
  Json entry_;                // the record of this run; null if there is none to write
  std::vector<Json> before_;  // records of earlier runs about the same kinds of outputs
  // What earlier runs told of an output, by its name.
  std::map<std::string, Json> told_;
  std::string line_;       // the line to write; empty if the file has it
  std::string replacing_;  // the line that cancels other records; empty if there are none
};

}  // namespace skinmask
