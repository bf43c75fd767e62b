#include "skinmask/data/samples.h"

#include <fmt/format.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/printable.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

// (group, class, b, g, r) in one number; there are at most kMaxClasses = 255 classes.
std::uint64_t Key(const SampleRow& s) {
  return std::uint64_t{s.group} << 32 | std::uint64_t{s.class_index} << 24 |
         static_cast<std::uint64_t>(s.b << 16 | s.g << 8 | s.r);
}

void CheckTotal(std::uint64_t total) {
  if (total > Samples::kMaxTotal)
    throw Error("samples",
                fmt::format("more than {} pixels (exact sums end there)", Samples::kMaxTotal));
}

constexpr auto kBefore = [](const SampleRow& a, const SampleRow& b) { return Key(a) < Key(b); };

// The rows mostly consist of a few sorted runs (from files or threads), which are merged. Otherwise
// they are sorted.
void SortRuns(std::vector<SampleRow>& rows) {
  constexpr std::size_t kFewRuns = 64;
  std::vector<std::ptrdiff_t> ends;
  for (auto at = rows.begin(); at != rows.end() && ends.size() <= kFewRuns;) {
    at = std::is_sorted_until(at, rows.end(), kBefore);
    ends.push_back(at - rows.begin());
  }
  if (ends.size() > kFewRuns) return tbb::parallel_sort(rows.begin(), rows.end(), kBefore);
  while (ends.size() > 1) {  // merges pairs of neighbouring runs
    std::vector<std::ptrdiff_t> merged;
    std::ptrdiff_t start = 0;
    for (std::size_t i = 0; i < ends.size(); i += 2) {
      const std::ptrdiff_t end = ends[std::min(i + 1, ends.size() - 1)];
      std::inplace_merge(rows.begin() + start, rows.begin() + ends[i], rows.begin() + end, kBefore);
      merged.push_back(start = end);
    }
    ends = std::move(merged);
  }
}

// Sorts rows and adds the counts of equal keys.
void Canonicalise(std::vector<SampleRow>& rows) {
  SortRuns(rows);
  std::size_t size = 0;
  for (const SampleRow& row : rows) {
    if (row.count == 0) continue;
    CheckTotal(row.count);  // so that the sum of two counts cannot overflow
    if (size > 0 && Key(rows[size - 1]) == Key(row))
      CheckTotal(rows[size - 1].count += row.count);
    else
      rows[size++] = row;
  }
  rows.resize(size);
}

}  // namespace

Samples::Samples(std::vector<std::string> classes, std::vector<SampleRow> rows)
    : classes_(std::move(classes)), rows_(std::move(rows)) {
  if (classes_.size() > kMaxClasses)
    throw Error("samples",
                fmt::format("have {} classes ({} at most)", classes_.size(), kMaxClasses));
  const std::vector<std::string> given = classes_;
  std::ranges::sort(classes_);
  std::vector<std::uint16_t> sorted_index;
  for (const std::string& name : given) {
    const auto place = std::ranges::lower_bound(classes_, name) - classes_.begin();
    sorted_index.push_back(static_cast<std::uint16_t>(place));
  }
  for (SampleRow& row : rows_) {
    if (row.class_index >= sorted_index.size())
      throw Error("samples", fmt::format("have a row of class {} of {}", row.class_index,
                                         sorted_index.size()));
    row.class_index = sorted_index[row.class_index];
  }
  for (const std::string& name : classes_)
    if (!IsClassName(name))
      throw Error("samples", fmt::format("'{}' is no name for a class", name));
  if (const auto twice = std::ranges::adjacent_find(classes_); twice != classes_.end())
    throw Error("samples", fmt::format("class '{}' stands twice", *twice));
  std::uint64_t total = 0;
  for (const SampleRow& row : rows_) {
    CheckTotal(row.count);  // before adding, so that the sum cannot overflow
    CheckTotal(total += row.count);
  }
  Canonicalise(rows_);
}

bool IsClassName(std::string_view name) {
  const auto digit = [](unsigned char c) { return c >= '0' && c <= '9'; };
  const auto wrong = [](unsigned char c) {
    return c < 32 || c == 127 || c == ',' || c == '=' || c == '"' || c == '\'';
  };
  constexpr std::size_t kLongest = 100;
  return !name.empty() && name.size() <= kLongest && IsUtf8(name) && name.front() != ' ' &&
         name.back() != ' ' && !std::all_of(name.begin(), name.end(), digit) &&
         std::none_of(name.begin(), name.end(), wrong);
}

std::uint64_t Samples::Total() const {
  std::uint64_t total = 0;
  for (const SampleRow& row : rows_) total += row.count;
  return total;
}

std::uint64_t Samples::Total(std::size_t class_index) const {
  std::uint64_t total = 0;
  for (const SampleRow& row : rows_)
    if (row.class_index == class_index) total += row.count;
  return total;
}

Samples Samples::Ungrouped() const {
  std::vector<SampleRow> rows = rows_;
  for (SampleRow& row : rows) row.group = 0;
  return Samples(classes_, std::move(rows));
}

std::uint16_t SampleCounter::ClassIndex(std::string_view name) {
  const auto found = std::find(classes_.begin(), classes_.end(), name);
  const auto index = static_cast<std::size_t>(found - classes_.begin());
  if (found == classes_.end()) {
    if (index >= kMaxClasses)
      throw Error("class '" + std::string(name) + "'",
                  fmt::format("is one too many ({} at most)", kMaxClasses));
    classes_.emplace_back(name);
  }
  return static_cast<std::uint16_t>(index);
}

void SampleCounter::Compact() {
  Canonicalise(rows_);
  compacted_ = rows_.size();
}

void SampleCounter::Add(const SampleRow& row) {
  CheckTotal(row.count);
  // Doubling before each compaction keeps the work O(n log n).
  if (rows_.size() >= 2 * compacted_ + (std::size_t{1} << 20)) Compact();
  rows_.push_back(row);
}

void SampleCounter::Add(const Samples& samples) {
  std::vector<std::uint16_t> index;
  for (const std::string& name : samples.classes()) index.push_back(ClassIndex(name));
  for (SampleRow row : samples.rows()) {
    row.class_index = index[row.class_index];
    Add(row);
  }
}

void SampleCounter::Add(std::vector<SampleRow> rows) {
  if (rows_.empty()) {
    rows_ = std::move(rows);
  } else {
    for (const SampleRow& row : rows) Add(row);
  }
}

Samples SampleCounter::Finish() && { return Samples(std::move(classes_), std::move(rows_)); }

std::string FormatSamples(const Samples& samples) {
  // The texts of bytes come from a table: formatting them one by one would take half of the time of
  // training from photographs.
  std::array<std::string, 256> bytes;
  for (std::size_t v = 0; v < bytes.size(); ++v) bytes[v] = std::to_string(v) + ",";
  std::string text = "class,b,g,r,count,group\n";
  text.reserve(text.size() + samples.rows().size() * 28);
  std::array<char, 24> digits;
  const auto append = [&](std::uint64_t number, char end) {
    char* const last = std::to_chars(digits.begin(), digits.end(), number).ptr;
    *last = end;
    text.append(digits.data(), last + 1);
  };
  for (const SampleRow& s : samples.rows()) {
    text.append(samples.classes()[s.class_index]).append(",");
    text.append(bytes[s.b]).append(bytes[s.g]).append(bytes[s.r]);
    append(s.count, ',');
    append(s.group, '\n');
  }
  return text;
}

}  // namespace skinmask
