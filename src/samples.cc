#include "skinmask/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <tuple>

#include "skinmask/error.h"

namespace skinmask {
namespace {

auto Key(const SampleRow& s) { return std::tie(s.group, s.class_index, s.b, s.g, s.r); }

void CheckTotal(std::uint64_t total) {
  if (total > Samples::kMaxTotal)
    throw Error("samples", fmt::format("more than {} pixels (exact sums end there)", Samples::kMaxTotal));
}

// Sorts rows and adds the counts of equal keys.
void Canonicalise(std::vector<SampleRow>& rows) {
  const auto before = [](const SampleRow& a, const SampleRow& b) { return Key(a) < Key(b); };
  if (!std::is_sorted(rows.begin(), rows.end(), before)) std::sort(rows.begin(), rows.end(), before);
  std::size_t size = 0;
  for (const SampleRow& row : rows) {
    if (row.count == 0) continue;
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
  std::vector<std::size_t> order(classes_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return classes_[a] < classes_[b]; });
  std::vector<std::uint16_t> place(classes_.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::uint16_t>(i);
  for (SampleRow& row : rows_) row.class_index = place[row.class_index];
  std::sort(classes_.begin(), classes_.end());
  std::uint64_t total = 0;
  for (const SampleRow& row : rows_) {
    CheckTotal(row.count);  // before adding: the sum of two such counts cannot wrap
    CheckTotal(total += row.count);
  }
  Canonicalise(rows_);
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
    if (index > 254) throw Error("class '" + std::string(name) + "'", "is one too many (255 at most)");
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

Samples SampleCounter::Finish() && { return Samples(std::move(classes_), std::move(rows_)); }

void CountColors(std::span<std::uint32_t> colors, std::uint16_t class_index, std::uint32_t group,
                 SampleCounter& counter) {
  // Radix sort on 12 + 12 bits: the number of passes is even, so the result ends where it began.
  std::vector<std::uint32_t> other(colors.size());
  const auto pass = [](std::span<const std::uint32_t> from, std::span<std::uint32_t> to, int shift) {
    std::array<std::size_t, 4097> start{};
    for (std::uint32_t c : from) ++start[((c >> shift) & 4095) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    for (std::uint32_t c : from) to[start[(c >> shift) & 4095]++] = c;
  };
  pass(colors, other, 0);
  pass(other, colors, 12);
  for (std::size_t i = 0, end = 0; i < colors.size(); i = end) {
    while (end < colors.size() && colors[end] == colors[i]) ++end;
    const std::uint32_t c = colors[i];
    counter.Add({group, class_index, static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(c >> 8),
                 static_cast<std::uint8_t>(c >> 16), end - i});
  }
}

std::string FormatSamples(const Samples& samples) {
  std::string text = "class,b,g,r,count,group\n";
  text.reserve(text.size() + samples.rows().size() * 24);
  for (const SampleRow& s : samples.rows())
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n", samples.classes()[s.class_index],
                   s.b, s.g, s.r, s.count, s.group);
  return text;
}

}  // namespace skinmask
