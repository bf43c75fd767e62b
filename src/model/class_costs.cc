#include "model/class_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parse.h"
#include "skinmask/base/error.h"

namespace skinmask {

void RequireClassCosts(const ClassCosts& costs, const Model& model, std::string_view subject) {
  const auto require = [&](bool good, const std::string& problem) {
    if (!good) throw Error(std::string(subject), problem);
  };
  const std::size_t size = costs.size(), k = model.classes.size();
  require(
      size == 0 || size == k * k,
      fmt::format("{} costs of calling one of {} classes another ({} rows of {})", size, k, k, k));
  for (std::size_t i = 0; i < size; ++i) {
    require(costs[i] >= 0 && costs[i] <= kMaxClassCost,
            fmt::format("a cost of {} (0 to {})", costs[i], kMaxClassCost));
    require(i % (k + 1) != 0 || costs[i] == 0,
            fmt::format("a cost of {} for calling class '{}' what it is (0)", costs[i],
                        model.classes[i / k].name));
  }
}

Model WithClassCosts(Model model, const ClassCosts& costs) {
  RequireClassCosts(costs, model, "`class_costs`");
  model.class_costs = costs;
  return model;
}

std::string TextOfClassCosts(const ClassCosts& costs) {
  const auto size = static_cast<std::size_t>(std::lround(std::sqrt(costs.size())));
  std::string text;
  for (std::size_t i = 0; i < costs.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i % size == 0 ? ":" : ",", costs[i]);
  return text;
}

ClassCosts ClassCostsFrom(const std::string& text) {
  ClassCosts costs;
  std::size_t rows = 0;
  bool square = !text.ends_with(':');
  for (std::size_t at = 0; at < text.size(); ++rows) {
    const std::string row = text.substr(at, text.find(':', at) - at);
    const auto numbers = ParseNumbers<double>(row, ',');
    const auto is_good = [](double cost) { return cost >= 0 && cost <= kMaxClassCost; };
    square = square && numbers && std::ranges::all_of(*numbers, is_good) &&
             (costs.empty() || costs.size() == rows * numbers->size());
    if (!square) break;
    costs.insert(costs.end(), numbers->begin(), numbers->end());
    at += row.size() + 1;
  }
  if (!square || rows == 1 || costs.size() != rows * rows)
    throw Error(fmt::format("`class_costs` '{}'", text),
                "is no square table of costs from 0 up (a row for each true class, as in "
                "0,1,5:1,0,5:1,1,0)");
  return costs;
}

}  // namespace skinmask
