// What became of the inputs of a run: for its last line, and for --json.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/elapsed.h"
#include "base/json.h"
#include "skinmask/base/problem.h"

namespace skinmask::cli {

// How many inputs may fail before the exit status tells: so many, or so many of a hundred.
struct FailureLimit {
  double number = 0;
  bool percent = false;
};

// "10" or "5%"; how CLI11 reads an option of this type.
bool lexical_cast(const std::string& text, FailureLimit& limit);

// Many short texts in one piece of memory.
class TextList {
 public:
  void Add(std::string_view text) {
    texts_ += text;
    ends_.push_back(texts_.size());
  }
  std::size_t size() const { return ends_.size(); }
  // Until the next Add.
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(texts_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string texts_;
  std::vector<std::size_t> ends_;
};

class RunRecord {
 public:
  void Plan(const std::string& input, bool there);
  // Without a name it is counted alone.
  void Skip(const std::filesystem::path& file, const std::string& reason);
  void Fail(const Problem& problem) { failed_.push_back(problem); }
  void Finish() { ++done_; }

  // Whether there was anything to do, or what there was is told in any case.
  bool any() const { return always_ || planned_.size() > 0 || !failed_.empty(); }
  void TellAlways() { always_ = true; }
  bool all_well() const { return failed_.empty(); }
  bool IsWithin(const FailureLimit& limit) const;
  // The inputs in order, those that are there already included.
  const TextList& planned() const { return planned_; }
  // Of those the ones that are left out, since a run before has done them.
  const TextList& left_out() const { return left_out_; }
  // Of inputs that the results list, AddTo does not say that they were skipped.
  void Drop(const std::set<std::string>& listed) { listed_ = listed; }

  // '3 failed, 12 skipped, 1,984 of 20,000 done in 44 s (interrupted)'. Inputs that were there
  // already count as skipped.
  std::string Line(bool interrupted) const;
  // Adds "failed", "skipped" and "interrupted".
  void AddTo(Json& root, bool interrupted) const;

 private:
  struct Skipped {
    std::string input, reason;
  };
  Clock::time_point start_ = Clock::now();
  TextList planned_, left_out_;
  std::vector<Problem> failed_;
  std::vector<Skipped> skipped_;  // but for those that are left out
  std::size_t nameless_ = 0;      // and that have no name
  std::size_t done_ = 0;
  bool always_ = false;
  std::set<std::string> listed_;
};

}  // namespace skinmask::cli
