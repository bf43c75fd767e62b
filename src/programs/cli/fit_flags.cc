#include "programs/cli/fit_flags.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace skinmask::cli {
namespace {

double Number(const std::string& text, const std::string& option) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError(fmt::format("{} '{}' is not a number", option, text));
  return value;
}

int Whole(const std::string& text, const std::string& option) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError(fmt::format("{} '{}' is not a whole number", option, text));
  return value;
}

// What the kinds beyond the Gaussian ones take.
void SetFurther(const FitFlags& flags, FitOptions& fit) {
  using Terms = LogisticOptions::Terms;
  using Solver = LogisticOptions::Solver;
  LogisticOptions& logistic = fit.logistic;
  logistic.terms = flags.terms == "linear"    ? Terms::kLinear
                   : flags.terms == "squares" ? Terms::kSquares
                                              : Terms::kQuadratic;
  logistic.solver = flags.solver == "newton"     ? Solver::kNewton
                    : flags.solver == "gradient" ? Solver::kGradient
                                                 : Solver::kSgd;
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

void AddGaussianFlags(CLI::App& verb, FitFlags& flags) {
  const std::string group = "Model";
  verb.add_option("--kind", flags.kind,
                  "qda, lda, gaussian-nb, mixture, logistic, histogram-nb or histogram")
      ->group(group)
      ->type_name("KIND")
      ->capture_default_str();
  verb.add_option("--space", flags.space,
                  "Colour space: BGR YCrCb YUV YIQ YCgCo opponent I1I2I3 rg HSV Lab Luv")
      ->group(group)
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--channels", flags.channels, "Channels of it to use (default: all)")
      ->group(group)
      ->delimiter(',')
      ->type_name("A,B");
  verb.add_option("--covariance", flags.covariance, "mle (divide by n) or unbiased (n - 1)")
      ->group(group)
      ->check(CLI::IsMember({"mle", "unbiased"}))
      ->type_name("ESTIMATOR")
      ->capture_default_str();
  verb.add_option("--shrinkage", flags.shrinkage,
                  "Draw covariances towards their diagonal: 0 (not) to 1 (wholly), or auto "
                  "(Ledoit and Wolf)")
      ->group(group)
      ->type_name("S|auto")
      ->capture_default_str();
  verb.add_option("--prior", flags.priors,
                  "Prior P(skin), or NAME=P for every class (default: shares of the samples)")
      ->group(group)
      ->allow_extra_args(false)
      ->type_name("P");
  verb.add_option("--positive", flags.positive, "The class that masks show")
      ->group(group)
      ->type_name("CLASS")
      ->capture_default_str();
}

void AddFurtherFlags(CLI::App& verb, FitFlags& flags) {
  const std::string group = "Model";
  verb.add_option("--components", flags.components,
                  "mixture: Gaussians per class, N or CLASS=N (default: 4)")
      ->group(group)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N");
  verb.add_option(
          "--features", flags.terms,
          "logistic: polynomial of the channels: linear, squares (and linear), quadratic (all)")
      ->group(group)
      ->check(CLI::IsMember({"linear", "squares", "quadratic"}))
      ->type_name("TERMS")
      ->capture_default_str();
  verb.add_option("--ridge", flags.ridge,
                  "logistic: penalty L/2 |w|^2 on the mean log-likelihood, standardised features")
      ->group(group)
      ->check(NotNegative())
      ->type_name("L")
      ->capture_default_str();
  verb.add_option("--solver", flags.solver, "logistic: newton, gradient or sgd (stochastic)")
      ->group(group)
      ->check(CLI::IsMember({"newton", "gradient", "sgd"}))
      ->type_name("SOLVER")
      ->capture_default_str();
  verb.add_option("--rate", flags.rate, "gradient, sgd: step size (default: 1, 0.1)")
      ->group(group)
      ->check(Positive())
      ->type_name("R");
  verb.add_option("--iterations", flags.iterations,
                  "At most (default: newton 50, gradient 10000, sgd 50 passes, mixture 200)")
      ->group(group)
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  verb.add_option(
          "--tolerance", flags.tolerance,
          "Stop when the log-likelihood gains less, relatively (default: logistic 1e-9, mixture "
          "1e-7)")
      ->group(group)
      ->check(NotNegative())
      ->type_name("T");
  verb.add_option("--seed", flags.seed, "mixture: where its random start begins")
      ->group(group)
      ->type_name("N")
      ->capture_default_str();
  verb.add_option("--bins", flags.bins, "histogram, histogram-nb: bins per channel, 2 to 256")
      ->group(group)
      ->check(CLI::Range(2, 256))
      ->type_name("B")
      ->capture_default_str();
  verb.add_option("--smoothing", flags.smoothing,
                  "histogram, histogram-nb: pixels in every bin beforehand (Laplace), more than 0")
      ->group(group)
      ->check(Positive() & CLI::Range(0., Histogram::kMostSmoothing))
      ->type_name("A")
      ->capture_default_str();
}

}  // namespace

void AddFitFlags(CLI::App& verb, FitFlags& flags) {
  AddGaussianFlags(verb, flags);
  AddFurtherFlags(verb, flags);
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
  if (flags.covariance == "unbiased") fit.estimator = Estimator::kUnbiased;
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
