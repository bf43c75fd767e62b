// Gaussians are read as JSON here, in which models and simulations have them alike.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "base/json.h"
#include "skinmask/model/model.h"

namespace skinmask {

inline FeatureVector VectorOf(const JsonNode& node, int size) {
  const JsonItems items = node.Items();
  if (items.size() != static_cast<std::size_t>(size))
    node.Fail(fmt::format(" needs {} numbers", size));
  FeatureVector v(size);
  for (int i = 0; i < size; ++i) v(i) = items[static_cast<std::size_t>(i)].Real();
  return v;
}

inline FeatureMatrix MatrixOf(const JsonNode& node, int size) {
  const JsonItems items = node.Items();
  if (items.size() != static_cast<std::size_t>(size))
    node.Fail(fmt::format(" needs {} rows", size));
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

}  // namespace skinmask
