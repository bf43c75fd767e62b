// dlib's detector of frontal faces as tables of integers, which embed_detector.cc writes during the
// build of the library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skinmask {

// A face is a window of kWindow by kWindow cells of 8 pixels. A cell has 31 features, those of
// Felzenszwalb et al. (2010), and a zero, stored as kQuarters of kInQuarter values. The score of
// each template (front, left, right, and two tilted) is a weighted sum of a window's features.
struct HogTables {
  static constexpr std::size_t kTemplates = 5, kWindow = 10, kFeatures = 31;
  static constexpr std::size_t kQuarters = 4, kInQuarter = 8;
  // Coarse channels: the projections of the features that keep the most of all templates' scores.
  static constexpr std::size_t kCoarse = 4;

  // Features and weights are in units of 2^-13, exact scores in units of 2^-26. No sum exceeds 32
  // bits.
  static constexpr int kFeatureBits = 13, kScoreBits = 26;
  // Coarse channels are in units of 2^-11, their weights in units of 2^-15, and coarse scores in
  // units of 2^-11.
  static constexpr int kCoarseBits = 11, kCoarseWeightBits = 15, kCoarseScoreBits = 11;

  alignas(64) std::int16_t weights[kTemplates][kWindow][kQuarters][kWindow][kInQuarter];
  std::int32_t threshold[kTemplates];
  float projection[kFeatures][kCoarse];
  // By the window's row, channel, column and template; each weight twice in its word, because words
  // are faster to broadcast to a vector.
  std::uint32_t coarse_weights[kWindow][kCoarse][kWindow][kTemplates];
  std::int16_t coarse_threshold[kTemplates];
};

extern const HogTables kHogTables;

}  // namespace skinmask
