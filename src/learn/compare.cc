#include "skinmask/learn/compare.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/distributions.h"
#include "base/elapsed.h"
#include "skinmask/base/error.h"
#include "skinmask/learn/decision.h"

namespace skinmask {
namespace {

struct CriterionRow {
  std::string_view name;
  std::optional<double> FoldScore::*score;
  double sign;  // makes lower scores better
};

constexpr CriterionRow kCriteria[] = {{"auc", &FoldScore::auc, -1},
                                      {"f1", &FoldScore::best_f1, -1},
                                      {"log-loss", &FoldScore::log_loss, 1},
                                      {"accuracy", &FoldScore::accuracy, -1},
                                      {"class-log-loss", &FoldScore::class_log_loss, 1}};

const CriterionRow& RowOf(Criterion criterion) {
  return kCriteria[static_cast<std::size_t>(criterion)];
}

// The two tables of one fold, made for the first model and freed after the last one.
struct FoldTables {
  std::once_flag made;
  Samples training, held_out;
  std::atomic<std::size_t> models_left{0};
};

FoldScore Judge(const Samples& held_out, const Model& model) {
  FoldScore score;
  score.parameters = FreeParameters(model);
  const Evaluation evaluation = EvaluateSamples(held_out, model);
  score.auc = evaluation.scores->Auc();
  score.log_loss = evaluation.log_loss;
  score.counts = evaluation.counts;
  score.accuracy = score.counts.Accuracy();
  score.class_log_loss = score.log_loss;
  if (CountsClasses(model)) score.classes = CountClasses(held_out, model);
  if (CountsClasses(model) || held_out.classes().size() > 2) {
    score.class_log_loss = ClassLogLoss(held_out, model);  // none: the model lacks a class
    score.accuracy = score.class_log_loss ? score.classes.Accuracy() : std::nullopt;
  }
  if (const auto best = Choose(*evaluation.scores, {DecisionRule::Kind::kMaxF1}))
    score.best_f1 = best->counts.F1();
  return score;
}

FoldScore ScoreFold(const FoldTables& tables, const ComparedModel& compared,
                    const std::atomic<bool>* stop) {
  if (compared.given) {
    Model model = compared.given->model;
    model.decision = {};
    return Judge(tables.held_out, model);
  }
  FitOptions fit = compared.options;
  fit.stop = stop;
  const Clock::time_point start = Clock::now();
  const Model model = Fit(tables.training, fit);
  const double seconds = SecondsSince(start);
  FoldScore score = Judge(tables.held_out, model);
  score.seconds = seconds;
  if (const auto loss = ClassLogLoss(tables.training, model)) {
    const auto pixels = static_cast<double>(tables.training.Total());
    score.log_likelihood = -*loss * pixels;
    score.aic = Aic(*score.log_likelihood, score.parameters);
    score.bic = Bic(*score.log_likelihood, score.parameters, pixels);
  }
  return score;
}

// The mean of one or more values; their variance, with n - 1, is defined for two or more.
std::pair<double, double> MeanAndVariance(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, squares / (n - 1)};
}

// Lower is better. Rounded, so that models whose scores differ by rounding alone (QDA in affine
// spaces) are equal.
double Rank(double mean, Criterion criterion) {
  return RowOf(criterion).sign * std::round(mean * 1e9);
}

PairedDifference DifferenceOf(const ComparedModel& model, const ComparedModel& best,
                              Criterion criterion) {
  const auto score = RowOf(criterion).score;
  std::vector<double> differences;
  for (std::size_t fold = 0; fold < model.folds.size(); ++fold)
    if (model.folds[fold].*score && best.folds[fold].*score)
      differences.push_back(*(model.folds[fold].*score) - *(best.folds[fold].*score));
  if (differences.empty()) return {};
  const auto [mean, variance] = MeanAndVariance(differences);
  const auto n = static_cast<double>(differences.size());
  if (n < 2) return {mean, std::nullopt, std::nullopt};
  // The ratio of held-out to training pixels.
  const double overlap = 1 / static_cast<double>(model.folds.size() - 1);
  const double error = std::sqrt(variance * (1 / n + overlap));
  return {mean, error, error * StudentQuantile(0.975, differences.size() - 1)};
}

// Sets the model's problem if it failed on a fold, or if a measure is defined on no fold; its
// scores are dropped then.
void Gather(ComparedModel& model, const std::vector<std::string>& problems) {
  for (std::size_t fold = 0; fold < problems.size() && model.problem.empty(); ++fold)
    if (!problems[fold].empty())
      model.problem =
          fmt::format("{} fold {}: {}", model.given ? "on" : "without", fold + 1, problems[fold]);
  if (model.problem.empty() && !model.IsScored())
    model.problem = "no fold holds both the positive class and another one";
  if (!model.problem.empty()) model.folds.clear();
}

// Runs work(0), work(1) ... on all threads. They start in this order, whatever part of the range a
// thread gets, so that few folds' tables exist at once. Isolated, because a thread that waits
// within one fit would otherwise start another fit and count its time.
template <class Work>
void ForEachInOrder(std::size_t total, const std::atomic<bool>* stop, const Work& work) {
  std::atomic<std::size_t> next{0};
  tbb::parallel_for(
      std::size_t{0}, total,
      [&](std::size_t) {
        if (stop && stop->load()) return;
        tbb::this_task_arena::isolate([&] { work(next++); });
      },
      tbb::simple_partitioner());
}

}  // namespace

std::string_view CriterionName(Criterion criterion) { return RowOf(criterion).name; }

Criterion CriterionFromName(std::string_view name) {
  const auto row = std::ranges::find(kCriteria, name, &CriterionRow::name);
  if (row != std::end(kCriteria)) return static_cast<Criterion>(row - kCriteria);
  throw Error(fmt::format("criterion '{}'", name),
              "is unknown (auc, f1, log-loss, accuracy, class-log-loss)");
}

double Aic(double log_likelihood, std::uint64_t parameters) {
  return 2 * static_cast<double>(parameters) - 2 * log_likelihood;
}

double Bic(double log_likelihood, std::uint64_t parameters, double pixels) {
  return static_cast<double>(parameters) * std::log(pixels) - 2 * log_likelihood;
}

std::string ComparedModel::Name() const { return given ? given->name : CandidateName(options); }

std::uint64_t ComparedModel::Parameters() const {
  std::uint64_t most = 0;
  for (const FoldScore& fold : folds) most = std::max(most, fold.parameters);
  return most;
}

Estimate ComparedModel::MeanOf(std::optional<double> FoldScore::*score) const {
  std::vector<double> values;
  for (const FoldScore& fold : folds)
    if (fold.*score) values.push_back(*(fold.*score));
  if (values.empty()) return {};
  const auto [mean, variance] = MeanAndVariance(values);
  if (values.size() < 2) return {mean, std::nullopt};
  return {mean, std::sqrt(variance / static_cast<double>(values.size()))};
}

Estimate ComparedModel::Of(Criterion criterion) const { return MeanOf(RowOf(criterion).score); }

bool ComparedModel::IsScored() const {
  return Of(Criterion::kAuc).mean && Of(Criterion::kBestF1).mean && Of(Criterion::kLogLoss).mean;
}

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

Comparison Unscored(const Samples& samples, const std::vector<FitOptions>& candidates,
                    const CompareOptions& options, const std::vector<GivenModel>& given) {
  Comparison result{Folds(samples, options.folds, options.seed), {}, options.select, options.seed};
  const std::vector<FoldScore> no_scores(options.folds);
  for (const FitOptions& candidate : candidates)
    result.models.push_back({candidate, "", no_scores});
  for (const GivenModel& model : given) result.models.push_back({{}, "", no_scores, model});
  return result;
}

bool ScoreModels(const Samples& samples, const CompareOptions& options, Comparison& result) {
  const std::size_t count = result.models.size();
  std::vector<FoldTables> tables(options.folds);
  for (FoldTables& fold : tables) fold.models_left = count;
  std::vector<std::vector<std::string>> problems(count, std::vector<std::string>(options.folds));
  std::mutex progress;
  std::size_t done = 0;
  std::uint64_t pixels = 0;
  const std::size_t total = count * options.folds;
  const auto work = [&](std::size_t i) {
    const std::size_t fold = i / count, k = i % count;
    FoldTables& its = tables[fold];
    std::call_once(its.made, [&] {
      its.training = result.folds.Training(samples, fold);
      its.held_out = result.folds.HeldOut(samples, fold);
    });
    try {
      result.models[k].folds[fold] = ScoreFold(its, result.models[k], options.stop);
    } catch (const Error& e) {
      problems[k][fold] = e.what();
    }
    const std::lock_guard lock(progress);
    pixels += result.models[k].folds[fold].counts.Total();
    if (options.progress) options.progress(++done, total, pixels);
    if (--its.models_left == 0) its.training = its.held_out = Samples();
  };
  ForEachInOrder(total, options.stop, work);
  if (options.stop && options.stop->load()) return false;
  for (std::size_t k = 0; k < count; ++k) Gather(result.models[k], problems[k]);
  return true;
}

void SortModels(Comparison& comparison) {
  const Criterion select = comparison.select;
  for (ComparedModel& m : comparison.models) {
    if (!m.problem.empty() || m.Of(select).mean) continue;
    m.problem = fmt::format("has no {} here: it lacks a class of the table", CriterionName(select));
    m.folds.clear();
  }
  const auto failed =
      std::stable_partition(comparison.models.begin(), comparison.models.end(),
                            [](const ComparedModel& m) { return m.problem.empty(); });
  const auto rank = [&](const ComparedModel& m) { return Rank(*m.Of(select).mean, select); };
  std::stable_sort(
      comparison.models.begin(), failed,
      [&](const ComparedModel& a, const ComparedModel& b) { return rank(a) < rank(b); });
}

Comparison Compare(const Samples& samples, const std::vector<FitOptions>& candidates,
                   const CompareOptions& options, const std::vector<GivenModel>& given) {
  Comparison result = Unscored(samples, candidates, options, given);
  if (ScoreModels(samples, options, result)) SortModels(result);
  return result;
}

std::optional<Choice> OneStandardErrorRule(const Comparison& comparison) {
  const std::vector<ComparedModel>& models = comparison.models;
  if (models.empty() || !models.front().problem.empty()) return std::nullopt;
  const Estimate best = models.front().Of(comparison.select);
  Choice choice;
  choice.limit = *best.mean + RowOf(comparison.select).sign * best.standard_error.value_or(0);
  for (std::size_t i = 0; i < models.size(); ++i) {
    const PairedDifference difference = DifferenceOf(models[i], models.front(), comparison.select);
    const bool within =
        difference.mean && Rank(*difference.mean, comparison.select) <=
                               std::round(difference.standard_error.value_or(0) * 1e9);
    choice.differences.push_back(difference);
    choice.within.push_back(within);
    if (within && models[i].Parameters() < models[choice.simplest].Parameters())
      choice.simplest = i;
  }
  return choice;
}

}  // namespace skinmask
