// Which of many texts are equal, without keeping the texts: their hashes, sorted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace skinmask {

// Equal hashes do not make equal texts: whoever asks compares those, which he can make again.
class HashIndex {
 public:
  struct Key {
    std::uint64_t hash, index;
    auto operator<=>(const Key&) const = default;
  };

  explicit HashIndex(std::size_t count) { keys_.reserve(count); }
  void Add(std::string_view text, std::uint64_t index) { keys_.push_back({HashOf(text), index}); }
  // Before anything is asked.
  void Sort() { std::ranges::sort(keys_); }

  // Those with the hash of `text`, in ascending order of their indices.
  std::span<const Key> Find(std::string_view text) const {
    const std::uint64_t hash = HashOf(text);
    return {std::ranges::lower_bound(keys_, hash, {}, &Key::hash),
            std::ranges::upper_bound(keys_, hash, {}, &Key::hash)};
  }
  // Calls see(keys) for all keys of one hash, where there are two or more, in ascending order.
  template <class Call>
  void ForEqual(const Call& see) const {
    for (auto first = keys_.begin(); first != keys_.end();) {
      const auto last =
          std::find_if(first, keys_.end(), [&](const Key& key) { return key.hash != first->hash; });
      if (last - first > 1) see(std::span<const Key>(first, last));
      first = last;
    }
  }

 private:
  static std::uint64_t HashOf(std::string_view text) { return std::hash<std::string_view>()(text); }
  std::vector<Key> keys_;
};

}  // namespace skinmask
