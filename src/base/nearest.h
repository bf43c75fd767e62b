// Finds values of an enumeration by name and, for an unknown name, the one that was probably meant.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skinmask/base/error.h"

namespace [[gnu::visibility("default")]] skinmask {

// Returns the word that `text` was probably meant to be, or "" if none is near. Case and leading
// dashes are ignored. A word is near if it has the same letters in another order (RGB for BGR), if
// `text` (of at least three letters) is its beginning, if `text` is its last part after a dash (nb
// of gaussian-nb), or if its Damerau-Levenshtein distance (insertions, deletions, substitutions and
// swaps) is at most a third of the letters of `text`, rounded up. Of equally near words the first
// one is returned.
std::string Nearest(std::string_view text, const std::vector<std::string>& words);

// 'did you mean BGR? ', or nothing.
std::string DidYouMean(std::string_view text, const std::vector<std::string>& words);

// 'is unknown (did you mean BGR? there are: BGR YCrCb)', for the second half of an Error.
std::string UnknownAmong(std::string_view text, const std::vector<std::string>& words);

// The values of an enumeration and their names, from a table of both.
template <class Value, std::size_t kCount>
std::string_view NameIn(const std::pair<Value, std::string_view> (&table)[kCount], Value wanted) {
  for (const auto& [value, name] : table)
    if (value == wanted) return name;
  return {};
}

template <class Value, std::size_t kCount>
std::vector<std::string_view> NamesIn(const std::pair<Value, std::string_view> (&table)[kCount]) {
  std::vector<std::string_view> names;
  for (const auto& [value, name] : table) names.push_back(name);
  return names;
}

// Throws Error that lists the names: "solver 'adam': is unknown (there are: newton gradient sgd)",
// where `what` is "solver".
template <class Value, std::size_t kCount>
Value FromNameIn(const std::pair<Value, std::string_view> (&table)[kCount], std::string_view what,
                 std::string_view name) {
  for (const auto& [value, known] : table)
    if (known == name) return value;
  const std::vector<std::string_view> names = NamesIn(table);
  throw Error(fmt::format("{} '{}'", what, name), UnknownAmong(name, {names.begin(), names.end()}));
}

}  // namespace skinmask
