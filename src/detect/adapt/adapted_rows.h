// AdaptedRows computes the log-odds of a picture's pixels row by row, from the colour (by this
// image's mixtures and the global model) and from small maps of the place.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <span>
#include <vector>

#include "skinmask/detect/adapt.h"
#include "skinmask/model/mixture.h"
#include "skinmask/model/model.h"
#include "skinmask/model/posterior.h"
#include "skinmask/model/quadratic.h"

namespace skinmask {

// The log-odds of a colour:  local_weight l + global_weight g,  with g clamped to +-most.
struct ColorJudge {
  const CompiledMixture* local;  // null: l is 0
  const Posterior& global;
  const std::optional<Quadratic>& folded;  // the global model's z, if it is one quadratic
  double own_log_odds;                     // subtracted from z to give g
  double most;
  double local_weight, global_weight;
};

// The same in the form that the row functions take.
struct ColorWeights {
  float local = 1;
  float most = 0;         // bound of global_weight g
  FloatQuadratic global;  // 0 if g is not one quadratic
};

// A CalibrationSide in float: offset + slope m, by the last line that begins at or before m.
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
  float Inverse(float calibrated) const {
    std::size_t k = 0;
    while (k + 1 < lines && calibrated >= (*this)(from[k + 1])) ++k;
    return std::max(0.f, (calibrated - offset[k]) / slope[k]);
  }
};

// Maps sums of evidence, 0 at the model's own threshold, to calibrated log-odds.
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

// The rows of a large picture from a map (CV_32FC1) with a cell for each square of `side` x `side`
// pixels from the picture's first corner on; its value is that at the square's centre. The map is
// linear between centres, and constant beyond the outermost ones. The picture may end half a square
// before or after the map.
class MapRows {
 public:
  MapRows(cv::Mat map, int side);

  // The values at `count` pixels of row y of the picture from column `first` on, with room for a
  // vector after them; valid until the buffer's next use.
  float* Row(int y, int first, int count, std::vector<float>& buffer) const;

 private:
  cv::Mat map_;
  int side_;
  std::vector<float> steps_;  // from a centre on: the pixels' shares of the way to the next
};

// A row of each map, with room for a vector beyond its end. Slopes and `expected` may be null.
struct PlaceRow {
  std::array<const float*, 3> slope{};
  float* offset;
  const float* expected;
  float slack;
};

// The cells of the small image that are far from skin (Adaptation::far), for its log-odds `z`,
// CV_32FC1, 0 at the model's own threshold.
cv::Mat FarCells(const cv::Mat& z);

class AdaptedRows {
 public:
  // `judge`, what it points to, and `maps` must outlive this. Each cell of the adaptation's maps
  // covers `side` x `side` pixels.
  AdaptedRows(const ColorJudge& judge, const Adaptation& maps, int side, const OutputScale& scale);

  // The log-odds z of row y of a picture of `width` pixels. With six Gaussians and a quadratic a
  // pixel takes 5 ns on one core with AVX-512. Safe from many threads.
  void LogOddsRow(const std::uint8_t* bgr, int width, int y, float* z) const;
  // Makes the outputs that are not null: the mask, 255 where z is above the threshold's log-odds,
  // else 0 (2.6 ns a pixel that is not far from skin), and the probability, round(255 P) (3.4 ns).
  // Both take little more time than the probability.
  void JudgeRow(const std::uint8_t* bgr, int width, int y, double threshold_log_odds,
                std::uint8_t* mask, std::uint8_t* probability) const;

 private:
  // A part of row y. Pointers to colours and log-odds are to its first pixel.
  struct Part {
    int y, first, width;
  };
  // z of the part before CapFar; valid until this thread's next call.
  float* WholeRow(const std::uint8_t* bgr, Part part) const;
  // z of the part, exact where it is or may be in low..high; elsewhere a value on the same side of
  // both.
  float* RowBetween(const std::uint8_t* bgr, Part part, float low, float high) const;
  PlaceRow PlaceOf(const std::uint8_t* bgr, Part part) const;
  // Calls of(part, is_far) for the parts of row y that are far from skin, and that are not.
  template <class Of>
  void ForParts(int y, int width, const Of& of) const;
  void CapFar(int y, int width, float* z) const;
  void EvaluateAll(const std::uint8_t* bgr, const PlaceRow& place,
                   std::span<const std::uint32_t> places, float* z) const;
  void AddGlobal(const std::uint8_t* bgr, std::size_t count, float* z) const;

  ColorJudge judge_;
  ColorWeights weights_;
  std::vector<MapRows> slope_;  // three, or none
  MapRows offset_;
  std::optional<MapRows> expected_;
  const Adaptation& maps_;
  int side_;
  OutputScale scale_;
  float cap_;          // of z in far cells
  double margin_ = 0;  // more than what the sums of LeadRow and FullRow differ by from rounding
};

}  // namespace skinmask
