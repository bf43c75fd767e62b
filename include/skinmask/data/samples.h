// Samples are labelled pixels as a table of counted colours: the only form of a data set in this
// library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] skinmask {

// A class index is a byte; 255 means no class.
inline constexpr std::size_t kMaxClasses = 255;

// A class name must be usable in CSV files and on command lines: it is not empty, is at most 100
// bytes of UTF-8, is not made of digits only, and has no commas, equals signs, quotes, control
// characters, or blanks at its ends.
bool IsClassName(std::string_view name);

// `count` pixels of one class, colour and group. `group` distinguishes images (or folds of images),
// so that cross-validation never splits an image.
struct SampleRow {
  std::uint32_t group = 0;
  std::uint16_t class_index = 0;  // into Samples::classes()
  std::uint8_t b = 0, g = 0, r = 0;
  std::uint64_t count = 0;
};

// An immutable table in canonical order: classes sorted by name, rows by (group, class, b, g, r),
// each at most once, no count 0. Equal data give equal tables, in whatever order they were
// collected.
class Samples {
 public:
  // The most pixels that a table may hold. Up to this number every sum and product of `Moments` is
  // exact.
  static constexpr std::uint64_t kMaxTotal = std::uint64_t{1} << 43;

  Samples() = default;
  // Brings rows in any order into canonical order. Throws Error if the total exceeds kMaxTotal, if
  // two classes have the same name, and if IsClassName refuses a name. Cost: a sort, O(rows log
  // rows).
  Samples(std::vector<std::string> classes, std::vector<SampleRow> rows);

  const std::vector<std::string>& classes() const { return classes_; }
  const std::vector<SampleRow>& rows() const { return rows_; }
  std::uint64_t Total() const;
  std::uint64_t Total(std::size_t class_index) const;

  // Returns the same table with every group set to 0.
  Samples Ungrouped() const;

 private:
  std::vector<std::string> classes_;
  std::vector<SampleRow> rows_;
};

// Collects rows and tables in any order and adds them up. Memory stays within a small factor of the
// final table's; the time is O(n log n).
class SampleCounter {
 public:
  // The index of the class of this name, for the rows that are added. A new name gets the next
  // index.
  std::uint16_t ClassIndex(std::string_view name);
  void Add(const SampleRow& row);
  void Add(const Samples& samples);
  void Add(std::vector<SampleRow> rows);
  Samples Finish() &&;

 private:
  void Compact();
  std::vector<std::string> classes_;
  std::vector<SampleRow> rows_;
  std::size_t compacted_ = 0;  // the number of rows after the last compaction
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
