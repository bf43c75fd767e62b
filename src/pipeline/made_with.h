// What the outputs in a folder were made with, so that a run that resumes takes none of other
// options for its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "skinmask/model/model.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask {

class MadeWith {
 public:
  // Compares the `made_with` of these options, and the model, with what runs before left in the
  // output folder about outputs of the same kinds. Throws Error, by the name of the first option
  // that differs, where the run resumes.
  MadeWith(const DetectOptions& options, const Model& model);
  // Once the inputs are listed: `list` tells the list of all of them from others. Throws Error
  // where what is to be left cannot be.
  void SetList(const std::string& list);
  // Before an output is written, or one that another run wrote meanwhile is taken for done, by one
  // thread at a time: leaves it there, if nobody did so yet.
  // Throws Error as the constructor, where another run came first meanwhile.
  void Leave();
  // Behind a run that made every output of its list: where it has replaced those of other options,
  // their lines count no longer.
  void TakeBackOthers() const;

 private:
  void Compare();

  const DetectOptions& options_;
  std::filesystem::path file_;
  Json entry_;                // of this run; null where nothing is to be left
  std::vector<Json> before_;  // of other runs, of the same kinds of outputs
  std::string line_;          // to be left; empty where it is there
  std::string replacing_;     // what takes back others; empty where there are none
};

}  // namespace skinmask
