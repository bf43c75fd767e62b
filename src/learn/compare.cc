#include "skinmask/learn/compare.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <mutex>
#include <set>

#include "skinmask/base/error.h"
#include "skinmask/learn/decision.h"
#include "skinmask/learn/folds.h"

namespace skinmask {
namespace {

constexpr std::pair<Criterion, std::string_view> kCriteria[] = {
    {Criterion::kAuc, "auc"}, {Criterion::kBestF1, "f1"}, {Criterion::kLogLoss, "log-loss"}};

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// The channel lists of a space that a choice stands for; none where the space lacks a channel.
std::vector<std::vector<std::string>> ChannelLists(const std::string& space,
                                                   const std::string& choice) {
  const std::vector<std::string> all = Features(space, {}).channel_names();
  if (choice == "all") return {all};
  std::vector<std::vector<std::string>> lists;
  if (choice == "subsets") {
    for (unsigned bits = (1u << all.size()) - 1; bits > 0; --bits) {
      lists.emplace_back();
      for (std::size_t i = 0; i < all.size(); ++i)
        if (bits >> i & 1) lists.back().push_back(all[i]);
    }
    return lists;
  }
  try {
    lists.push_back(Features(space, Split(choice)).channel_names());
  } catch (const Error&) {  // another space may have them
  }
  return lists;
}

// One fold's two tables, made when the first candidate needs them, gone with the last one.
struct FoldTables {
  std::once_flag made;
  Samples training, held_out;
  std::atomic<std::size_t> candidates_left{0};
};

FoldScore ScoreFold(const FoldTables& tables, const FitOptions& options) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const Model model = Fit(tables.training, options);
  FoldScore score;
  score.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const Evaluation evaluation = EvaluateSamples(tables.held_out, model);
  score.auc = evaluation.scores->Auc();
  score.log_loss = evaluation.log_loss;
  score.counts = evaluation.counts;
  if (model.classes.size() > 2) score.classes = CountClasses(tables.held_out, model);
  if (const auto best = Choose(*evaluation.scores, {DecisionRule::Kind::kMaxF1}))
    score.best_f1 = best->counts.F1();
  return score;
}

Estimate EstimateOf(const std::vector<FoldScore>& folds, std::optional<double> FoldScore::*member) {
  double n = 0, sum = 0, squares = 0;
  for (const FoldScore& fold : folds)
    if (fold.*member) sum += *(fold.*member), ++n;
  if (n == 0) return {};
  const double mean = sum / n;
  for (const FoldScore& fold : folds)
    if (fold.*member) squares += (*(fold.*member) - mean) * (*(fold.*member) - mean);
  if (n < 2) return {mean, std::nullopt};
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

// Lower is better. Rounded, for what differs by rounding alone (QDA in affine spaces) shall tie.
double Rank(const ComparedModel& model, Criterion criterion) {
  const Estimate estimate = criterion == Criterion::kAuc      ? model.Auc()
                            : criterion == Criterion::kBestF1 ? model.BestF1()
                                                              : model.LogLoss();
  const double sign = criterion == Criterion::kLogLoss ? 1 : -1;
  return sign * std::round(*estimate.mean * 1e9);
}

// Puts the folds' scores, or why there are none, into `model`.
void Gather(ComparedModel& model, const std::vector<std::string>& problems) {
  for (std::size_t fold = 0; fold < problems.size() && model.problem.empty(); ++fold)
    if (!problems[fold].empty())
      model.problem = fmt::format("without fold {}: {}", fold + 1, problems[fold]);
  if (model.problem.empty() && !(model.Auc().mean && model.BestF1().mean && model.LogLoss().mean))
    model.problem = "no fold holds both the positive class and another one";
  if (!model.problem.empty()) model.folds.clear();
}

int NumberOf(std::string_view setting, std::string_view name) {
  int value = 0;
  const auto [end, error] = std::from_chars(setting.data(), setting.data() + setting.size(), value);
  if (error != std::errc() || end != setting.data() + setting.size())
    throw Error(fmt::format("model kind '{}'", name),
                fmt::format("needs a number, not '{}'", setting));
  return value;
}

constexpr std::pair<LogisticOptions::Terms, std::string_view> kTerms[] = {
    {LogisticOptions::Terms::kLinear, "linear"},
    {LogisticOptions::Terms::kSquares, "squares"},
    {LogisticOptions::Terms::kQuadratic, "quadratic"}};

// "mixture:2", "histogram:16", "histogram-nb:64", "logistic:linear", or a kind alone.
void SetKind(std::string_view name, FitOptions& options) {
  const std::size_t colon = name.find(':');
  options.kind = KindFromName(name.substr(0, colon));
  if (colon == name.npos) return;
  const std::string_view setting = name.substr(colon + 1);
  if (options.kind == Kind::kMixture) {
    options.mixture.components = NumberOf(setting, name);
  } else if (IsHistogram(options.kind)) {
    options.histogram.bins = NumberOf(setting, name);
  } else if (options.kind == Kind::kLogistic) {
    const auto found = std::ranges::find(kTerms, setting, [](const auto& t) { return t.second; });
    if (found == std::end(kTerms))
      throw Error(fmt::format("model kind '{}'", name),
                  "is unknown (logistic:linear, squares or quadratic)");
    options.logistic.terms = found->first;
  } else {
    throw Error(fmt::format("model kind '{}'", name), "takes no setting");
  }
}

// The kind with its setting, as SetKind takes it.
std::string KindAndSetting(const FitOptions& options) {
  const std::string name(KindName(options.kind));
  if (options.kind == Kind::kMixture) return fmt::format("{}:{}", name, options.mixture.components);
  if (IsHistogram(options.kind)) return fmt::format("{}:{}", name, options.histogram.bins);
  if (options.kind != Kind::kLogistic) return name;
  const LogisticOptions::Terms terms = options.logistic.terms;
  return fmt::format("{}:{}", name, std::ranges::find(kTerms, terms, [](const auto& t) {
                                      return t.first;
                                    })->second);
}

}  // namespace

std::string_view CriterionName(Criterion criterion) {
  return std::ranges::find(kCriteria, criterion, [](const auto& c) { return c.first; })->second;
}

Criterion CriterionFromName(std::string_view name) {
  for (const auto& [criterion, known] : kCriteria)
    if (known == name) return criterion;
  throw Error(fmt::format("criterion '{}'", name), "is unknown (auc, f1, log-loss)");
}

std::vector<FitOptions> Candidates(const CandidateNames& names) {
  std::vector<FitOptions> candidates;
  std::set<std::string> seen;
  std::vector<bool> used(names.channels.size());
  const auto add = [&](const std::string& kind, const std::string& space,
                       const std::vector<std::string>& channels) {
    FitOptions options = names.base;
    SetKind(kind, options);
    options.features = Features(space, channels);
    const bool shrinks = (kind == "qda" || kind == "lda") && !names.shrinkages.empty();
    for (const Shrinkage& shrinkage : shrinks ? names.shrinkages : std::vector<Shrinkage>(1)) {
      options.shrinkage = shrinkage;
      if (seen.insert(CandidateName(options)).second) candidates.push_back(options);
    }
  };
  for (const std::string& kind : names.kinds)
    for (const std::string& space : names.spaces)
      for (std::size_t i = 0; i < names.channels.size(); ++i)
        for (const auto& channels : ChannelLists(space, names.channels[i])) {
          used[i] = true;
          add(kind, space, channels);
        }
  for (std::size_t i = 0; i < used.size(); ++i)
    if (!used[i])
      throw Error(fmt::format("channels '{}'", names.channels[i]),
                  fmt::format("are in none of the spaces (all, subsets, or of {})",
                              fmt::join(names.spaces, " ")));
  return candidates;
}

std::string CandidateName(const FitOptions& options) {
  std::string name = fmt::format("{} {}", KindAndSetting(options), options.features.space().name);
  if (options.features.size() < options.features.space().dimension)
    name += fmt::format(":{}", fmt::join(options.features.channel_names(), ","));
  const std::optional<double>& s = options.shrinkage.s;
  if (!s) name += " shrinkage auto";
  if (s && *s > 0) name += fmt::format(" shrinkage {}", *s);
  return name;
}

Estimate ComparedModel::Auc() const { return EstimateOf(folds, &FoldScore::auc); }
Estimate ComparedModel::BestF1() const { return EstimateOf(folds, &FoldScore::best_f1); }
Estimate ComparedModel::LogLoss() const { return EstimateOf(folds, &FoldScore::log_loss); }

double ComparedModel::Seconds() const {
  double sum = 0;
  for (const FoldScore& fold : folds) sum += fold.seconds;
  return sum / static_cast<double>(folds.size());
}

Confusion ComparedModel::PooledCounts() const {
  Confusion counts;
  for (const FoldScore& fold : folds) counts += fold.counts;
  return counts;
}

ClassCounts ComparedModel::PooledClasses() const {
  ClassCounts counts;
  for (const FoldScore& fold : folds) counts += fold.classes;
  return counts;
}

std::optional<double> ComparedModel::PooledLogLoss() const {
  double sum = 0;
  for (const FoldScore& fold : folds)
    sum += fold.log_loss.value_or(0) * static_cast<double>(fold.counts.Total());
  const std::uint64_t pixels = PooledCounts().Total();
  if (pixels == 0) return std::nullopt;
  return sum / static_cast<double>(pixels);
}

Comparison Compare(const Samples& samples, const std::vector<FitOptions>& candidates,
                   const CompareOptions& options) {
  Comparison result{Folds(samples, options.folds, options.seed), {}};
  for (const FitOptions& candidate : candidates)
    result.models.push_back({candidate, "", std::vector<FoldScore>(options.folds)});
  std::vector<FoldTables> tables(options.folds);
  for (FoldTables& fold : tables) fold.candidates_left = candidates.size();
  std::vector<std::vector<std::string>> problems(candidates.size(),
                                                 std::vector<std::string>(options.folds));
  std::mutex progress;
  std::size_t done = 0;
  std::uint64_t pixels = 0;
  const std::size_t total = candidates.size() * options.folds;
  const auto work = [&](std::size_t i) {
    const std::size_t fold = i / candidates.size(), k = i % candidates.size();
    FoldTables& its = tables[fold];
    std::call_once(its.made, [&] {
      its.training = result.folds.Training(samples, fold);
      its.held_out = result.folds.HeldOut(samples, fold);
    });
    try {
      result.models[k].folds[fold] = ScoreFold(its, candidates[k]);
    } catch (const Error& e) {
      problems[k][fold] = e.what();
    }
    const std::lock_guard lock(progress);
    pixels += result.models[k].folds[fold].counts.Total();
    if (options.progress) options.progress(++done, total, pixels);
    if (--its.candidates_left == 0) its.training = its.held_out = Samples();
  };
  // Fold after fold, whatever part of the range a thread is given, so that few tables live at once;
  // isolated, or a thread that waits within one fit would begin another, and count its time.
  std::atomic<std::size_t> next{0};
  tbb::parallel_for(
      std::size_t{0}, total,
      [&](std::size_t) {
        if (options.stop && options.stop->load()) return;
        tbb::this_task_arena::isolate([&] { work(next++); });
      },
      tbb::simple_partitioner());
  if (options.stop && options.stop->load()) return result;
  for (std::size_t k = 0; k < candidates.size(); ++k) Gather(result.models[k], problems[k]);
  const auto failed = std::ranges::stable_partition(
      result.models, [](const ComparedModel& m) { return m.problem.empty(); });
  std::stable_sort(result.models.begin(), failed.begin(),
                   [&](const ComparedModel& a, const ComparedModel& b) {
                     return Rank(a, options.select) < Rank(b, options.select);
                   });
  return result;
}

}  // namespace skinmask
