// Synthetic worlds: labelled colours drawn from known Gaussians, the same on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/distributions.h"
#include "skinmask/data/samples.h"

namespace skinmask::testing {

class Random : public skinmask::Random {
 public:
  using skinmask::Random::Random;
  std::uint8_t Byte() { return static_cast<std::uint8_t>(Next() >> 56); }
  // Sum of twelve uniforms: normal enough, variance 1.
  double Normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += Uniform();
    return sum;
  }
};

// A class of pixels: mean and a lower-triangular mixing of independent normals (rows b, g, r).
struct Blob {
  std::string name;
  std::array<double, 3> mean;
  std::array<std::array<double, 3>, 3> mixing;
  int count;
};

inline const std::vector<Blob>& SkinWorld() {
  static const std::vector<Blob> world{
      {"skin", {110, 140, 200}, {{{20, 0, 0}, {14, 10, 0}, {9, 7, 12}}}, 3000},
      {"non-skin", {120, 118, 105}, {{{45, 0, 0}, {35, 20, 0}, {25, 15, 30}}}, 9000},
      {"hair", {40, 50, 62}, {{{15, 0, 0}, {12, 6, 0}, {11, 5, 8}}}, 1500},
  };
  return world;
}

inline std::vector<SampleRow> Draw(const Blob& blob, std::uint16_t class_index, Random& random) {
  std::vector<SampleRow> rows;
  for (int i = 0; i < blob.count; ++i) {
    const std::array<double, 3> n{random.Normal(), random.Normal(), random.Normal()};
    std::array<std::uint8_t, 3> bgr{};
    for (std::size_t c = 0; c < 3; ++c) {
      double value = blob.mean[c];
      for (std::size_t j = 0; j <= c; ++j) value += blob.mixing[c][j] * n[j];
      bgr[c] = static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
    }
    rows.push_back({0, class_index, bgr[0], bgr[1], bgr[2], 1});
  }
  return rows;
}

// The first `classes` blobs of SkinWorld as a table.
inline Samples DrawSamples(std::size_t classes = 2, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<std::string> names;
  std::vector<SampleRow> rows;
  for (std::size_t k = 0; k < classes; ++k) {
    names.push_back(SkinWorld()[k].name);
    for (const SampleRow& row : Draw(SkinWorld()[k], static_cast<std::uint16_t>(k), random))
      rows.push_back(row);
  }
  return Samples(names, rows);
}

}  // namespace skinmask::testing
