#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/parse.h"
#include "programs/cli/print.h"
#include "programs/cli/sample_source.h"
#include "programs/cli/scores_output.h"
#include "programs/cli/verb.h"
#include "skinmask/base/file.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/compare.h"
#include "skinmask/model/feature_polynomial.h"
#include "skinmask/report/picture.h"

namespace skinmask::cli {
namespace {

std::string Numbers(const FeatureVector& v) {
  std::string text;
  for (int i = 0; i < v.size(); ++i) text += fmt::format("{:>13.6g}", v(i));
  return text;
}

std::string Described(const Model& model) {
  // Without counts the parameters were not estimated from pixels.
  const std::string estimator = model.classes[0].count == 0               ? ""
                                : model.estimator == Estimator::kUnbiased ? " (unbiased)"
                                                                          : " (maximum likelihood)";
  const Histogram& h = model.histogram;
  const LogisticTerms& l = model.logistic;
  switch (model.kind) {
    case Kind::kQda:
      return "a full covariance per class" + estimator;
    case Kind::kLda:
      return "one pooled covariance" + estimator;
    case Kind::kGaussianNb:
      return "channels independent within a class" + estimator;
    case Kind::kMixture:
      return "several Gaussians per class";
    case Kind::kLogistic:
      return fmt::format("{} in {} iteration{}, ridge {}, log-likelihood {:.4f}", l.solver,
                         l.iterations, l.iterations == 1 ? "" : "s", l.ridge, l.log_likelihood);
    case Kind::kHistogramNb:
      return fmt::format("{} bins per channel, smoothing {}", h.bins, h.smoothing);
    case Kind::kHistogram:
      return fmt::format("{}^{} bins, smoothing {}", h.bins, model.features.size(), h.smoothing);
  }
  return {};
}

void PrintGaussians(const ClassModel& c) {
  for (const Gaussian& gaussian : c.gaussians()) {
    if (!c.components.empty()) Print("weight     {:>13.6f}\n", gaussian.weight);
    Print("mean       {}\n", Numbers(gaussian.mean));
    for (int i = 0; i < gaussian.covariance.rows(); ++i)
      Print("{:<11}{}\n", i == 0 ? "covariance" : "",
            Numbers(gaussian.covariance.row(i).transpose()));
  }
}

void PrintLogistic(const Model& model) {
  Print("\nlog-odds = log-odds of the priors + polynomial of the features\n");
  Print("constant   {:>13.6g}\n", model.logistic.constant);
  Print("linear     {}\n", Numbers(model.logistic.linear));
  if (model.logistic.product.empty()) return;
  Print("products   ");
  for (double p : model.logistic.product) Print("{:>13.6g}", p);
  Print("\n");
}

// c + b'f + f'A f of the channels f; -0 as 0.
void PrintPolynomial(const char* name, const FeaturePolynomial& polynomial) {
  Print("{:<11}c {:.10g}\n           b", name, polynomial.constant);
  for (const double b : polynomial.linear) Print(" {:.10g}", b + 0.);
  Print("\n");
  if (polynomial.product.isZero(0)) return;
  for (int i = 0; i < polynomial.product.rows(); ++i) {
    Print("           {}", i == 0 ? "A" : " ");
    for (const double a : polynomial.product.row(i)) Print(" {:.10g}", a + 0.);
    Print("\n");
  }
}

// Prints the boundaries on a single channel, and which side is positive.
void PrintBoundary(const Model& model, const FeaturePolynomial& log_odds) {
  const std::string channel = model.features.channel_names()[0];
  const double threshold = Logit(model.decision.threshold);
  std::vector<double> at;
  if (std::isfinite(threshold)) at = WhereItIs(log_odds, threshold);
  const auto positive = [&](double value) {
    return log_odds(FeatureVector::Constant(1, value)) > threshold;
  };
  const std::string& name = model.positive().name;
  // If the log-odds only touch the threshold, both sides are the same.
  const bool touches =
      at.size() == 1 && log_odds.product(0, 0) != 0 && positive(at[0] - 1) == positive(at[0] + 1);
  if (at.empty() || touches)
    Print("boundary   none: {} value is {}{}\n", positive(touches ? at[0] + 1 : 0) ? "every" : "no",
          name, touches && positive(at[0] + 1) ? fmt::format(" but {:.6f}", at[0]) : "");
  else if (at.size() == 1)
    Print("boundary   {} {} {:.6f}: {}\n", channel, positive(at[0] + 1) ? ">" : "<", at[0], name);
  else if (positive((at[0] + at[1]) / 2))
    Print("boundary   {:.6f} < {} < {:.6f}: {}\n", at[0], channel, at[1], name);
  else
    Print("boundary   {} < {:.6f} or {} > {:.6f}: {}\n", channel, at[0], channel, at[1], name);
  const auto [low, high] = model.features.Range();
  if (std::ranges::any_of(
          at, [&, low = low[0], high = high[0]](double v) { return v < low || v > high; }))
    Print("           ({} goes from {:g} to {:g})\n", channel, low[0], high[0]);
}

// Prints the log-odds in the form of textbooks, if they are a polynomial.
void PrintLogOdds(const Model& model) {
  const std::optional<FeaturePolynomial> log_odds = LogOddsOf(model);
  if (!log_odds) return;
  Print("\n{}log-odds of {} = c + b'f + f'A f of the channels f\n",
        model.calibration.identity() ? "" : "calibrated ", model.positive().name);
  PrintPolynomial("", *log_odds);
  if (model.features.size() == 1) PrintBoundary(model, *log_odds);
}

void PrintClass(const Model& model, std::size_t k) {
  const ClassModel& c = model.classes[k];
  Print("\nclass       {}, {}prior {:.6f}\n", c.name,
        c.count > 0 ? fmt::format("{} pixels, ", c.count) : "", c.prior);
  PrintGaussians(c);
  if (IsHistogram(model.kind)) Print("bins        {} with pixels\n", c.bins.size());
  if (!model.shrinkage.empty() && model.shrinkage[k] > 0)
    Print("shrinkage   {:.6f}\n", model.shrinkage[k]);
  if (const std::optional<FeaturePolynomial> d = DiscriminantOf(model, k))
    PrintPolynomial("delta", *d);
}

void PrintLikelihood(const Model& model) {
  double pixels = 0;
  for (const ClassModel& c : model.classes) pixels += static_cast<double>(c.count);
  const std::uint64_t parameters = FreeParameters(model);
  for (const CardScore& s : model.card.scores)
    if (s.log_likelihood)
      Print(
          "likelihood  log P(class | colour) of {}: {:.4f}, {} free parameters, AIC {:.4f}, BIC "
          "{:.4f}\n",
          s.data, *s.log_likelihood, parameters, Aic(*s.log_likelihood, parameters),
          Bic(*s.log_likelihood, parameters, pixels));
}

void PrintModel(const Model& model) {
  Print("kind        {}, {}\n", KindName(model.kind), Described(model));
  Print("features    {}: {}\n", model.features.space().name,
        fmt::join(model.features.channel_names(), " "));
  Print("decision    {} when P({}) > {:.6g} (log-odds > {:.4f}; {}{})\n", model.positive().name,
        model.positive().name, model.decision.threshold, Logit(model.decision.threshold),
        model.decision.rule, model.decision.data.empty() ? "" : " on " + model.decision.data);
  if (!model.class_costs.empty())
    Print("costs       {} (a row for each true class, a column for what it is called)\n",
          TextOfClassCosts(model.class_costs));
  for (std::size_t k = 0; k < model.classes.size(); ++k) PrintClass(model, k);
  if (model.kind == Kind::kLogistic && model.classes.size() == 2) PrintLogistic(model);
  PrintLogOdds(model);
  if (!model.calibration.identity())
    Print("\ncalibrated  {:.6f} z {:+.6f} (on {})\n", model.calibration.slope,
          model.calibration.offset, model.calibration.data);
  if (model.calibration.prior > 0)
    Print("P({}) is right where its share is {:.6f}\n", model.positive().name,
          model.calibration.prior);
  if (const AdaptedCalibration& c = model.adapted_calibration; !c.identity())
    Print(
        "\nadapted     log-odds beyond the threshold, on {}\n  faces     {}\n  divided   {}\n"
        "  neither   {}\n",
        c.data, CurveWords(c.faces), CurveWords(c.image), CurveWords(c.neither));
  Print("\n");
  if (!model.card.sha256.empty()) Print("trained on  SHA-256 {}\n", model.card.sha256);
  for (const auto& [name, text] : model.card.notes) Print("{:<11} {}\n", name, text);
  PrintLikelihood(model);
  for (const CardScore& s : model.card.scores)
    Print("score       {} at {:.6g}: precision {} recall {} F1 {} AUC {} (pooled over pixels)\n",
          s.data, s.threshold, Shown(s.precision, 4), Shown(s.recall, 4), Shown(s.f1, 4),
          Shown(s.auc, 4));
}

struct ShowFlags {
  std::string picture;
  std::vector<std::string> beside, samples, at;
  bool marginal = false;
};

// Parses texts such as "R=180".
std::vector<std::pair<std::string, double>> HeldValuesOf(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, double>> at;
  for (const std::string& text : texts) {
    const std::vector<std::string> parts = Parts(text, '=');
    const auto value = ParseNumber<double>(parts.back());
    if (parts.size() != 2 || parts[0].empty() || !value || !std::isfinite(*value))
      throw UsageError("--at '{}' is not CHANNEL=VALUE (as in R=180)", text);
    at.emplace_back(parts[0], *value);
  }
  return at;
}

void WarnOfClassesLeftOut(const Samples& samples, const Model& model, const Context& context) {
  std::vector<std::string> unknown;
  std::uint64_t pixels = 0;
  for (std::size_t k = 0; k < samples.classes().size(); ++k) {
    if (std::ranges::count(model.classes, samples.classes()[k], &ClassModel::name) > 0) continue;
    unknown.push_back("'" + samples.classes()[k] + "'");
    pixels += samples.Total(k);
  }
  if (pixels > 0 && !context.quiet)
    PrintLine(
        fmt::format("warning: --samples: {} of {} pixels are of {}, which the model lacks, "
                    "and are not drawn",
                    pixels, samples.Total(), fmt::join(unknown, ", ")));
}

std::string PictureOf(const Model& model, const ShowFlags& flags, const Context& context) {
  std::vector<Model> models{model};
  PictureOptions options{
      {ModelStem(context.model)}, HeldValuesOf(flags.at), flags.marginal, nullptr};
  for (const std::string& file : flags.beside) {
    models.push_back(LoadModel(file));
    options.names.push_back(ModelStem(file));
  }
  const Samples samples = ReadTables(flags.samples);
  if (!flags.samples.empty()) options.samples = &samples;
  AsUsage([&] { RequireHeld(model, options); });
  std::string picture = DrawModels(models, PictureFormatOf(flags.picture), options);
  WarnOfClassesLeftOut(samples, model, context);
  return picture;
}

void AddPictureOptions(CLI::App& verb, ShowFlags& flags) {
  const OptionGroup group(verb, "Picture");
  group
      .Add("--picture", flags.picture, "FILE.png|FILE.svg",
           "Draw the classes' regions, borders and ellipses, in planes of the channels")
      ->check(NamedLike({".png", ".svg"}, "a picture"));
  group.AddEach("--beside", flags.beside, "MODEL",
                "Draw these models, too, over the same axes; repeatable");
  group
      .AddEach(
          "--samples", flags.samples, "FILE",
          "Draw pixels of this table as points, or as histograms of the one channel; repeatable")
      ->transform(DashIs(kStandardInput));
  group.AddEach("--at", flags.at, "CHANNEL=VALUE",
                "Cut here the plane that does not show this channel; repeatable (default: at the "
                "positive class's mean)");
  group.AddFlag("--marginal", flags.marginal,
                "Integrate the third channel out, instead of a cut (Gaussian kinds, mixture)");
}

void RunShow(const ShowFlags& flags, Context& context) {
  HeldValuesOf(flags.at);  // throws for a wrong one before any work
  context.CheckJson();
  const NamedOutput json{context.json, "--json"}, drawn{flags.picture, "--picture"};
  RequireApart({json, drawn});
  RequireApart({json, drawn}, {context.model}, "the model");
  RequireApart({json, drawn}, flags.beside, "--beside");
  RequireApart({json, drawn}, flags.samples, "--samples");
  if (!flags.picture.empty()) RequireWritable(flags.picture, context.if_exists());
  const Model model = LoadModel(context.model);
  const std::string picture = flags.picture.empty() ? "" : PictureOf(model, flags, context);
  if (!context.json_to_stdout()) PrintModel(model);
  context.WriteJson(ModelToJson(model));
  if (!flags.picture.empty()) WriteFile(flags.picture, picture, context.if_exists());
}

}  // namespace

void AddShow(CLI::App& app, Context& context) {
  const auto [verb, flags] =
      AddVerb(app, "show", "Show a model file in words",
              "  skinmask show\n  skinmask show models/uci.json --picture regions.svg\n"
              "  skinmask show models/uci.json --marginal --picture marginal.png",
              context, RunShow);
  OptionGroup(verb, "Model")
      .Add("model,--model", context.model, "MODEL", "Model file (default: the built-in model)");
  AddPictureOptions(verb, flags);
  AddJsonOption(verb, context);
  AddForceOption(verb, context);
}

}  // namespace skinmask::cli
