#include "skinmask/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <new>
#include <numeric>

#include "skinmask/error.h"

namespace skinmask {
namespace {

// (group, class, b, g, r) in one number; there are at most kMaxClasses = 255 classes.
std::uint64_t Key(const SampleRow& s) {
  return std::uint64_t{s.group} << 32 | std::uint64_t{s.class_index} << 24 |
         static_cast<std::uint64_t>(s.b << 16 | s.g << 8 | s.r);
}

void CheckTotal(std::uint64_t total) {
  if (total > Samples::kMaxTotal)
    throw Error("samples", fmt::format("more than {} pixels (exact sums end there)", Samples::kMaxTotal));
}

struct Before {
  bool operator()(const SampleRow& a, const SampleRow& b) const { return Key(a) < Key(b); }
};

// Rows mostly come as a few sorted runs (files, threads), which are merged; anything else is sorted.
void SortRuns(std::vector<SampleRow>& rows) {
  constexpr std::size_t kFewRuns = 64;
  std::vector<std::ptrdiff_t> ends;
  for (auto at = rows.begin(); at != rows.end() && ends.size() <= kFewRuns;) {
    at = std::is_sorted_until(at, rows.end(), Before());
    ends.push_back(at - rows.begin());
  }
  if (ends.size() > kFewRuns) return std::sort(rows.begin(), rows.end(), Before());
  while (ends.size() > 1) {  // neighbours, two by two
    std::vector<std::ptrdiff_t> merged;
    std::ptrdiff_t start = 0;
    for (std::size_t i = 0; i < ends.size(); i += 2) {
      const std::ptrdiff_t end = ends[std::min(i + 1, ends.size() - 1)];
      std::inplace_merge(rows.begin() + start, rows.begin() + ends[i], rows.begin() + end, Before());
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
    if (size > 0 && Key(rows[size - 1]) == Key(row))
      CheckTotal(rows[size - 1].count += row.count);
    else
      rows[size++] = row;
  }
  rows.resize(size);
}

// Ascending order by three counting passes of 11 bits.
void RadixSort(std::vector<std::uint32_t>& values) {
  std::vector<std::uint32_t> other(values.size());
  for (int shift = 0; shift < 32; shift += 11) {
    std::array<std::size_t, 2049> start{};
    for (std::uint32_t v : values) ++start[((v >> shift) & 2047) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    for (std::uint32_t v : values) other[start[(v >> shift) & 2047]++] = v;
    values.swap(other);
  }
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

bool IsClassName(std::string_view name) {
  const auto digit = [](unsigned char c) { return c >= '0' && c <= '9'; };
  const auto wrong = [](unsigned char c) {
    return c < 32 || c == 127 || c == ',' || c == '=' || c == '"' || c == '\'';
  };
  return !name.empty() && name.front() != ' ' && name.back() != ' ' &&
         !std::all_of(name.begin(), name.end(), digit) &&
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

namespace {

// Where a colour's count stands: in blocks of 8 x 8 x 8 colours, so that the colours of a photograph,
// which lie close together, share pages and cache lines. Each byte contributes its bits apart.
constexpr auto kPlaces = [] {
  std::array<std::array<std::uint32_t, 256>, 3> places{};
  for (std::uint32_t channel = 0; channel < 3; ++channel)
    for (std::uint32_t v = 0; v < 256; ++v)
      places[channel][v] = (v >> 3) << (9 + 5 * (2 - channel)) | (v & 7) << (3 * (2 - channel));
  return places;
}();

std::uint32_t PlaceOf(std::uint32_t class_index, std::uint32_t b, std::uint32_t g, std::uint32_t r) {
  return class_index << 24 | kPlaces[0][b] | kPlaces[1][g] | kPlaces[2][r];
}

// class << 24 | b << 16 | g << 8 | r of a place.
std::uint32_t KeyOf(std::uint32_t place) {
  std::uint32_t key = place & 0xFF000000;
  for (int channel = 0; channel < 3; ++channel)
    key |= ((place >> (9 + 5 * channel) & 31) << 3 | (place >> 3 * channel & 7)) << 8 * channel;
  return key;
}

}  // namespace

ColorCounter::ColorCounter(std::size_t class_count)
    : class_count_(class_count),
      counts_(static_cast<std::uint32_t*>(std::calloc(class_count << 24, sizeof(std::uint32_t)))) {
  if (!counts_) throw std::bad_alloc();
}

void ColorCounter::CountRow(const std::uint8_t* bgr, const std::uint8_t* classes, std::size_t count,
                            std::size_t step) {
  // Two passes over each block: loads that chase the stores of the pixel before cost the processor
  // more than all else (5.5 ns a pixel in one pass, 2.0 so).
  constexpr std::size_t kBlock = 256;
  std::array<std::uint32_t, kBlock> places;
  std::uint32_t* const counts = counts_.get();
  for (std::size_t i = 0; i < count;) {
    std::size_t size = 0;
    for (; i < count && size < kBlock; i += step) {
      if (classes[i] >= class_count_) continue;
      const std::uint8_t* p = bgr + 3 * i;
      places[size] = PlaceOf(classes[i], p[0], p[1], p[2]);
      __builtin_prefetch(counts + places[size++], 1);
    }
    for (std::size_t j = 0; j < size; ++j)
      if (counts[places[j]]++ == 0) touched_.push_back(places[j]);
  }
  pixels_ += count;
}

bool ColorCounter::IsFullFor(std::uint64_t pixels) const { return pixels_ + pixels > UINT32_MAX; }

std::vector<SampleRow> ColorCounter::Flush(std::uint32_t group) {
  std::transform(touched_.begin(), touched_.end(), touched_.begin(), KeyOf);
  RadixSort(touched_);
  std::vector<SampleRow> rows;
  rows.reserve(touched_.size());
  for (std::uint32_t key : touched_) {
    const auto b = static_cast<std::uint8_t>(key >> 16), g = static_cast<std::uint8_t>(key >> 8),
               r = static_cast<std::uint8_t>(key);
    std::uint32_t& count = counts_[PlaceOf(key >> 24, b, g, r)];
    rows.push_back({group, static_cast<std::uint16_t>(key >> 24), b, g, r, count});
    count = 0;
  }
  touched_.clear();
  pixels_ = 0;
  return rows;
}

std::string FormatSamples(const Samples& samples) {
  // Bytes come from a table: half of the time of training from photographs would go into this text.
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
