// JSON of Gaussians and of the sides of calibration curves, shared by models, simulations, reports
// and `calibrate`.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "base/json.h"
#include "skinmask/model/model.h"

namespace skinmask {

inline FeatureVector VectorOf(const JsonNode& node, int size) {
  const JsonNode items =
      node.Items(static_cast<std::size_t>(size), fmt::format(" needs {} numbers", size));
  FeatureVector v(size);
  for (int i = 0; i < size; ++i) v(i) = items[static_cast<std::size_t>(i)].Real();
  return v;
}

inline FeatureMatrix MatrixOf(const JsonNode& node, int size) {
  const JsonNode items =
      node.Items(static_cast<std::size_t>(size), fmt::format(" needs {} rows", size));
  FeatureMatrix m(size, size);
  for (int i = 0; i < size; ++i)
    m.row(i) = VectorOf(items[static_cast<std::size_t>(i)], size).transpose();
  return m;
}

// A list of `weight`, `mean` and `covariance`.
inline std::vector<Gaussian> ComponentsOf(const JsonNode& node, int size) {
  std::vector<Gaussian> components;
  for (const JsonNode& item : node.Items())
    components.push_back(
        {item["weight"].Real(), VectorOf(item["mean"], size), MatrixOf(item["covariance"], size)});
  return components;
}

inline Json RowJson(const FeatureVector& v) {
  return std::vector<double>(v.data(), v.data() + v.size());
}

inline Json RowsJson(const FeatureMatrix& m) {
  Json rows = Json::array();
  for (int i = 0; i < m.rows(); ++i) rows.push_back(RowJson(m.row(i).transpose()));
  return rows;
}

inline Json GaussianJson(const Gaussian& gaussian) {
  return {{"weight", gaussian.weight},
          {"mean", RowJson(gaussian.mean)},
          {"covariance", RowsJson(gaussian.covariance)}};
}

inline Json SideJson(const CalibrationSide& side) {
  Json json{{"jump", side.jump}, {"from", Json::array()}, {"slopes", Json::array()}};
  for (const auto& [from, slope] : side.lines) {
    json["from"].push_back(from);
    json["slopes"].push_back(slope);
  }
  return json;
}

}  // namespace skinmask
