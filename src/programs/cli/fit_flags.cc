#include "programs/cli/fit_flags.h"

#include <fmt/format.h>

#include <cmath>

#include "base/parse.h"
#include "programs/cli/option_checks.h"
#include "programs/cli/usage_error.h"
#include "programs/cli/verb.h"

namespace skinmask::cli {
namespace {

// The number that the text is; `wanted` ends the line about others.
template <class T>
T NumberOf(const std::string& text, const std::string& option, const std::string& wanted) {
  if (const auto number = ParseNumber<T>(text)) return *number;
  throw UsageError(fmt::format("{} '{}' is not {}", option, text, wanted));
}

double Number(const std::string& text, const std::string& option) {
  return NumberOf<double>(text, option, "a number");
}

int Whole(const std::string& text, const std::string& option) {
  return NumberOf<int>(text, option, "a whole number");
}

// What the kinds beyond the Gaussian ones take.
void SetFurther(const FitFlags& flags, FitOptions& fit) {
  LogisticOptions& logistic = fit.logistic;
  logistic.terms = TermsFromName(flags.terms);
  logistic.solver = SolverFromName(flags.solver);
  logistic.ridge = flags.ridge;
  logistic.step = flags.rate;
  logistic.iterations = flags.iterations;
  if (flags.tolerance) logistic.tolerance = fit.mixture.tolerance = *flags.tolerance;
  if (flags.iterations) fit.mixture.iterations = *flags.iterations;
  fit.mixture.seed = flags.seed;
  fit.histogram = {flags.bins, flags.smoothing};
  for (const std::string& text : flags.components) {
    if (text.find('=') == text.npos) {
      fit.mixture.components = Whole(text, "--components");
    } else {
      const auto [name, count] = KeyValue(text, "--components");
      fit.mixture.of_class.emplace_back(name, Whole(count, "--components"));
    }
  }
  for (const int count : {fit.mixture.components,
                          fit.mixture.of_class.empty() ? 1 : fit.mixture.of_class.back().second})
    if (count < 1) throw UsageError(fmt::format("--components {} is less than 1", count));
}

void SetPriors(const FitFlags& flags, FitOptions& fit) {
  if (flags.priors.size() == 1 && flags.priors[0].find('=') == std::string::npos) {
    fit.positive_prior = Number(flags.priors[0], "--prior");
    if (!(*fit.positive_prior > 0 && *fit.positive_prior < 1))
      throw UsageError("--prior is out of range (more than 0, less than 1)");
    return;
  }
  for (const std::string& prior : flags.priors) {
    const auto [name, value] = KeyValue(prior, "--prior");
    fit.priors.emplace_back(name, Number(value, "--prior"));
  }
  double sum = 0;
  for (const auto& [name, value] : fit.priors) sum += value;
  if (!fit.priors.empty() && !(std::abs(sum - 1) < 1e-9))
    throw UsageError(fmt::format("--prior: all classes' priors sum to {}, not to 1", sum));
}

void AddGaussianFlags(const OptionGroup& group, FitFlags& flags) {
  group.AddDefault("--kind", flags.kind, "KIND",
                   "qda, lda, gaussian-nb, mixture, logistic, histogram-nb or histogram");
  group.AddDefault("--space", flags.space, "SPACE",
                   "Colour space: BGR YCrCb YUV YIQ YCgCo opponent I1I2I3 rg HSV Lab Luv");
  group
      .Add("--channels", flags.channels, "CHANNEL,CHANNEL", "Channels of it to use (default: all)")
      ->delimiter(',');
  group.AddChoice("--covariance", flags.covariance, WordsOf(EstimatorNames()),
                  "mle (divide by n) or unbiased (n - 1)");
  group.AddDefault("--shrinkage", flags.shrinkage, "S|auto",
                   "Draw covariances towards their diagonal: 0 (not) to 1 (wholly), or auto "
                   "(Ledoit and Wolf)");
  group
      .Add("--prior", flags.priors, "P",
           "Prior P(skin), or NAME=P for every class (default: shares of the samples)")
      ->allow_extra_args(false);
  group.AddDefault("--positive", flags.positive, "CLASS", "The class that masks show");
}

void AddMixtureFlags(const OptionGroup& group, FitFlags& flags) {
  group
      .Add("--components", flags.components, "N",
           "mixture: Gaussians per class, N or CLASS=N (default: 4)")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void AddLogisticFlags(const OptionGroup& group, FitFlags& flags) {
  group.AddChoice(
      "--features", flags.terms, WordsOf(TermsNames()),
      "logistic: polynomial of the channels: linear, squares (and linear), quadratic (all)");
  group
      .AddDefault("--ridge", flags.ridge, "L",
                  "logistic: penalty L/2 |w|^2 on the mean log-likelihood, standardised features")
      ->check(NotNegative());
  group.AddChoice("--solver", flags.solver, WordsOf(SolverNames()),
                  "logistic: newton, gradient or sgd (stochastic)");
  group.Add("--rate", flags.rate, "R", "gradient, sgd: step size (default: 1, 0.1)")
      ->check(Positive());
}

void AddIterationFlags(const OptionGroup& group, FitFlags& flags) {
  group
      .Add("--iterations", flags.iterations, "N",
           "At most (default: newton 50, gradient 10000, sgd 50 passes, mixture 200)")
      ->check(Positive());
  group
      .Add("--tolerance", flags.tolerance, "T",
           "Stop when the log-likelihood gains less, relatively (default: logistic 1e-9, mixture "
           "1e-7)")
      ->check(NotNegative());
  group.AddDefault("--seed", flags.seed, "N", "mixture: where its random start begins");
}

void AddHistogramFlags(const OptionGroup& group, FitFlags& flags) {
  group
      .AddDefault("--bins", flags.bins, "B", "histogram, histogram-nb: bins per channel, 2 to 256")
      ->check(Within(2, 256));
  group
      .AddDefault("--smoothing", flags.smoothing, "A",
                  "histogram, histogram-nb: pixels in every bin beforehand (Laplace), more than 0")
      ->check(Positive() & Within(0., Histogram::kMaxSmoothing));
}

}  // namespace

void AddFitFlags(CLI::App& verb, FitFlags& flags) {
  const OptionGroup group(verb, "Model");
  AddGaussianFlags(group, flags);
  AddMixtureFlags(group, flags);
  AddLogisticFlags(group, flags);
  AddIterationFlags(group, flags);
  AddHistogramFlags(group, flags);
}

std::pair<std::string, std::string> KeyValue(const std::string& text, const std::string& option) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == text.npos)
    throw UsageError(fmt::format("{} '{}' is not NAME=VALUE", option, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

FitOptions FitOptionsOf(const FitFlags& flags) {
  FitOptions fit;
  fit.kind = AsUsage([&] { return KindFromName(flags.kind); });
  fit.features = AsUsage([&] { return Features(flags.space, flags.channels); });
  fit.estimator = EstimatorFromName(flags.covariance);
  fit.positive = flags.positive;
  fit.shrinkage.s = std::nullopt;
  if (flags.shrinkage != "auto") fit.shrinkage.s = Number(flags.shrinkage, "--shrinkage");
  if (fit.shrinkage.s && !(*fit.shrinkage.s >= 0 && *fit.shrinkage.s <= 1))
    throw UsageError(
        fmt::format("--shrinkage {} is out of range (0 to 1, or auto)", flags.shrinkage));
  SetFurther(flags, fit);
  SetPriors(flags, fit);
  return fit;
}

}  // namespace skinmask::cli
