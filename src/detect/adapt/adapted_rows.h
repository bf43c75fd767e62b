// AdaptedRows computes the log-odds of a picture's pixels row by row: those of the colour by the
// mixtures of this image and by the global model, and what small maps say of the place.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <span>
#include <vector>

#include "detect/adapt/map_row.h"
#include "skinmask/model/mixture.h"
#include "skinmask/model/model.h"
#include "skinmask/model/posterior.h"
#include "skinmask/model/quadratic.h"

namespace skinmask {

// How colours are judged:  local_weight l + global_weight g,  g within +-most.
struct ColorJudge {
  const CompiledMixture* local;  // null: l is 0
  const Posterior& global;
  const std::optional<Quadratic>& folded;  // the global model's z, if it is one quadratic
  double own_log_odds;                     // that count as 0 in g
  double most;
  double local_weight, global_weight;
};

// The same as the row functions take it.
struct ColorWeights {
  float local = 1;
  float most = 0;           // of global_weight g
  bool has_global = false;  // whether it is one quadratic: the next one
  FloatQuadratic global;
};

// What a pixel gains at a place:  offset + slope colour,  for each grey level of B, G and R, or the
// offset alone. CV_32FC1 of one size, with a cell for each square of `side` pixels (map_row.h).
// Where the sum of evidence is expected to be e, it moves towards e by up to `slack`; without a map
// of e it stays.
struct PlaceMaps {
  std::array<cv::Mat, 3> slope;
  cv::Mat offset;
  int side = 1;
  cv::Mat expected = {};
  double slack = 0;
};

// A CalibrationSide in float: offset + slope m of the last line that begins at m or before.
struct OutputSide {
  using Numbers = std::array<float, CalibrationSide::kMaxLines>;
  std::size_t lines = 1;
  Numbers from{}, slope{}, offset{};

  explicit OutputSide(const CalibrationSide& side) : lines(side.lines.size()) {
    for (std::size_t k = 0; k < lines; ++k) {
      const auto& [its_from, its_slope] = side.lines[k];
      from[k] = static_cast<float>(its_from);
      slope[k] = static_cast<float>(its_slope);
      offset[k] = static_cast<float>(side(its_from) - its_slope * its_from);
    }
  }
  float operator()(float distance) const {
    std::size_t k = 0;
    while (k + 1 < lines && distance >= from[k + 1]) ++k;
    return offset[k] + slope[k] * distance;
  }
  float Inverse(float told) const {
    std::size_t k = 0;
    while (k + 1 < lines && told >= (*this)(from[k + 1])) ++k;
    return std::max(0.f, (told - offset[k]) / slope[k]);
  }
};

// From sums of evidence, 0 at the model's own threshold, to the log-odds that are told.
struct OutputScale {
  OutputSide below, above;
  float shift = 0;

  OutputScale(const CalibrationCurve& curve, double own_log_odds)
      : below(curve.below), above(curve.above), shift(static_cast<float>(own_log_odds)) {}
  float operator()(float sum) const { return (sum > 0 ? above(sum) : -below(-sum)) + shift; }
  float Inverse(float z) const {
    return z > shift ? above.Inverse(z - shift) : -below.Inverse(shift - z);
  }
};

// A row of the maps, with room for a vector beyond its end. Slopes and `expected` may be null.
struct PlaceRow {
  std::array<const float*, 3> slope{};
  const float *offset, *expected;
  float slack;
};

class AdaptedRows {
 public:
  // `judge` and what it points to must outlive this.
  AdaptedRows(const ColorJudge& judge, const PlaceMaps& maps, const OutputScale& scale);

  // Row y of a picture of `width` pixels: log-odds z. For six Gaussians and a quadratic a pixel
  // takes 5 ns on one core with AVX-512. Safe from many threads.
  void LogOddsRow(const std::uint8_t* bgr, int width, int y, float* z) const;
  // The same as what is not null: 255 where z is above a threshold's, else 0 (2.6 ns), and
  // round(255 P) (3.4 ns). Both take little more time than the second.
  void JudgeRow(const std::uint8_t* bgr, int width, int y, double threshold_log_odds,
                std::uint8_t* mask, std::uint8_t* probability) const;

 private:
  // z of the row, which is another one's after the next call.
  const float* WholeRow(const std::uint8_t* bgr, int width, int y) const;
  // z where it is between, and where it may be; elsewhere what is on the same side of both.
  const float* RowBetween(const std::uint8_t* bgr, int width, int y, float low, float high) const;
  PlaceRow PlaceOf(int width, int y) const;
  void AskAll(const std::uint8_t* bgr, const PlaceRow& place, std::span<const std::uint32_t> places,
              float* z) const;
  void AddGlobal(const std::uint8_t* bgr, std::size_t count, float* z) const;

  ColorJudge judge_;
  ColorWeights weights_;
  std::vector<MapRows> slope_;  // three, or none
  MapRows offset_;
  std::optional<MapRows> expected_;
  float slack_;
  OutputScale scale_;
};

}  // namespace skinmask
