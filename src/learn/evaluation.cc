#include "skinmask/learn/evaluation.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "base/parallel_rows.h"
#include "data/carriers.h"
#include "learn/expectation_rows.h"
#include "learn/score_bins.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/class_counts.h"
#include "skinmask/model/posterior.h"
#include "skinmask/model/reference.h"

namespace skinmask {

Confusion& Confusion::operator+=(const Confusion& other) {
  tp += other.tp;
  fp += other.fp;
  fn += other.fn;
  tn += other.tn;
  return *this;
}

std::optional<double> Confusion::Accuracy() const { return Ratio(tp + tn, Total()); }
std::optional<double> Confusion::Precision() const { return Ratio(tp, tp + fp); }
std::optional<double> Confusion::Recall() const { return Ratio(tp, tp + fn); }
std::optional<double> Confusion::Specificity() const { return Ratio(tn, tn + fp); }
std::optional<double> Confusion::F1() const { return Ratio(2 * tp, 2 * tp + fp + fn); }
std::optional<double> Confusion::Iou() const { return Ratio(tp, tp + fp + fn); }

std::uint64_t Scores::Total(bool truth) const {
  std::uint64_t total = 0;
  for (const ScoreStep& step : steps) total += truth ? step.positive : step.negative;
  return total;
}

std::optional<double> Scores::Auc() const {
  const std::uint64_t p = Total(true), n = Total(false);
  if (p == 0 || n == 0) return std::nullopt;
  // Twice the number of pairs in the right order, ties counting once (Mann-Whitney).
  Int128 pairs = 0;
  std::uint64_t below = 0;
  for (const ScoreStep& step : steps) {
    pairs += static_cast<Int128>(step.positive) * (2 * static_cast<Int128>(below) + step.negative);
    below += step.negative;
  }
  return static_cast<double>(pairs) / 2 / static_cast<double>(p) / static_cast<double>(n);
}

std::optional<double> Scores::AveragePrecision() const {
  const std::uint64_t p = Total(true);
  if (p == 0) return std::nullopt;
  std::uint64_t tp = 0, fp = 0;
  double sum = 0;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    tp += step->positive;
    fp += step->negative;
    sum += static_cast<double>(step->positive) * *Ratio(tp, tp + fp);
  }
  return sum / static_cast<double>(p);
}

std::optional<double> Scores::Brier() const {
  const std::uint64_t all = Total(true) + Total(false);
  if (all == 0) return std::nullopt;
  return static_cast<double>(squared_error) / kFixedPoint / static_cast<double>(all);
}

namespace {

struct ScoredRow {
  double log_odds;
  std::int64_t count;  // below 0 for negatives, which saves memory and so time to sort
};

// Sorts in ascending order. Distributing the rows to bins first takes a third of the time of one
// sort.
std::vector<ScoredRow> Sorted(const std::vector<ScoredRow>& rows) {
  std::vector<std::size_t> ends(2 * kHalfOfBins + 1);
  const auto bin_of = [](const ScoredRow& row) { return BinOf(static_cast<float>(row.log_odds)); };
  for (const ScoredRow& row : rows) ++ends[bin_of(row) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<ScoredRow> sorted(rows.size());
  for (const ScoredRow& row : rows) sorted[ends[bin_of(row)]++] = row;
  tbb::parallel_for(std::size_t{0}, 2 * kHalfOfBins, [&](std::size_t bin) {
    std::sort(sorted.data() + (bin == 0 ? 0 : ends[bin - 1]), sorted.data() + ends[bin],
              [](const ScoredRow& a, const ScoredRow& b) { return a.log_odds < b.log_odds; });
  });
  return sorted;
}

// Scores that differ by less are equal, in units of 1 + |score|: equal ratios of counts have
// logarithms that differ by rounding.
constexpr double kRounding = 1e-12;

// Distinct scores in ascending order. Thresholds keep a distance from both neighbours, because z is
// computed again when it is compared with them.
std::vector<ScoreStep> StepsOf(const std::vector<ScoredRow>& scored) {
  const std::vector<ScoredRow> rows = Sorted(scored);
  std::vector<ScoreStep> steps;
  steps.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double low = i == 0 ? -kMaxMagnitude : rows[i - 1].log_odds, high = rows[i].log_odds;
    const double margin = std::min(high - low, 1.) / 4;
    if (i == 0 || high - steps.back().score > kRounding * (1 + std::abs(high)))
      steps.push_back({ThresholdBetween(low + margin, high - margin), 0, 0, high});
    (rows[i].count > 0 ? steps.back().positive : steps.back().negative) +=
        static_cast<std::uint64_t>(std::abs(rows[i].count));
  }
  return steps;
}

// Sums over rows: an evaluation's counts, squared error and log-loss.
struct RowSums {
  Confusion counts;
  Int128 squared_error = 0, log_loss = 0;

  RowSums& operator+=(const RowSums& other) {
    counts += other.counts;
    squared_error += other.squared_error;
    log_loss += other.log_loss;
    return *this;
  }
};

constexpr std::size_t kRowsAtOnce = 256;
constexpr std::size_t kRowsOfPart = 1 << 12;  // of a table, for one task that counts classes

// Decides which colours are positive as `detect` does: the arithmetic of masks differs from the
// reference by at most a bound, so within the bound of the threshold the mask decides.
struct Decider {
  Reference reference;
  Posterior posterior;
  double threshold, bound;

  explicit Decider(const Model& model)
      : reference(model),
        posterior(model, {.expected_pixels = 0, .probability = false}),
        threshold(Logit(model.decision.threshold)),
        bound(posterior.ErrorBound()) {}

  bool IsPositive(const std::uint8_t* bgr, double log_odds) const {
    if (!(std::abs(log_odds - threshold) <= bound)) return log_odds > threshold;
    std::uint8_t mask;
    posterior.MaskRow(bgr, 1, &mask);
    return mask != 0;
  }
};

// Scores `size` rows, at most kRowsAtOnce, and adds their sums. `indices` are those of the table's
// classes in the model.
void ScoreBlock(const SampleRow* rows, std::size_t size, const std::vector<std::size_t>& indices,
                const Decider& decider, ScoredRow* scored, RowSums& sums) {
  std::array<std::uint8_t, 3 * kRowsAtOnce> bgr;
  std::array<double, kRowsAtOnce> z{}, truth{}, squared_error, log_loss;
  for (std::size_t i = 0; i < size; ++i) {
    bgr[3 * i] = rows[i].b;
    bgr[3 * i + 1] = rows[i].g;
    bgr[3 * i + 2] = rows[i].r;
    truth[i] = indices[rows[i].class_index] == 0 ? 1 : -1;
  }
  decider.reference.LogOddsRow(bgr.data(), size, z.data());
  LossRow(z.data(), truth.data(), size, squared_error.data(), log_loss.data());
  for (std::size_t i = 0; i < size; ++i) {
    const auto count = static_cast<std::int64_t>(rows[i].count);
    const bool positive = truth[i] > 0;
    scored[i] = {z[i], positive ? count : -count};
    sums.counts.Add(positive, decider.IsPositive(&bgr[3 * i], z[i]), rows[i].count);
    sums.squared_error += static_cast<Int128>(count) * static_cast<std::int64_t>(squared_error[i]);
    sums.log_loss += static_cast<Int128>(count) * static_cast<std::int64_t>(log_loss[i]);
  }
}

}  // namespace

Evaluation EvaluateSamples(const Samples& samples, const Model& model) {
  const std::vector<std::size_t> indices = IndicesInModel(samples.classes(), model);
  if (std::ranges::count(indices, model.classes.size()) == std::ssize(indices))
    throw Error("samples", fmt::format("have none of the model's classes (they have: {})",
                                       fmt::join(samples.classes(), " ")));
  const Decider decider(model);
  std::vector<ScoredRow> scored(samples.rows().size());
  constexpr std::size_t kGrain = 1 << 13;
  const RowSums sums = SumOver(scored.size(), kGrain, RowSums(),
                               [&](std::size_t first, std::size_t last, RowSums& sum) {
                                 for (std::size_t i = first; i < last; i += kRowsAtOnce)
                                   ScoreBlock(&samples.rows()[i], std::min(kRowsAtOnce, last - i),
                                              indices, decider, &scored[i], sum);
                               });
  Evaluation evaluation{sums.counts, Scores{StepsOf(scored), sums.squared_error}};
  if (const std::uint64_t pixels = sums.counts.Total(); pixels > 0)
    evaluation.log_loss =
        static_cast<double>(sums.log_loss) / kFixedPoint / static_cast<double>(pixels);
  return evaluation;
}

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
