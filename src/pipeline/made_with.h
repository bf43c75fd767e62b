// What the outputs in a folder were made with, so that a run that resumes takes none of other
// options for its own.
#pragma once

#include <filesystem>
#include <string>

#include "skinmask/model/model.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask {

class MadeWith {
 public:
  // Compares the `made_with` of these options, and the model, with what runs before left in the
  // output folder about outputs of the same kinds. Throws Error, by the name of the first option
  // that differs, where the run resumes. `list` tells the list of all inputs from others.
  MadeWith(const DetectOptions& options, const Model& model, const std::string& list);
  // Before an output is written, by one thread at a time: leaves it there, if nobody did so yet.
  void Leave() const;
  // Behind a run that made every output of its list: where it has replaced those of other options,
  // their lines count no longer.
  void TakeBackOthers() const;

 private:
  std::filesystem::path file_;
  mutable std::string line_;  // to be left; empty where it is there
  std::string replacing_;     // what takes back others; empty where there are none
};

}  // namespace skinmask
