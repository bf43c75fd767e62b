#include "skinmask/learn/folds.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "skinmask/base/error.h"

namespace skinmask {

std::uint32_t Folds::UnitOf(const SampleRow& row) const {
  return by_group_ ? row.group : static_cast<std::uint32_t>(row.b << 16 | row.g << 8 | row.r);
}

Folds::Folds(const Samples& samples, std::size_t count, std::uint64_t seed)
    : count_(count),
      by_group_(std::ranges::any_of(samples.rows(), [](const SampleRow& r) { return r.group; })) {
  for (const SampleRow& row : samples.rows())  // rows of a unit mostly stand together
    if (const std::uint32_t unit = UnitOf(row); units_.empty() || units_.back() != unit)
      units_.push_back(unit);
  std::ranges::sort(units_);
  units_.erase(std::unique(units_.begin(), units_.end()), units_.end());
  if (count < 2 || count > units_.size())
    throw Error(fmt::format("{} folds", count),
                fmt::format("do not fit samples of {} {} (`folds` takes from 2 to as many)",
                            units_.size(), by_group_ ? "groups" : "colours"));
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < units_.size(); ++i) order.emplace_back(Mix(Mix(seed) + units_[i]), i);
  std::ranges::sort(order);
  folds_.resize(units_.size());
  for (std::size_t turn = 0; turn < order.size(); ++turn)
    folds_[order[turn].second] = static_cast<std::uint32_t>(turn % count);
}

std::size_t Folds::FoldOf(const SampleRow& row) const {
  const auto index = std::ranges::lower_bound(units_, UnitOf(row)) - units_.begin();
  return folds_[static_cast<std::size_t>(index)];
}

Samples Folds::Part(const Samples& samples, std::size_t fold, bool inside) const {
  std::vector<SampleRow> rows;
  std::uint32_t unit = 0;
  bool known = false, wanted = false;  // of the unit: its rows mostly stand together
  for (SampleRow row : samples.rows()) {
    if (!known || UnitOf(row) != unit) {
      unit = UnitOf(row);
      wanted = (FoldOf(row) == fold) == inside;
      known = true;
    }
    if (!wanted) continue;
    row.group = 0;
    rows.push_back(row);
  }
  return Samples(samples.classes(), std::move(rows));
}

Samples Folds::HeldOut(const Samples& samples, std::size_t fold) const {
  return Part(samples, fold, true);
}

Samples Folds::Training(const Samples& samples, std::size_t fold) const {
  return Part(samples, fold, false);
}

}  // namespace skinmask
