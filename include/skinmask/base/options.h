// Access to options by name. Each struct of options has one table, which gives for each option its
// name, its member and its valid values. The command line, C, Python, GStreamer and all range
// checks read that table.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace [[gnu::visibility("default")]] skinmask {

// The numbers from `least` to `most`. `above` excludes `least` itself, and `below` excludes `most`
// itself.
struct OptionRange {
  double least, most;
  bool above = false, below = false;
};

// One option of any struct: `options` is a pointer to that struct.
struct OptionRow {
  // A switch has two words; the first one is "off".
  enum class Kind { kSwitch, kWord, kWhole, kNumber, kText };

  std::string member;  // where C++ keeps it: "local_weight", "fit.em_steps"
  Kind kind = Kind::kText;
  std::optional<OptionRange> range;  // of numbers
  std::vector<std::string> words;    // of switches and words: all valid words
  bool may_be_absent = false;        // the text "" means absent
  bool is_list = false;              // texts joined by commas: "a,b"
  bool names_file = false;           // the text is the name of a file, which is read
  std::vector<std::string> kinds;    // the kinds of models that have this option; empty: all
  bool changes_no_result = false;    // it does not change the pixels of outputs
  bool insists = false;              // giving the default value explicitly may differ from not
                                     // giving it
  std::string usual;                 // the value that absence is equivalent to

  // What users see. An option without a name is available in C++ only.
  std::string name;     // "seed_mask", which is --seed-mask on the command line
  std::string heading;  // the option's group in the help
  std::string value;    // the placeholder of the value in the help
  std::string help;

  std::function<std::string(const void* options)> get;
  // Sets the option from `text`, which is not "" for options that may be absent; throws Error.
  std::function<void(const OptionRow& row, void* options, const std::string& text)> set;
};

// Sets the option from `text`, for example "0.3" or "off"; "" makes it absent. Throws Error, with
// the option's name as its subject, if the text is not a valid value.
void SetOption(const OptionRow& row, void* options, const std::string& text);
// Returns the option of this name; throws Error, which lists the known names.
const OptionRow& FindOption(const std::vector<OptionRow>& rows, std::string_view name);
// Throws Error for the first number that is out of its range; the subject of the Error is `what`
// and the member.
void ValidateOptions(const std::vector<OptionRow>& rows, const void* options,
                     std::string_view what);

// Messages write option names in backticks, as C++ has them: "exists already (`overwrite` replaces
// it)". Each interface spells options in its own way. Returns the line with each name in backticks
// that is a separate word replaced by spell(name). In the subject (before ": ") only a name at its
// very beginning is replaced, because the subject may be the name of an untrusted file.
std::string WithOptionNames(std::string_view line,
                            const std::function<std::string(const std::string& name)>& spell);

// Convert a text to the number, or to the index of the word, that it denotes. Throw Error.
double OptionNumber(const OptionRow& row, const std::string& text);
std::size_t OptionWord(const OptionRow& row, const std::string& text);
std::string OptionText(double number);

template <class T>
struct OptionValue {
  using Type = T;
};
template <class T>
struct OptionValue<std::optional<T>> {
  using Type = T;
};

template <class Options>
class OptionTable;

// An entry of a table: a member of the struct and its valid values.
template <class Options>
class Option {
 public:
  // A number; absent if it is std::nullopt.
  template <class T>
  Option(std::string member, T Options::*kept, OptionRange range) {
    using Number = typename OptionValue<T>::Type;
    OptionRow& row = Keep(
        std::move(member), kept,
        [](Number number) { return OptionText(static_cast<double>(number)); },
        [](const OptionRow& of, const std::string& text) {
          return static_cast<Number>(OptionNumber(of, text));
        });
    row.kind = std::is_integral_v<Number> ? OptionRow::Kind::kWhole : OptionRow::Kind::kNumber;
    row.range = range;
  }
  template <class T>
  Option(std::string member, T Options::*kept, double least, double most)
      : Option(std::move(member), kept, OptionRange{least, most}) {}

  // A value of an enumeration, with the names of all values; for bool the names of false and true.
  template <class T, class Value, std::size_t kCount>
  Option(std::string member, T Options::*kept,
         const std::pair<Value, std::string_view> (&names)[kCount]) {
    OptionRow& row = Keep(
        std::move(member), kept,
        [&names](Value value) {
          for (const auto& [known, name] : names)
            if (known == value) return std::string(name);
          return std::string();
        },
        [&names](const OptionRow& of, const std::string& text) {
          return names[OptionWord(of, text)].first;
        });
    row.kind = std::is_same_v<Value, bool> ? OptionRow::Kind::kSwitch : OptionRow::Kind::kWord;
    for (const auto& [value, name] : names) row.words.emplace_back(name);
  }

  // A text or a path.
  template <class T>
  requires std::is_constructible_v<std::filesystem::path, T> Option(std::string member,
                                                                    T Options::*kept) {
    Keep(
        std::move(member), kept, [](const T& text) { return std::filesystem::path(text).string(); },
        [](const OptionRow&, const std::string& text) { return T(text); });
    rows_.front().may_be_absent = true;
    rows_.front().names_file = std::is_same_v<T, std::filesystem::path>;
  }

  // A type with a text form of its own. `parse` throws Error.
  template <class T>
  Option(std::string member, T Options::*kept,
         std::string (*text_of)(const typename OptionValue<T>::Type&),
         typename OptionValue<T>::Type (*parse)(const std::string&)) {
    Keep(std::move(member), kept, text_of,
         [parse](const OptionRow&, const std::string& text) { return parse(text); });
  }

  // An option that is not one member. `set` throws Error.
  Option(std::string member, std::string (*get)(const Options&),
         void (*set)(Options&, const std::string& text)) {
    OptionRow& row = rows_.emplace_back();
    row.member = std::move(member);
    row.get = [get](const void* options) { return get(*static_cast<const Options*>(options)); };
    row.set = [set](const OptionRow&, void* options, const std::string& text) {
      set(*static_cast<Options*>(options), text);
    };
  }

  // All options of a nested struct; `prefix` is put before the names of their members.
  template <class Inner>
  Option(std::string_view prefix, Inner Options::*kept, const OptionTable<Inner>& inner) {
    for (OptionRow row : inner.rows()) {
      row.member.insert(0, prefix);
      row.get = [kept, get = row.get](const void* options) {
        return get(&(static_cast<const Options*>(options)->*kept));
      };
      row.set = [kept, set = row.set](const OptionRow& of, void* options, const std::string& text) {
        set(of, &(static_cast<Options*>(options)->*kept), text);
      };
      rows_.push_back(std::move(row));
    }
  }

  // Sets what users see. If `value` is empty, the help shows the words of the option.
  Option&& Shown(std::string name, std::string heading, std::string value, std::string help) && {
    OptionRow& row = rows_.front();
    row.name = std::move(name);
    row.heading = std::move(heading);
    row.value = std::move(value);
    row.help = std::move(help);
    return std::move(*this);
  }

  Option&& List() && {
    rows_.front().is_list = true;
    return std::move(*this);
  }
  Option&& ChangesNoResult() && {
    rows_.front().changes_no_result = true;
    return std::move(*this);
  }
  // For an option whose explicit use has an effect beside its value: `then` is called after the
  // value is set.
  Option&& Insists(void (*then)(Options&)) && {
    OptionRow& row = rows_.front();
    row.insists = true;
    row.set = [set = row.set, then](const OptionRow& of, void* options, const std::string& text) {
      set(of, options, text);
      then(*static_cast<Options*>(options));
    };
    return std::move(*this);
  }
  // The value, as users write it, that absence is equivalent to.
  Option&& Usually(std::string value) && {
    rows_.front().usual = std::move(value);
    return std::move(*this);
  }
  Option&& OfKinds(std::vector<std::string> kinds) && {
    rows_.front().kinds = std::move(kinds);
    return std::move(*this);
  }

  const std::vector<OptionRow>& rows() const { return rows_; }

 private:
  // Adds the row. `text_of` and `parse` convert values that are present; absent values are handled
  // here.
  template <class T, class TextOf, class Parse>
  OptionRow& Keep(std::string member, T Options::*kept, TextOf text_of, Parse parse) {
    constexpr bool kOptional = !std::is_same_v<T, typename OptionValue<T>::Type>;
    OptionRow& row = rows_.emplace_back();
    row.member = std::move(member);
    row.may_be_absent = kOptional;
    row.get = [kept, text_of](const void* options) -> std::string {
      const T& value = static_cast<const Options*>(options)->*kept;
      if constexpr (!kOptional)
        return text_of(value);
      else
        return value ? text_of(*value) : "";
    };
    row.set = [kept, parse](const OptionRow& of, void* options, const std::string& text) {
      T& value = static_cast<Options*>(options)->*kept;
      if (kOptional && text.empty())
        value = T();
      else
        value = parse(of, text);
    };
    return row;
  }

  std::vector<OptionRow> rows_;
};

// All options of a struct, in the order in which the help lists them.
template <class Options>
class OptionTable {
 public:
  OptionTable(std::initializer_list<Option<Options>> entries) {
    for (const Option<Options>& entry : entries)
      rows_.insert(rows_.end(), entry.rows().begin(), entry.rows().end());
  }

  const std::vector<OptionRow>& rows() const { return rows_; }
  // `name` is the name that users see. Set and Get throw Error.
  void Set(Options& options, std::string_view name, const std::string& text) const {
    SetOption(FindOption(rows_, name), &options, text);
  }
  std::string Get(const Options& options, std::string_view name) const {
    return FindOption(rows_, name).get(&options);
  }
  void Validate(const Options& options, std::string_view what) const {
    ValidateOptions(rows_, &options, what);
  }

 private:
  std::vector<OptionRow> rows_;
};

}  // namespace skinmask
