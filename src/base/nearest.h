// Values of an enumeration are found by their names, and for a name that is unknown the one that
// was probably meant.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skinmask/base/error.h"

namespace [[gnu::visibility("default")]] skinmask {

// Of `words` the one that `text` is most likely a slip of; empty where none is near. Case does not
// count, nor dashes at the beginning. Near are words of the same letters in another order (RGB for
// BGR), words that `text` begins (at least three letters of them) or whose last part it is (nb of
// gaussian-nb), and words at a distance (Damerau and Levenshtein: letters left out, put in,
// changed, or two swapped) of at most a third of the letters, rounded up. Of equals it is the
// first.
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

// Throws Error that lists them: "solver 'adam': is unknown (there are: newton gradient sgd)", where
// `what` is "solver".
template <class Value, std::size_t kCount>
Value FromNameIn(const std::pair<Value, std::string_view> (&table)[kCount], std::string_view what,
                 std::string_view name) {
  for (const auto& [value, known] : table)
    if (known == name) return value;
  const std::vector<std::string_view> names = NamesIn(table);
  throw Error(fmt::format("{} '{}'", what, name), UnknownAmong(name, {names.begin(), names.end()}));
}

}  // namespace skinmask
