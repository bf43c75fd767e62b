// Samples are labelled pixels as a table of counted colours, which is the one form of a data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] skinmask {

// Classes are numbered by bytes, and 255 stands for none.
inline constexpr std::size_t kMaxClasses = 255;

// Class names stand in CSV files and on command lines: not empty, not digits alone, without commas,
// equals signs, quotes, control characters, or blanks at the ends.
bool IsClassName(std::string_view name);

// `count` pixels of one class, colour and group. `group` tells images (or folds of images) apart,
// so that cross-validation can keep an image on one side.
struct SampleRow {
  std::uint32_t group = 0;
  std::uint16_t class_index = 0;  // into Samples::classes()
  std::uint8_t b = 0, g = 0, r = 0;
  std::uint64_t count = 0;
};

// An immutable table in canonical order: classes sorted by name, rows by (group, class, b, g, r),
// each at most once, no count 0. Equal data give equal tables, whatever way they came together.
class Samples {
 public:
  // The most pixels a table may hold; below it every sum and product of `Moments` is exact.
  static constexpr std::uint64_t kMaxTotal = std::uint64_t{1} << 43;

  Samples() = default;
  // Brings any rows into canonical order. Throws Error when the total passes kMaxTotal, and
  // for classes of one name or of one that IsClassName refuses.
  // Cost: a sort, O(rows log rows).
  Samples(std::vector<std::string> classes, std::vector<SampleRow> rows);

  const std::vector<std::string>& classes() const { return classes_; }
  const std::vector<SampleRow>& rows() const { return rows_; }
  std::uint64_t Total() const;
  std::uint64_t Total(std::size_t class_index) const;

  // The same table with every group 0.
  Samples Ungrouped() const;

 private:
  std::vector<std::string> classes_;
  std::vector<SampleRow> rows_;
};

// Gathers rows and tables in any order and adds them up. Memory stays within a small factor of the
// final table's, time within O(n log n).
class SampleCounter {
 public:
  // Index to use in rows for the class of this name.
  std::uint16_t ClassIndex(std::string_view name);
  void Add(const SampleRow& row);
  void Add(const Samples& samples);
  void Add(std::vector<SampleRow> rows);
  Samples Finish() &&;

 private:
  void Compact();
  std::vector<std::string> classes_;
  std::vector<SampleRow> rows_;
  std::size_t compacted_ = 0;  // how many rows the last compaction left
};

// Reads a table: CSV with a header naming the columns class (or label), b, g, r and optionally
// count and group, in any order; or the 4-column form of the UCI Skin Segmentation file (B G R
// label) without a header. Columns are separated by commas, or by tabs and blanks; lines end in
// CRLF or LF. In either form the label 1 is skin and 2 is non-skin. Throws Error with file, line
// and content for anything else.
Samples ReadSamples(const std::filesystem::path& path);
Samples ParseSamples(std::string_view text, std::string_view subject);

// The canonical CSV with all six columns, "class,b,g,r,count,group", LF line ends.
std::string FormatSamples(const Samples& samples);

}  // namespace skinmask
