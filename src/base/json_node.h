// Reading JSON that somebody else may have written: what is not as expected is an Error that says
// where.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "skinmask/base/error.h"

namespace skinmask {

// How deep arrays and objects lie in each other at most. Copies of JSON go as deep on the stack.
inline std::size_t DepthOf(std::string_view text) {
  std::size_t depth = 0, most = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if (c == '[' || c == '{') most = std::max(most, ++depth);
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return most;
}

// The object of a file; `what` is what such a file is called.
inline Json ParseObject(std::string_view text, std::string_view subject, std::string_view what) {
  // What no JSON object begins like is another file altogether; where its first byte stands would
  // help nobody.
  if (!text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())).starts_with('{'))
    throw Error(subject, fmt::format("is not JSON, as {} is (an object, '{{' at first)", what));
  constexpr std::size_t kDeepest = 64;
  if (DepthOf(text) > kDeepest)
    throw Error(subject, fmt::format("is nested too deeply ({} has fewer levels)", what));
  try {
    return Json::parse(text);
  } catch (const Json::exception& e) {
    // "[json.exception.parse_error.101] parse error at line 3, column 5: ..." without the tag.
    const std::string_view problem = e.what();
    const std::size_t end = problem.find("] ");
    throw Error(subject,
                fmt::format("is not JSON: {}", problem.substr(end == problem.npos ? 0 : end + 2)));
  }
}

// A value in a file that is being read, and how to name it in an error.
class JsonNode {
 public:
  JsonNode(const Json& json, std::string subject, std::string path)
      : json_(json), subject_(std::move(subject)), path_(std::move(path)) {}

  [[noreturn]] void Fail(const std::string& problem) const {
    throw Error(subject_, path_ + problem);
  }

  bool Has(const char* key) const { return json_.is_object() && json_.contains(key); }
  JsonNode operator[](const char* key) const {
    const std::string path = path_.empty() ? std::string(key) : path_ + "." + key;
    if (!Has(key)) throw Error(subject_, path + " is missing");
    return {json_[key], subject_, path};
  }
  std::vector<JsonNode> Items() const {
    if (!json_.is_array()) Fail(" is not a list");
    std::vector<JsonNode> items;
    for (std::size_t i = 0; i < json_.size(); ++i)
      items.emplace_back(json_[i], subject_, fmt::format("{}[{}]", path_, i));
    return items;
  }
  std::string Text() const {
    if (!json_.is_string()) Fail(" is not a text");
    return json_.get<std::string>();
  }
  double Real() const {
    if (!json_.is_number()) Fail(" is not a finite number");
    return json_.get<double>();
  }
  std::optional<double> RealOrNull() const {
    return json_.is_null() ? std::nullopt : std::optional<double>(Real());
  }
  std::uint64_t Count() const {
    if (!json_.is_number_unsigned()) Fail(" is not a whole number from 0");
    return json_.get<std::uint64_t>();
  }
  bool IsTrue() const {
    if (!json_.is_boolean()) Fail(" is neither true nor false");
    return json_.get<bool>();
  }
  const Json& json() const { return json_; }

 private:
  const Json& json_;
  std::string subject_;
  std::string path_;
};

// What `make` returns; its Error is told as one of this value in the file.
template <class Make>
auto Named(const JsonNode& node, const Make& make) {
  try {
    return make();
  } catch (const Error& e) {
    node.Fail(fmt::format(": {}", e.what()));
  }
}

}  // namespace skinmask
