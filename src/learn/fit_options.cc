#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/nearest.h"
#include "base/parse.h"
#include "skinmask/base/error.h"
#include "skinmask/learn/fit.h"
#include "skinmask/model/mixture.h"

namespace skinmask {
namespace {

using Terms = LogisticOptions::Terms;
using Solver = LogisticOptions::Solver;

constexpr std::pair<Terms, std::string_view> kTerms[] = {
    {Terms::kLinear, "linear"}, {Terms::kSquares, "squares"}, {Terms::kQuadratic, "quadratic"}};

constexpr std::pair<Solver, std::string_view> kSolvers[] = {
    {Solver::kNewton, "newton"}, {Solver::kGradient, "gradient"}, {Solver::kSgd, "sgd"}};

constexpr double kAny = std::numeric_limits<double>::infinity();

// A comma may end the list.
std::vector<std::string> Listed(std::string_view text) {
  std::vector<std::string> words = Parts(text, ',');
  if (words.back().empty()) words.pop_back();
  return words;
}

// Splits "CLASS=VALUE"; the class is empty if there is only a value.
template <class Number>
std::pair<std::string, Number> NumberOfClass(const std::string& word, const char* option) {
  const std::size_t equals = word.find('=');
  const auto number =
      ParseNumber<Number>(equals == word.npos ? word : std::string_view(word).substr(equals + 1));
  if (!number || equals == 0)
    throw Error(fmt::format("`{}` '{}'", option, word),
                fmt::format("is no {0}number, nor CLASS and a {0}number",
                            std::is_integral_v<Number> ? "whole " : ""));
  return {equals == word.npos ? "" : word.substr(0, equals), *number};
}

// True if one of these pairs of a class and its number is of that class.
template <class Number>
bool IsNamed(const std::vector<std::pair<std::string, Number>>& of_class, const std::string& name) {
  return std::ranges::find(of_class, name, &std::pair<std::string, Number>::first) !=
         of_class.end();
}

std::string SpaceOf(const FitOptions& options) {
  return std::string(options.features.space().name);
}
void SetSpace(FitOptions& options, const std::string& text) { options.features = {text, {}}; }

std::string ChannelsOf(const FitOptions& options) {
  const std::vector<std::string> channels = options.features.channel_names();
  const bool all = static_cast<int>(channels.size()) == options.features.space().dimension;
  return all ? "" : fmt::format("{}", fmt::join(channels, ","));
}
void SetChannels(FitOptions& options, const std::string& text) {
  options.features = {SpaceOf(options), Listed(text)};
}

std::string ShrinkageOf(const Shrinkage& shrinkage) {
  return shrinkage.s ? OptionText(*shrinkage.s) : "auto";
}
Shrinkage ShrinkageFrom(const std::string& text) {
  if (text == "auto") return {std::nullopt};
  const auto s = ParseNumber<double>(text);
  if (s && *s >= 0 && *s <= 1) return {*s};
  throw Error(fmt::format("`shrinkage` {}", text), "is out of range (0 to 1, or auto)");
}

std::string PriorOf(const FitOptions& options) {
  if (options.positive_prior) return OptionText(*options.positive_prior);
  std::string text;
  for (const auto& [name, p] : options.priors)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, p);
  return text;
}
void SetPrior(FitOptions& options, const std::string& text) {
  options.positive_prior.reset();
  options.priors.clear();
  double sum = 0;
  for (const std::string& word : Listed(text)) {
    const auto [name, p] = NumberOfClass<double>(word, "prior");
    sum += p;
    if (!name.empty() && IsNamed(options.priors, name))
      throw Error(fmt::format("`prior` {}", text), "names class " + name + " twice");
    if (name.empty() && word != text)
      throw Error(fmt::format("`prior` {}", word),
                  "is of no class (one number, or NAME=P for every class)");
    if (!(p > 0 && p < 1))
      throw Error(fmt::format("`prior` {}", word), "is out of range (more than 0, less than 1)");
    if (name.empty() && 1 - p == 1)
      throw Error(fmt::format("`prior` {}", word),
                  "is too small: the other classes' would be 1 (1e-16 or more)");
    if (name.empty())
      options.positive_prior = p;  // the rest is for the other classes
    else
      options.priors.emplace_back(name, p);
  }
  if (!options.priors.empty() && !(std::abs(sum - 1) < 1e-9))
    throw Error("`prior`", fmt::format("all classes' priors sum to {}, not to 1", sum));
}

std::string TextOfComponents(const FitOptions& options) {
  std::string text = std::to_string(options.mixture.components);
  for (const auto& [name, count] : options.mixture.of_class)
    text += fmt::format(",{}={}", name, count);
  return text;
}
void SetComponents(FitOptions& options, const std::string& text) {
  auto& of_class = options.mixture.of_class;
  of_class.clear();
  bool for_all = false;
  for (const std::string& word : Listed(text)) {
    const auto [name, count] = NumberOfClass<int>(word, "components");
    if (count < 1) throw Error(fmt::format("`components` {}", word), "is less than 1");
    if (count > static_cast<int>(CompiledMixture::kMaxComponents))
      throw Error(fmt::format("`components` {}", word),
                  fmt::format("is more than {}", CompiledMixture::kMaxComponents));
    if (name.empty() ? for_all : IsNamed(of_class, name))
      throw Error(fmt::format("`components` {}", text),
                  name.empty() ? "has two numbers without a class (N for all, or NAME=N)"
                               : "names class " + name + " twice");
    if (name.empty())
      options.mixture.components = count;
    else
      of_class.emplace_back(name, count);
    for_all = for_all || name.empty();
  }
}

// For two kinds of models, whose defaults differ; a value that the user sets is for both.
std::string IterationsOf(const FitOptions& options) {
  return options.logistic.iterations ? std::to_string(*options.logistic.iterations) : "";
}
void SetIterations(FitOptions& options, const std::string& text) {
  const auto most = ParseNumber<int>(text);
  if (!most || *most < 1)
    throw Error("`iterations`", fmt::format("'{}' is no number above 0", text));
  options.logistic.iterations = options.mixture.iterations = *most;
}
std::string ToleranceOf(const FitOptions& options) {
  const bool same = options.logistic.tolerance == options.mixture.tolerance;
  return same ? OptionText(options.mixture.tolerance) : "";
}
void SetTolerance(FitOptions& options, const std::string& text) {
  const auto tolerance = ParseNumber<double>(text);
  if (!tolerance || !(*tolerance >= 0) || std::isinf(*tolerance))
    throw Error("`tolerance`", fmt::format("'{}' is no number from 0 up", text));
  options.logistic.tolerance = options.mixture.tolerance = *tolerance;
}

std::string SeedOf(const std::uint64_t& seed) { return std::to_string(seed); }
std::uint64_t SeedFrom(const std::string& text) {
  if (const auto seed = ParseNumber<std::uint64_t>(text)) return *seed;
  throw Error("`seed`", fmt::format("'{}' is no whole number from 0 up", text));
}

std::string TextOfKind(const Kind& kind) { return std::string(KindName(kind)); }
Kind KindFrom(const std::string& text) { return KindFromName(text); }

OptionTable<LogisticOptions> LogisticTable() {
  using O = LogisticOptions;
  return {Option("terms", &O::terms, kTerms)
              .Shown("features", "Model", "linear|squares|quadratic",
                     "logistic: polynomial of the channels: linear, squares (and linear), "
                     "quadratic (all)")
              .OfKinds({"logistic"}),
          Option("ridge", &O::ridge, 0, kAny)
              .Shown("ridge", "Model", "L",
                     "logistic: penalty L/2 |w|^2 on the mean log-likelihood, w of standardised "
                     "channels and their products")
              .OfKinds({"logistic"}),
          Option("solver", &O::solver, kSolvers)
              .Shown("solver", "Model", "newton|gradient|sgd",
                     "logistic: newton, gradient or sgd (stochastic)")
              .OfKinds({"logistic"}),
          Option("step", &O::step, OptionRange{0, kAny, true})
              .Shown("rate", "Model", "R", "gradient, sgd: step size (default: 1, 0.1)")
              .OfKinds({"logistic"})};
}

OptionTable<MixtureOptions> MixtureTable() {
  return {Option("seed", &MixtureOptions::seed, SeedOf, SeedFrom)
              .Shown("seed", "Model", "N", "mixture: where its random start begins")
              .OfKinds({"mixture"})};
}

OptionTable<Histogram> HistogramTable() {
  using O = Histogram;
  return {Option("bins", &O::bins, 2, 256)
              .Shown("bins", "Model", "B", "histogram, histogram-nb: bins per channel, 2 to 256")
              .OfKinds({"histogram-nb", "histogram"}),
          Option("smoothing", &O::smoothing, OptionRange{O::kMinSmoothing, O::kMaxSmoothing})
              .Shown("smoothing", "Model", "A",
                     "histogram, histogram-nb: pixels in every bin beforehand (Laplace), more than "
                     "0")
              .OfKinds({"histogram-nb", "histogram"})};
}

}  // namespace

const OptionTable<FitOptions>& FitTable() {
  using O = FitOptions;
  static const OptionTable<O> table{
      Option("kind", &O::kind, TextOfKind, KindFrom)
          .Shown("kind", "Model", "KIND",
                 "qda, lda, gaussian-nb, mixture, logistic, histogram-nb or histogram"),
      Option("features.space", SpaceOf, SetSpace)
          .Shown("space", "Model", "SPACE",
                 "Colour space: BGR YCrCb YUV YIQ YCgCo opponent I1I2I3 rg HSV Lab Luv"),
      Option("features.channels", ChannelsOf, SetChannels)
          .Shown("channels", "Model", "CHANNEL,CHANNEL", "Channels of it to use (default: all)")
          .List(),
      Option("estimator", &O::estimator, kEstimatorNames)
          .Shown("covariance", "Model", "mle|unbiased", "mle (divide by n) or unbiased (n - 1)")
          .OfKinds({"qda", "lda", "gaussian-nb"}),
      Option("shrinkage", &O::shrinkage, ShrinkageOf, ShrinkageFrom)
          .Shown("shrinkage", "Model", "S|auto",
                 "Draw covariances towards their diagonal: 0 (not) to 1 (wholly), or auto (Ledoit "
                 "and Wolf)")
          .OfKinds({"qda", "lda"}),
      Option("prior", PriorOf, SetPrior)
          .Shown("prior", "Model", "P",
                 "Prior P(skin), or NAME=P for every class (default: shares of the samples)")
          .List(),
      Option("class_costs", &O::class_costs, TextOfClassCosts, ClassCostsFrom)
          .Shown("class_costs", "Model", "C,C:C,C",
                 "What calling one class another costs, a row for each true class and a column for "
                 "what it is called, in the order of the model's classes, the positive one first: "
                 "output classes calls what costs least (default: 1 for every error)"),
      Option("positive", &O::positive)
          .Shown("positive", "Model", "CLASS", "The class that masks show"),
      Option("mixture.components", TextOfComponents, SetComponents)
          .Shown("components", "Model", "N",
                 "mixture: Gaussians per class, N or CLASS=N (default: 4)")
          .List()
          .OfKinds({"mixture"}),
      {"logistic.", &O::logistic, LogisticTable()},
      Option("iterations", IterationsOf, SetIterations)
          .Shown("iterations", "Model", "N",
                 "At most (default: newton 50, gradient 10000, sgd 50 passes, mixture 1000)")
          .OfKinds({"logistic", "mixture"}),
      Option("tolerance", ToleranceOf, SetTolerance)
          .Shown("tolerance", "Model", "T",
                 "Stop when the log-likelihood changes less: logistic by its share (default: "
                 "1e-9), mixture a pixel (1e-7)")
          .OfKinds({"logistic", "mixture"}),
      {"mixture.", &O::mixture, MixtureTable()},
      {"histogram.", &O::histogram, HistogramTable()}};
  return table;
}

std::string_view TermsName(Terms wanted) { return NameIn(kTerms, wanted); }
Terms TermsFromName(std::string_view name) { return FromNameIn(kTerms, "terms", name); }

std::string_view SolverName(Solver wanted) { return NameIn(kSolvers, wanted); }

}  // namespace skinmask
