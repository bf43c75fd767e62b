// Names in a folder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/folder.h"

namespace skinmask {

// What a folder holds, by name.
class Entries {
 public:
  void Add(std::string_view name, EntryType type) {
    entries_.push_back({names_.size(), type});
    names_.append(name).push_back('\0');
  }
  void Sort() {
    std::ranges::sort(entries_, [this](const Entry& a, const Entry& b) {
      return std::strcmp(Name(a), Name(b)) < 0;
    });
    // A name may come twice where it is taken away and made again meanwhile.
    const auto same = [this](const Entry& a, const Entry& b) {
      return std::strcmp(Name(a), Name(b)) == 0;
    };
    entries_.erase(std::unique(entries_.begin(), entries_.end(), same), entries_.end());
  }
  std::size_t size() const { return entries_.size(); }
  std::string_view name(std::size_t i) const { return Name(entries_[i]); }
  EntryType type(std::size_t i) const { return entries_[i].type; }

 private:
  struct Entry {
    std::size_t name;
    EntryType type;
  };
  const char* Name(const Entry& entry) const { return names_.data() + entry.name; }
  std::vector<Entry> entries_;
  std::string names_;  // each ended by a zero
};

}  // namespace skinmask
