#include "skinmask/learn/class_counts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/parallel_rows.h"
#include "data/carriers.h"
#include "learn/expectation_rows.h"
#include "learn/score_bins.h"
#include "skinmask/base/int128.h"
#include "skinmask/model/reference.h"

namespace skinmask {
namespace {

constexpr std::size_t kRowsOfPart = 1 << 12;  // of a table, for one task

}  // namespace

std::vector<std::size_t> IndicesInModel(const std::vector<std::string>& names, const Model& model) {
  std::vector<std::size_t> indices;
  for (const std::string& name : names)
    indices.push_back(static_cast<std::size_t>(
        std::ranges::find(model.classes, name, &ClassModel::name) - model.classes.begin()));
  return indices;
}

ClassCounts::ClassCounts(const Model& model)
    : counts(model.classes.size() * model.classes.size()), costs(model.class_costs) {
  for (const ClassModel& c : model.classes) classes.push_back(c.name);
}

ClassCounts& ClassCounts::operator+=(const ClassCounts& other) {
  if (classes.empty()) return *this = other;
  for (std::size_t i = 0; i < other.counts.size(); ++i) counts[i] += other.counts[i];
  return *this;
}

std::optional<double> ClassCounts::Accuracy() const {
  std::uint64_t right = 0;
  for (std::size_t k = 0; k < classes.size(); ++k) right += Count(k, k);
  return Ratio(right, Total());
}

std::optional<double> ClassCounts::MeanCost() const {
  double cost = 0, all = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!costs.empty()) cost += costs[i] * static_cast<double>(counts[i]);
    all += static_cast<double>(counts[i]);
  }
  if (costs.empty() || all == 0) return std::nullopt;
  return cost / all;
}

std::optional<double> ClassCounts::Recall(std::size_t k) const {
  std::uint64_t all = 0;
  for (std::size_t called = 0; called < classes.size(); ++called) all += Count(k, called);
  return Ratio(Count(k, k), all);
}

std::optional<double> ClassCounts::Precision(std::size_t k) const {
  std::uint64_t all = 0;
  for (std::size_t truth = 0; truth < classes.size(); ++truth) all += Count(truth, k);
  return Ratio(Count(k, k), all);
}

bool CountsClasses(const Model& model) {
  return model.classes.size() > 2 || !model.class_costs.empty();
}

ClassCounts CountClasses(const Samples& samples, const Model& model) {
  const std::vector<std::size_t> indices = IndicesInModel(samples.classes(), model);
  const Reference reference(model);
  const std::vector<SampleRow>& rows = samples.rows();
  return SumOver(rows.size(), kRowsOfPart, ClassCounts(model),
                 [&](std::size_t first, std::size_t last, ClassCounts& sums) {
                   for (std::size_t i = first; i < last; ++i) {
                     const std::size_t truth = indices[rows[i].class_index];
                     if (truth == model.classes.size()) continue;
                     const std::array<std::uint8_t, 3> bgr{rows[i].b, rows[i].g, rows[i].r};
                     std::uint8_t called = 0;
                     reference.ClassRow(bgr.data(), 1, &called);
                     sums.Add(truth, called, rows[i].count);
                   }
                 });
}

std::optional<double> ClassLogLoss(const Samples& samples, const Model& model) {
  const std::vector<std::size_t> indices = IndicesInModel(samples.classes(), model);
  const std::size_t classes = model.classes.size();
  const std::vector<SampleRow>& rows = samples.rows();
  if (rows.empty() || std::ranges::count(indices, classes) > 0) return std::nullopt;
  const Reference reference(model);
  constexpr std::size_t kRows = PointPlanes::kBlock;
  // Each loss is rounded to a multiple of 2^-32, so that any order gives the same sum.
  const auto add = [&](std::size_t first, std::size_t size, Int128& sum) {
    std::vector<PointPlanes::Block> scores(classes);
    std::vector<double> discriminants(classes);
    PointPlanes::Block truth{}, log_sum;
    const std::span part(&rows[first], size);
    ForEachCarrier(part, model.features.space(), [&](std::size_t i, const std::int32_t* carrier) {
      reference.Discriminants(carrier, discriminants.data());
      for (std::size_t k = 0; k < classes; ++k) scores[k][i] = discriminants[k];
      truth[i] = discriminants[indices[part[i].class_index]];
    });
    SoftmaxBlock(scores, log_sum);
    for (std::size_t i = 0; i < size; ++i) {
      const double loss = std::min<double>(std::max(0., log_sum[i] - truth[i]), kMaxMagnitude);
      sum += static_cast<Int128>(rows[first + i].count) * std::llround(loss * kFixedPoint);
    }
  };
  const Int128 sum = SumOver(rows.size(), kRowsOfPart, Int128{0},
                             [&](std::size_t first, std::size_t last, Int128& so_far) {
                               for (std::size_t i = first; i < last; i += kRows)
                                 add(i, std::min(kRows, last - i), so_far);
                             });
  return static_cast<double>(sum) / kFixedPoint / static_cast<double>(samples.Total());
}

}  // namespace skinmask
