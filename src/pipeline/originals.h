// The files that a run reads and that none of its outputs may replace.
#pragma once

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "base/folder.h"
#include "media/names.h"
#include "skinmask/base/file.h"
#include "skinmask/media/inputs.h"

namespace skinmask {

// The inputs, and the seed mask if there is one, by their identities.
class Originals {
 public:
  Originals(const InputList& inputs, const std::filesystem::path& seed_mask)
      : inputs_(inputs),
        index_(inputs.size()),
        seed_(seed_mask.empty() ? "" : FileIdentity(seed_mask)) {
    for (std::size_t i = 0; i < inputs.size(); ++i) index_.Add(IdentityOf(i), i);
    index_.Sort();
  }
  // Whether this is the identity of one of them (FileIdentity).
  bool Have(const std::string& identity) {
    if (identity == seed_) return true;
    return std::ranges::any_of(index_.Find(identity), [&](const HashIndex::Key& key) {
      return IdentityOf(key.index) == identity;
    });
  }
  // True if one of them is in this very folder.
  bool HaveIn(const std::filesystem::path& folder) {
    const auto add = [&](const std::string& identity) {
      folders_.insert(identity.substr(0, identity.rfind('/')));
    };
    if (folders_.empty()) {
      add(seed_);
      for (std::size_t i = 0; i < inputs_.size(); ++i) add(IdentityOf(i));
    }
    return folders_.contains(FolderIdentity(folder));
  }

 private:
  std::string IdentityOf(std::size_t i) {
    return identities_.Of(inputs_.Path(i), inputs_.IsLink(i));
  }

  const InputList& inputs_;
  FileIdentities identities_;
  HashIndex index_;
  const std::string seed_;
  std::set<std::string> folders_;  // of all, once they are asked for
};

}  // namespace skinmask
