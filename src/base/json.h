// JSON as the project writes it: keys in the order they were set, null for what is absent.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/printable.h"

namespace [[gnu::visibility("default")]] skinmask {

using Json = nlohmann::ordered_json;

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// A name on disk may be no UTF-8, and may hold orders to a terminal; the text has neither.
inline std::string JsonText(const Json& json, int indent = -1) {
  return WithOrdersEscaped(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace skinmask
