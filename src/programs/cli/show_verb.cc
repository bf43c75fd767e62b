#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "programs/cli/curve_words.h"
#include "programs/cli/print.h"
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
  for (int i = 0; i < v.size(); ++i) text += fmt::format("{:>11.4f}", v(i));
  return text;
}

std::string Described(const Model& model) {
  const std::string estimator =
      model.estimator == Estimator::kUnbiased ? " (unbiased)" : " (maximum likelihood)";
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
    if (!c.components.empty()) Print("weight     {:>11.6f}\n", gaussian.weight);
    Print("mean       {}\n", Numbers(gaussian.mean));
    for (int i = 0; i < gaussian.covariance.rows(); ++i)
      Print("{:<11}{}\n", i == 0 ? "covariance" : "",
            Numbers(gaussian.covariance.row(i).transpose()));
  }
}

void PrintLogistic(const Model& model) {
  Print("\nlog-odds = log-odds of the priors + polynomial of the features\n");
  Print("constant   {:>11.4f}\n", model.logistic.constant);
  Print("linear     {}\n", Numbers(model.logistic.linear));
  if (model.logistic.product.empty()) return;
  Print("products   ");
  for (double p : model.logistic.product) Print("{:>11.6f}", p);
  Print("\n");
}

// c + b'f + f'A f of the channels f.
void PrintPolynomial(const char* name, const FeaturePolynomial& polynomial) {
  Print("{:<11}c {:.10g}\n           b", name, polynomial.constant);
  for (const double b : polynomial.linear) Print(" {:.10g}", b);
  Print("\n");
  if (polynomial.product.isZero(0)) return;
  for (int i = 0; i < polynomial.product.rows(); ++i) {
    Print("           {}", i == 0 ? "A" : " ");
    for (const double a : polynomial.product.row(i)) Print(" {:.10g}", a);
    Print("\n");
  }
}

// Where one channel is divided, and which side is positive.
void PrintBoundary(const Model& model, const FeaturePolynomial& log_odds) {
  const std::string channel = model.features.channel_names()[0];
  const double threshold = Logit(model.decision.threshold);
  const std::vector<double> at = WhereItIs(log_odds, threshold);
  const auto positive = [&](double value) {
    return log_odds(FeatureVector::Constant(1, value)) > threshold;
  };
  const std::string& name = model.positive().name;
  if (at.empty())
    Print("boundary   none: {} value is {}\n", positive(0) ? "every" : "no", name);
  else if (at.size() == 1)
    Print("boundary   {} {} {:.6f}: {}\n", channel, positive(at[0] + 1) ? ">" : "<", at[0], name);
  else if (positive((at[0] + at[1]) / 2))
    Print("boundary   {:.6f} < {} < {:.6f}: {}\n", at[0], channel, at[1], name);
  else
    Print("boundary   {} < {:.6f} or {} > {:.6f}: {}\n", channel, at[0], channel, at[1], name);
}

// As textbooks write them, where they are polynomials.
void PrintLogOdds(const Model& model) {
  const std::optional<FeaturePolynomial> log_odds = LogOddsOf(model);
  if (!log_odds) return;
  Print("\nlog-odds of {} = c + b'f + f'A f of the channels f\n", model.positive().name);
  PrintPolynomial("", *log_odds);
  if (model.features.size() == 1) PrintBoundary(model, *log_odds);
}

void PrintClass(const Model& model, std::size_t k) {
  const ClassModel& c = model.classes[k];
  Print("\nclass       {}, {} pixels, prior {:.6f}\n", c.name, c.count, c.prior);
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
  for (std::size_t k = 0; k < model.classes.size(); ++k) PrintClass(model, k);
  if (model.kind == Kind::kLogistic && model.classes.size() == 2) PrintLogistic(model);
  PrintLogOdds(model);
  if (!model.calibration.identity())
    Print("\ncalibrated  {:.6f} z {:+.6f} (on {})\n", model.calibration.slope,
          model.calibration.offset, model.calibration.data);
  if (const AdaptedCalibration& c = model.adapted_calibration; !c.identity())
    Print(
        "\nadapted     log-odds beyond the threshold, on {}\n  faces     {}\n  divided   {}\n"
        "  neither   {}\n",
        c.data, CurveWords(c.faces), CurveWords(c.image), CurveWords(c.neither));
  Print("\ntrained on  SHA-256 {}\n", model.card.sha256);
  for (const auto& [name, text] : model.card.notes) Print("{:<11} {}\n", name, text);
  PrintLikelihood(model);
  for (const CardScore& s : model.card.scores)
    Print("score       {} at {:.6g}: precision {} recall {} F1 {} AUC {} (pooled over pixels)\n",
          s.data, s.threshold, Shown(s.precision, 4), Shown(s.recall, 4), Shown(s.f1, 4),
          Shown(s.auc, 4));
}

PictureFormat FormatOf(const std::string& picture) {
  return ExtensionOf(picture) == ".svg" ? PictureFormat::kSvg : PictureFormat::kPng;
}

}  // namespace

void AddShow(CLI::App& app, Context& context) {
  CLI::App* verb =
      AddVerb(app, "show", "Show a model file in words",
              "  skinmask show\n  skinmask show models/uci.json --picture regions.svg", context);
  const auto picture = std::make_shared<std::string>();
  OptionGroup(*verb, "Model")
      .Add("model,--model", context.model, "MODEL", "Model file (default: the built-in model)");
  OptionGroup(*verb, "Output")
      .Add("--picture", *picture, "FILE.png|FILE.svg",
           "Draw the classes' regions, borders and ellipses, in planes of the channels")
      ->check(NamedLike({".png", ".svg"}, "a picture"));
  AddJsonOption(*verb, context);
  AddForceOption(*verb, context);
  verb->callback([picture, &context] {
    context.action = [picture](Context& c) {
      if (!picture->empty()) RequireWritable(*picture, c.if_exists());
      const Model model = c.LoadModel();
      if (!c.json_to_stdout()) PrintModel(model);
      c.WriteJson(ModelToJson(model));
      if (!picture->empty())
        WriteFile(*picture, DrawModel(model, FormatOf(*picture)), c.if_exists());
    };
  });
}

}  // namespace skinmask::cli
