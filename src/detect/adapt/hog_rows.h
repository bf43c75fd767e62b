// The arithmetic of the face search by histograms of oriented gradients, row by row. All of it is
// in integers, except the normalisation of the histograms, which uses sums, products, quotients and
// roots of floats, each rounded once: every CPU target gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detect/adapt/hog_tables.h"

namespace skinmask {

// Rows are read and written in vectors, so this many values after their end must exist.
inline constexpr std::size_t kHogSlack = 32;

// Pixels of a row that is interpolated, in groups of eight. Each lies between two pixels of the
// source, by fraction / 128 + rest / 2048.
struct HogColumns {
  static constexpr std::size_t kGroups = 4, kPixels = 8 * kGroups;
  std::int32_t base[kGroups];
  std::uint8_t left_right[2 * kPixels];  // the two source pixels of each, from its group's base
  std::int16_t fraction[kPixels], rest[kPixels];
};

// A row of a picture that is turned: its pixel i is at (x + steps_x[i], y + steps_y[i]) / 2^10 of
// the picture at `pixels`, which has one more pixel on each of its four sides.
struct HogTurnedRow {
  const std::uint8_t* pixels;
  std::int32_t stride, width, height;  // width and height: without the added pixels
  std::int32_t x, y;
  const std::int32_t *steps_x, *steps_y;
};

// The eight rows of pixels between the centres of two rows of cells, with the rows beside them.
// Each row is split (split_row); block i lies between the centres of cells i - 1 and i.
struct HogBand {
  const std::int16_t* rows[10];  // rows[r + 1] is row r
  std::size_t first, last;       // rows first <= r < last count
  const std::int16_t* inside;    // split: -1 where a pixel counts, 0 elsewhere
  std::size_t stride;
};

// The votes of a band's pixels for each of nine orientations, not yet added up by cell: sums of
// magnitudes for the cell on the left and on the right, of all pixels and of those whose gradient
// points upwards, in units of 1 / (256 kHogMagnitude).
inline constexpr std::size_t kHogOrientations = 9, kHogVotes = 4 * kHogOrientations;
inline constexpr int kHogMagnitude = 5;

// The features of a row of cells and their coarse channels. The latter are within +-2^14, so that
// their differences fit in 16 bits. features[quarter * quarter_stride + 8 cell + k] and
// coarse[channel * coarse_stride + cell].
struct HogFeatures {
  std::int16_t* features;
  std::size_t quarter_stride;
  std::int16_t* coarse;
  std::size_t coarse_stride;
};

// A window whose coarse score exceeds the threshold, by `excess`.
struct HogCandidate {
  std::int32_t row, column;
  std::int16_t pattern, excess;
};

// Rows of coarse channels, each split into even and odd columns: [(row * kCoarse + channel) * 2 +
// parity], each of `half_stride` values.
struct HogCoarse {
  const std::int16_t* halves;
  std::size_t half_stride;
};

struct HogRowFunctions {
  // Interpolates `count` times kPixels pixels of a row; gives 128 times their values.
  void (*resize_columns)(const std::uint8_t* row, const HogColumns* columns, std::size_t count,
                         std::int16_t* out);
  // Interpolates between two such rows, by fraction / 2^15, and rounds to bytes.
  void (*resize_rows)(const std::int16_t* upper, const std::int16_t* lower, std::int16_t fraction,
                      std::size_t count, std::uint8_t* out);
  // The same, by fraction / 2^11, with the roundings of cv::resize.
  void (*resize_rows_as_opencv)(const std::int16_t* upper, const std::int16_t* lower,
                                std::int16_t fraction, std::size_t count, std::uint8_t* out);
  // Interpolates between the four pixels around each place, which is rounded down to 1/32 of a
  // pixel; a place beyond the border has the border's pixel.
  void (*turn_row)(const HogTurnedRow& row, std::size_t count, std::uint8_t* out);

  // Splits a row of pixels for the gradients: out[j * stride + i] = row[8 i + j] for `blocks`
  // blocks i.
  void (*split_row)(const std::uint8_t* row, std::size_t blocks, std::int16_t* out,
                    std::size_t stride);
  // Adds the votes of a band to the row of cells above it, and sets those of the row below. Vote v
  // of block i is at [v * stride + i].
  void (*vote)(const HogBand& band, std::size_t blocks, std::int32_t* above, std::int32_t* below,
               std::size_t stride);

  // The histograms of a row of cells from its votes, 18 directions at [direction * stride + cell],
  // and the energy that normalises them, the sum of squares over orientations.
  void (*cells)(const std::int32_t* votes, std::size_t stride, std::size_t cells, float* histograms,
                float* energy);
  // The normalising factor of each corner between four cells.
  void (*corners)(const float* energy_above, const float* energy_below, std::size_t corners,
                  float* factors);
  // The features of a row of cells, from the cell at index 1 on.
  void (*feature_row)(const float* histograms, std::size_t stride, const float* factors_above,
                      const float* factors_below, std::size_t cells, const HogFeatures& out);

  // Splits `pairs` pairs into their even and odd values.
  void (*split_parity)(const std::int16_t* row, std::size_t pairs, std::int16_t* even,
                       std::int16_t* odd);
  // Scans every second window, as on a chequerboard, of the rows `row` and `row` + 2. Returns the
  // number of candidates, at most 2 kTemplates (columns / 2 + 1).
  std::size_t (*scan)(const HogCoarse& coarse, std::size_t row, std::size_t columns,
                      HogCandidate* found);
  // The exact score of a window: the sum of weights times features, less the threshold.
  std::int32_t (*score)(const std::int16_t* features, std::size_t quarter_stride,
                        std::size_t pattern);

  // Interpolates between two rows of features, by fraction / 2^15.
  void (*blend_rows)(const std::int16_t* upper, const std::int16_t* lower, std::int16_t fraction,
                     std::size_t count, std::int16_t* out);
  // Interpolates between the cells at left[x] and left[x] + 1, for each cell of a quarter's row, by
  // fractions[x] / 2^15.
  void (*blend_cells)(const std::int16_t* row, const std::int32_t* left,
                      const std::int16_t* fractions, std::size_t cells, std::int16_t* out);
};

// The functions of the CPU target in use.
const HogRowFunctions& HogRows();

}  // namespace skinmask
