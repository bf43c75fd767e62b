// The record of an earlier run of `detect --json FILE`, which a resumed run completes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "programs/cli/context.h"
#include "skinmask/base/problem.h"
#include "skinmask/model/model.h"

namespace skinmask::cli {

// True for a valid entry of an input, as far as entries are read again.
bool IsEntry(const Json& entry);

class EarlierRun {
 public:
  // Reads the record in the file, if there is one. Throws Error if the file is another one.
  void ReadRecord(const std::string& file);
  // Reads the journal of a run that was killed. Its first line has the model and the options.
  void ReadJournal(const std::string& journal);
  // Throws Error if the earlier run had another model, by its digest, or other options.
  void RequireSame(const Context& context, const Model& model, const std::string& digest) const;

  // Call this when the inputs of this run are done, before the functions below. Adopts the entries
  // of a killed run, but not of inputs in `undone`, and drops those of inputs in `failed`, which
  // failed in this run.
  void Settle(const std::set<std::string_view>& undone, const std::set<std::string>& failed);
  // The entries of both runs in the list `key`, in the order of the inputs. `entries`, by input,
  // are those of this run; they get the outputs that only the earlier run made.
  Json Completed(const RunRecord& now, std::map<std::string, Json> entries, const char* key) const;
  // The failures in inputs that this run skipped, without those that it has reported.
  std::vector<Problem> Failures(const RunRecord& now) const;
  // The number of images, failed ones included, that the record has of an archive.
  std::size_t ImagesOf(std::string_view archive) const;

 private:
  void RequireSameOptions(const Context& context, const Model& model) const;
  // Gives entries the bytes of their names: JSON has replaced those that are not UTF-8.
  void RestoreNames();

  Json record_;               // null: there is none
  std::vector<Json> killed_;  // entries of a run that was killed
};

}  // namespace skinmask::cli
