// Which outputs a run must not write, because it reads the files or writes them otherwise.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "base/folder.h"
#include "media/names.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/media/inputs.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask {

// Checks outputs against the files that the run reads (the inputs, and the seed mask if there is
// one), and against its tables and records. Files are compared by FileIdentity.
class OutputCheck {
 public:
  // Throws Error if a table or a record would replace an input.
  OutputCheck(const DetectOptions& options, const InputList& inputs,
              const std::filesystem::path& seed_mask,
              const std::vector<std::filesystem::path>& written)
      : options_(options),
        inputs_(inputs),
        index_(inputs.size()),
        seed_(seed_mask.empty() ? "" : FileIdentity(seed_mask)) {
    for (std::size_t i = 0; i < inputs.size(); ++i) index_.Add(IdentityOf(i), i);
    index_.Sort();
    for (const std::filesystem::path& file : written) {
      if (IsSpecial(file)) continue;
      const std::string identity = FileIdentity(file);
      written_.insert(identity);
      if (IsRead(identity)) throw Error(file.string(), kIsInput);
    }
  }

  // Why `output` of the input must not be written; null if it may be. Throws Error if it is the
  // file of a table or a record.
  const char* WhyRefused(const std::filesystem::path& output, EntryType type, std::uint32_t input) {
    const std::string identity = of_outputs_.Of(output.native(), type == EntryType::kLink);
    if (written_.contains(identity))
      throw Error(output.string(), fmt::format("is what is made of {}, and a table or a record is "
                                               "to be written there, too",
                                               inputs_.Path(input)));
    const bool replaces = options_.if_exists == IfExists::kReplace;
    const bool has_frames = options_.video.png_frames && inputs_.MediaOf(input) == Media::kVideo;
    if (replaces && has_frames && IsFolder(output) && HoldsRead(output))
      return "holds an input, which a frame could replace";
    if (IsRead(identity) || (replaces && IsOneFile(output, type, inputs_.Path(input))))
      return kIsInput;
    return nullptr;
  }

 private:
  static constexpr const char* kIsInput = "is an input and is not written over";

  std::string IdentityOf(std::size_t i) {
    return of_inputs_.Of(inputs_.Path(i), inputs_.IsLink(i));
  }
  bool IsRead(const std::string& identity) {
    if (identity == seed_) return true;
    return std::ranges::any_of(index_.Find(identity), [&](const HashIndex::Key& key) {
      return IdentityOf(key.index) == identity;
    });
  }
  // True if one of the files is in this very folder.
  bool HoldsRead(const std::filesystem::path& folder) {
    const auto add = [&](const std::string& identity) {
      folders_.insert(identity.substr(0, identity.rfind('/')));
    };
    if (folders_.empty()) {
      add(seed_);
      for (std::size_t i = 0; i < inputs_.size(); ++i) add(IdentityOf(i));
    }
    return folders_.contains(FolderIdentity(folder));
  }

  // True if output and input are the same file under two names, as on file systems that ignore case
  // (A.PNG and A.png).
  static bool IsOneFile(const std::filesystem::path& output, EntryType type,
                        const std::string& input) {
    std::error_code ignored;
    return type == EntryType::kFile && std::filesystem::equivalent(output, input, ignored);
  }

  const DetectOptions& options_;
  const InputList& inputs_;
  FileIdentities of_inputs_, of_outputs_;
  HashIndex index_;  // of the inputs
  const std::string seed_;
  std::set<std::string> written_;  // identities of tables and records
  std::set<std::string> folders_;  // of all that is read, once they are asked for
};

}  // namespace skinmask
