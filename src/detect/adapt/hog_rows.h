// The arithmetic of the search for faces by histograms of oriented gradients, row by row. All is
// integers but for the normalisation of the histograms, which is sums, products, quotients and
// roots of floats, each rounded once: every CPU target gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detect/adapt/hog_tables.h"

namespace skinmask {

// Rows are read and written in vectors: what is behind their end by so many must be there, too.
inline constexpr std::size_t kHogSlack = 32;

// One of eight pixels of a row that is made smaller: its pixels lie from `base` on, each at
// left, between that and the next by fraction / 128.
struct HogColumns {
  std::int32_t base;
  std::uint8_t left_right[16];  // of each pixel, from `base`
  std::int16_t fraction[8];
};

// Eight rows of pixels that lie between the middles of two rows of cells, with their neighbours.
// Each is split; block i lies between the middles of the cells i - 1 and i.
struct HogBand {
  const std::int16_t* rows[10];  // rows[r + 1] is row r
  std::size_t first, last;       // the rows that count: first <= r < last
  const std::int16_t* inside;    // split: -1 where a pixel counts, 0 elsewhere
  std::size_t stride;
};

// What the pixels of a band say for each of nine orientations, before it is known of which cell:
// sums of magnitudes for the cell on the left and on the right, of all pixels and of those whose
// gradient points upwards, in units of 1 / (256 kHogMagnitude).
inline constexpr std::size_t kHogOrientations = 9, kHogVotes = 4 * kHogOrientations;
inline constexpr int kHogMagnitude = 5;

// The features of a row of cells and their coarse channels, which are within +-2^14, so that their
// differences are 16 bits:
// features[quarter * quarter_stride + 8 cell + k] and coarse[channel * coarse_stride + cell].
struct HogFeatures {
  std::int16_t* features;
  std::size_t quarter_stride;
  std::int16_t* coarse;
  std::size_t coarse_stride;
};

// A window whose coarse score is above the threshold, by so much.
struct HogCandidate {
  std::int32_t row, column;
  std::int16_t pattern, excess;
};

// Rows of coarse channels, each split by parity: [(row * kCoarse + channel) * 2 + parity], each of
// `half_stride`.
struct HogCoarse {
  const std::int16_t* halves;
  std::size_t half_stride;
};

struct HogRowFunctions {
  // Of each pixel of `groups` groups 128 times its value.
  void (*resize_columns)(const std::uint8_t* row, const HogColumns* columns, std::size_t groups,
                         std::int16_t* out);
  // Between two rows of these, by fraction / 2^15, rounded to bytes.
  void (*resize_rows)(const std::int16_t* upper, const std::int16_t* lower, std::int16_t fraction,
                      std::size_t count, std::uint8_t* out);

  // Pixels as gradients are taken of them: out[j * stride + i] = row[8 i + j] for `blocks` i.
  void (*split_row)(const std::uint8_t* row, std::size_t blocks, std::int16_t* out,
                    std::size_t stride);
  // Adds the votes for the row of cells above the band, and sets those for the row below. Vote v of
  // block i is at [v * stride + i].
  void (*vote)(const HogBand& band, std::size_t blocks, std::int32_t* above, std::int32_t* below,
               std::size_t stride);

  // Histograms of a row of cells from its votes: 18 directions at [direction * stride + cell], and
  // what normalises them, the sum of squares over orientations.
  void (*cells)(const std::int32_t* votes, std::size_t stride, std::size_t cells, float* histograms,
                float* energy);
  // Of each corner between four cells the factor that normalises them.
  void (*corners)(const float* energy_above, const float* energy_below, std::size_t corners,
                  float* factors);
  // The features of a row of cells, from the cell at index 1 on.
  void (*feature_row)(const float* histograms, std::size_t stride, const float* factors_above,
                      const float* factors_below, std::size_t cells, const HogFeatures& out);

  // Even and odd values, each on its own; `pairs` of them.
  void (*split_parity)(const std::int16_t* row, std::size_t pairs, std::int16_t* even,
                       std::int16_t* odd);
  // Every second window, as on a chequerboard, of the rows `row` and `row` + 2. Returns the number
  // of candidates, at most 2 kTemplates (columns / 2 + 1).
  std::size_t (*scan)(const HogCoarse& coarse, std::size_t row, std::size_t columns,
                      HogCandidate* found);
  // Exact sums of a window's weights and features, less the threshold.
  std::int32_t (*score)(const std::int16_t* features, std::size_t quarter_stride,
                        std::size_t pattern);

  // Between two rows of features, by fraction / 2^15.
  void (*blend_rows)(const std::int16_t* upper, const std::int16_t* lower, std::int16_t fraction,
                     std::size_t count, std::int16_t* out);
  // Between the cells at left[x] and behind, for each cell of a quarter's row, by fractions[x] /
  // 2^15.
  void (*blend_cells)(const std::int16_t* row, const std::int32_t* left,
                      const std::int16_t* fractions, std::size_t cells, std::int16_t* out);
};

// Those of the CPU target that is used.
const HogRowFunctions& HogRows();

}  // namespace skinmask
