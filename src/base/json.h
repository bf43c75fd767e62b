// JSON is written with keys in the order in which they were set, and with null for absent values.
// JSON that is read is untrusted: unexpected content is an Error that names the place.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/parse.h"
#include "base/printable.h"
#include "skinmask/base/error.h"

namespace [[gnu::visibility("default")]] skinmask {

using Json = nlohmann::ordered_json;

// An Error whose text already names the place in the file that is read.
class JsonError : public Error {
 public:
  using Error::Error;
};

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// The text of `json`. File names in it may be invalid UTF-8 or hold control characters for
// terminals; these are replaced or escaped.
inline std::string JsonText(const Json& json, int indent = -1) {
  return WithOrdersEscaped(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

// `text` as it is read again from JsonText: bytes that are not UTF-8 are replaced.
inline std::string ReadAgain(const std::string& text) {
  return Json::parse(JsonText(text)).get<std::string>();
}

// Limits for JSON that is read: copying uses stack for each level of nesting, each key is compared
// with all earlier keys of its object, and a value takes many times the memory of its text.
inline constexpr std::size_t kMaxLevels = 64, kMaxMembers = 1000, kMaxValues = 1 << 25;

// The value of a string literal, which is given with its quotes.
inline std::string Unquoted(std::string_view quoted) {
  if (quoted.find('\\') != quoted.npos)
    if (const Json name = Json::parse(quoted, nullptr, false); name.is_string()) return name;
  return std::string(quoted.substr(1, quoted.size() - 2));
}

// Throws Error for a text beyond the limits above, and for an object that has the same name twice,
// because the parser would silently drop the first of the two.
inline void RequireModest(std::string_view text, std::string_view subject, std::string_view what,
                          std::size_t most_values) {
  std::array<std::set<std::string>, kMaxLevels + 1> open;  // names in the open object of each level
  std::size_t values = 0, depth = 0;
  std::size_t start = 0, end = 0;  // positions of the last string's quotes
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') (std::exchange(quoted, !quoted) ? end : start) = i;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    values += c == '[' || c == '{' || c == ',';
    if (c == '[' || c == '{') {
      if (++depth > kMaxLevels)
        throw Error(subject, fmt::format("is nested too deeply ({} has fewer levels)", what));
      open[depth].clear();
    }
    if (c == ':' && end > start) {
      const auto [name, first] = open[depth].insert(Unquoted(text.substr(start, end + 1 - start)));
      if (!first) throw Error(subject, fmt::format("has '{}' twice in an object", *name));
      if (open[depth].size() > kMaxMembers)
        throw Error(subject, fmt::format("has an object of {} members or more ({} has {} at most)",
                                         open[depth].size(), what, kMaxMembers));
      end = start;  // read once, because a name may be as long as the file
    }
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  if (values > most_values)
    throw Error(subject,
                fmt::format("holds {} values ({} has {} at most)", values, what, most_values));
}

// Parses the object in a file. `what` is what such a file is called, and `most_values` limits its
// number of values.
inline Json ParseObject(std::string_view text, std::string_view subject, std::string_view what,
                        std::size_t most_values = kMaxValues) {
  text = WithoutByteOrderMark(text);
  // A text that does not begin with '{' is some other kind of file. A position of the error would
  // not help then.
  if (!text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())).starts_with('{'))
    throw Error(subject, fmt::format("is not JSON, as {} is (an object, '{{' at first)", what));
  RequireModest(text, subject, what, most_values);
  // The parser would take this byte for the end of the text.
  if (text.find('\0') != text.npos) throw Error(subject, "is not JSON: it has a byte of 0");
  try {
    return Json::parse(text);
  } catch (const Json::exception& e) {
    // The message without its tag: "[json.exception.parse_error.101] parse error at line 3, column
    // 5: ..."
    const std::string_view problem = e.what();
    const std::size_t end = problem.find("] ");
    const bool is_json = dynamic_cast<const Json::out_of_range*>(&e) != nullptr;
    throw Error(subject,
                fmt::format("{}: {}", is_json ? "has a number that is too large" : "is not JSON",
                            problem.substr(end == problem.npos ? 0 : end + 2)));
  }
}

// The object in a line or a file that may be anything else; null if ParseObject refuses it.
inline Json ObjectOf(std::string_view text, std::size_t most_values = kMaxValues) {
  try {
    return ParseObject(text, "", "", most_values);
  } catch (const Error&) {
    return {};
  }
}

// A value in a file that is being read, with its path for errors.
class JsonNode {
 public:
  JsonNode(const Json& json, std::string subject, std::string path)
      : json_(json), subject_(std::move(subject)), path_(std::move(path)) {}

  [[noreturn]] void Fail(const std::string& problem) const {
    throw JsonError(subject_, path_ + problem);
  }

  bool Has(const std::string& key) const { return json_.is_object() && json_.contains(key); }
  JsonNode operator[](const std::string& key) const {
    const std::string path = path_.empty() ? key : path_ + "." + key;
    if (!Object().contains(key)) throw JsonError(subject_, path + " is missing");
    return {json_[key], subject_, path};
  }
  const Json& Object() const {
    if (!json_.is_object()) Fail(" is not an object");
    return json_;
  }
  // Requires a list and returns this node, to loop over. Items are made one at a time, because the
  // paths of all items would take more memory than the list.
  JsonNode Items() const {
    if (!json_.is_array()) Fail(" is not a list");
    return *this;
  }
  // The same for a list of `size` items.
  JsonNode Items(std::size_t size, const std::string& problem) const {
    if (Items().size() != size) Fail(problem);
    return *this;
  }
  struct Iterator {  // only what a range-based for loop needs
    JsonNode operator*() const { return list[i]; }
    void operator++() { ++i; }
    bool operator==(const Iterator& other) const { return i == other.i; }
    const JsonNode& list;
    std::size_t i;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  std::size_t size() const { return json_.size(); }
  JsonNode operator[](std::size_t i) const {
    return {json_[i], subject_, fmt::format("{}[{}]", path_, i)};
  }
  std::string Text() const { return As<std::string>(json_.is_string(), " is not a text"); }
  double Real() const { return As<double>(json_.is_number(), " is not a finite number"); }
  std::optional<double> RealOrNull() const {
    return json_.is_null() ? std::nullopt : std::optional<double>(Real());
  }
  std::uint64_t Count() const {
    // JSON does not distinguish 1.0 from 1. From 2^53 on, a double does not hold every whole
    // number.
    const double real = json_.is_number_float() ? json_.get<double>() : -1;
    const bool whole = real >= 0 && real < 0x1p53 && real == std::trunc(real);
    return As<std::uint64_t>(json_.is_number_unsigned() || whole,
                             " is not a whole number from 0 to 2^64 - 1");
  }
  bool IsTrue() const { return As<bool>(json_.is_boolean(), " is neither true nor false"); }
  const Json& json() const { return json_; }

 private:
  template <class T>
  T As(bool it_is, const char* problem) const {
    if (!it_is) Fail(problem);
    return json_.get<T>();
  }

  const Json& json_;
  std::string subject_;
  std::string path_;
};

// Returns make(). An Error from it is reported as an error of this value in the file.
template <class Make>
auto Named(const JsonNode& node, const Make& make) {
  try {
    return make();
  } catch (const JsonError&) {
    throw;
  } catch (const Error& e) {
    node.Fail(fmt::format(": {}", e.what()));
  }
}

}  // namespace skinmask
