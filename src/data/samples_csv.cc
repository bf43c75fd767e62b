// Reads the text forms of a sample table. Nothing is guessed: every unknown form is an error.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/parse.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/data/samples.h"

namespace skinmask {
namespace {

constexpr std::size_t kMaxFields = 6;
enum Column : std::size_t { kClass, kB, kG, kR, kCount, kGroup };
constexpr std::array<std::string_view, kMaxFields> kNames{"class", "b", "g", "r", "count", "group"};
constexpr std::size_t kAbsent = kMaxFields;

// The fields of one line, without surrounding blanks.
struct Fields {
  std::array<std::string_view, kMaxFields + 1> text;
  std::size_t size = 0;  // kMaxFields + 1 means 'too many'
};

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

std::string_view Trim(std::string_view s) {
  while (!s.empty() && IsBlank(s.front())) s.remove_prefix(1);
  while (!s.empty() && IsBlank(s.back())) s.remove_suffix(1);
  return s;
}

Fields Split(std::string_view line) {
  Fields fields;
  const bool commas = line.find(',') != line.npos;
  line = Trim(line);
  while (fields.size <= kMaxFields) {
    std::size_t end = 0;
    while (end < line.size() && (commas ? line[end] != ',' : !IsBlank(line[end]))) ++end;
    fields.text[fields.size++] = Trim(line.substr(0, end));
    if (end == line.size()) break;
    line.remove_prefix(end + 1);
    if (!commas) line = Trim(line);
  }
  return fields;
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view subject)
      : text_(WithoutByteOrderMark(text)), subject_(subject) {}

  Samples Read() {
    bool first = true;
    constexpr std::size_t kBegin = 100;
    if (text_.substr(0, kBegin).find('\0') != text_.npos)
      throw Error(subject_, "is no text of UTF-8 (it may be of UTF-16, or compressed)");
    while (!text_.empty()) {
      const std::string_view line = NextLine();
      if (Trim(line).empty() && text_.find_first_not_of(" \t\r\n") == text_.npos) break;
      const Fields fields = Split(line);
      if (!first || !ReadHeader(line, fields)) ReadRow(line, fields);
      first = false;
    }
    if (first)
      throw Error(subject_, "is empty (labelled pixels are expected, class,b,g,r,count,group)");
    return std::move(counter_).Finish();
  }

 private:
  std::string_view NextLine() {
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    std::string_view line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++line_number_;
    return line;
  }

  [[noreturn]] void Fail(std::string_view line, std::string_view expected) const {
    constexpr std::size_t kShown = 80;
    std::string shown(line.substr(0, kShown));
    for (char& c : shown)
      if (static_cast<unsigned char>(c) < 32) c = c == '\t' ? ' ' : '?';
    throw Error(fmt::format("{}:{}", subject_, line_number_),
                fmt::format("'{}{}' is not understood ({})", shown,
                            line.size() > kShown ? "..." : "", expected));
  }

  // Reads the header. Returns false if the first line has no letters, that is, if it is data.
  bool ReadHeader(std::string_view line, const Fields& fields) {
    if (std::none_of(line.begin(), line.end(), [](unsigned char c) { return std::isalpha(c); })) {
      column_ = {3, 0, 1, 2, kAbsent, kAbsent};
      field_count_ = 4;
      return false;
    }
    column_.fill(kAbsent);
    field_count_ = fields.size;
    constexpr std::string_view kExpected =
        "a header names class (or label), b, g, r and optionally count, group, each once, between "
        "commas or blanks, without quotes; without a header the columns are B G R label";
    if (fields.size > kMaxFields) Fail(line, kExpected);
    for (std::size_t i = 0; i < fields.size; ++i) {
      std::string name = LowerCase(fields.text[i]);
      if (name == "label") name = "class";
      const auto known = std::find(kNames.begin(), kNames.end(), name);
      if (known == kNames.end()) Fail(line, kExpected);
      std::size_t& column = column_[static_cast<std::size_t>(known - kNames.begin())];
      if (column != kAbsent) Fail(line, kExpected);
      column = i;
    }
    if (std::count(column_.begin(), column_.begin() + 4, kAbsent)) Fail(line, kExpected);
    return true;
  }

  void ReadRow(std::string_view line, const Fields& fields) {
    if (fields.size != field_count_)
      Fail(line, fmt::format("{} columns are expected", field_count_));
    SampleRow row;
    row.class_index = ClassOf(line, fields.text[column_[kClass]]);
    const auto byte = [&](Column c) {
      const auto value = ParseNumber<std::uint8_t>(fields.text[column_[c]]);
      if (!value) Fail(line, fmt::format("{} is a whole number from 0 to 255", kNames[c]));
      return *value;
    };
    row.b = byte(kB);
    row.g = byte(kG);
    row.r = byte(kR);
    row.count = 1;
    if (column_[kCount] != kAbsent) {
      const auto count = ParseNumber<std::uint64_t>(fields.text[column_[kCount]]);
      if (!count || *count > Samples::kMaxTotal)
        Fail(line, fmt::format("count is a whole number up to {}", Samples::kMaxTotal));
      row.count = *count;
    }
    if (column_[kGroup] != kAbsent) {
      const auto group = ParseNumber<std::uint32_t>(fields.text[column_[kGroup]]);
      if (!group) Fail(line, "group is a whole number from 0 to 4294967295");
      row.group = *group;
    }
    counter_.Add(row);
  }

  // The class of a label of the UCI file or of a name. The last answer is cached because
  // consecutive rows mostly have the same class.
  std::uint16_t ClassOf(std::string_view line, std::string_view text) {
    if (text == last_text_ && !last_text_.empty()) return last_class_;
    std::string_view name = text;
    if (text == "1") name = "skin";
    if (text == "2") name = "non-skin";
    if (!IsClassName(name))
      Fail(line,
           "the class is a name of at most 100 bytes of UTF-8 without quotes, or the label 1 for "
           "skin, 2 for non-skin");
    try {
      last_class_ = counter_.ClassIndex(name);
    } catch (const Error& e) {
      Fail(line, e.what());
    }
    last_text_ = text;
    return last_class_;
  }

  std::string_view text_;
  std::string_view subject_;
  std::size_t line_number_ = 0;
  std::array<std::size_t, kMaxFields> column_{};  // the index of each Column in a row, or kAbsent
  std::size_t field_count_ = 0;
  std::string_view last_text_;
  std::uint16_t last_class_ = 0;
  SampleCounter counter_;
};

}  // namespace

Samples ParseSamples(std::string_view text, std::string_view subject) {
  return Reader(text, subject).Read();
}

Samples ReadSamples(const std::filesystem::path& path) {
  return ParseSamples(ReadFile(path), path.string());
}

}  // namespace skinmask
