// The values of an enumeration by their names, from a table of both.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "skinmask/base/error.h"

namespace skinmask {

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
