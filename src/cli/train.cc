#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "common.h"
#include "skinmask/file.h"

namespace skinmask::cli {
namespace {

struct Options {
  std::vector<std::string> samples;
  PairOptions pairs;
  std::string output;
  std::string kind = "qda", space = "BGR", covariance = "mle", shrinkage = "0", positive = "skin";
  std::vector<std::string> channels, priors, notes;
  DecisionOptions decision;
  PairOptions validation;
  std::string validation_name;
};

double Number(const std::string& text, const std::string& option) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError(fmt::format("{} '{}' is not a number", option, text));
  return value;
}

std::pair<std::string, std::string> KeyValue(const std::string& text, const std::string& option) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == text.npos)
    throw UsageError(fmt::format("{} '{}' is not NAME=VALUE", option, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

FitOptions FitOptionsOf(const Options& options) {
  FitOptions fit;
  fit.kind = AsUsage([&] { return KindFromName(options.kind); });
  fit.features = AsUsage([&] { return Features(options.space, options.channels); });
  if (options.covariance == "unbiased") fit.estimator = Estimator::kUnbiased;
  fit.positive = options.positive;
  fit.shrinkage.s = std::nullopt;
  if (options.shrinkage != "auto") fit.shrinkage.s = Number(options.shrinkage, "--shrinkage");
  if (fit.shrinkage.s && !(*fit.shrinkage.s >= 0 && *fit.shrinkage.s <= 1))
    throw UsageError(fmt::format("--shrinkage {} is out of range (0 to 1, or auto)", options.shrinkage));
  if (options.priors.size() == 1 && options.priors[0].find('=') == std::string::npos) {
    fit.positive_prior = Number(options.priors[0], "--prior");
    if (!(*fit.positive_prior > 0 && *fit.positive_prior < 1))
      throw UsageError("--prior is out of range (more than 0, less than 1)");
    return fit;
  }
  for (const std::string& prior : options.priors) {
    const auto [name, value] = KeyValue(prior, "--prior");
    fit.priors.emplace_back(name, Number(value, "--prior"));
  }
  double sum = 0;
  for (const auto& [name, value] : fit.priors) sum += value;
  if (!fit.priors.empty() && !(std::abs(sum - 1) < 1e-9))
    throw UsageError(fmt::format("--prior: all classes' priors sum to {}, not to 1", sum));
  return fit;
}

TrainOptions TrainOptionsOf(const Options& options) {
  TrainOptions train;
  train.fit = FitOptionsOf(options);
  train.rule = RuleOf(options.decision).value_or(DecisionRule());
  for (const std::string& note : options.notes) train.notes.push_back(KeyValue(note, "--card"));
  if (options.validation.images.empty() != options.validation.masks.empty())
    throw UsageError("--validation-images and --validation-masks belong together");
  if (options.validation.images.empty()) {
    if (!options.validation_name.empty())
      throw UsageError("--validation-name needs --validation-images");
    return train;
  }
  // Names and labels are those of the training pairs; with --samples they are the validation's own.
  train.validation = options.pairs;
  train.validation->images = options.validation.images;
  train.validation->masks = options.validation.masks;
  train.validation->whole_class.clear();
  train.validation_name = options.validation_name;
  if (train.validation_name.empty())
    train.validation_name = options.validation.images.filename().string();
  return train;
}

void RunTrain(const Options& options, Context& context) {
  CheckSource(options.samples, options.pairs, "--masks", !options.validation.images.empty());
  CheckPairOptions(options.pairs);
  const TrainOptions train = TrainOptionsOf(options);
  RequireWritable(options.output, context.overwrite());
  const Run run = context.StartRun("images");
  PairOptions pairs = options.pairs;
  pairs.groups = false;
  const Samples samples =
      options.samples.empty() ? CollectSamples(pairs, run) : ReadAllSamples(options.samples);
  if (StopFlag()) return;
  const Model model = Train(samples, train, run);
  if (StopFlag()) return;
  WriteFile(options.output, ModelToJson(model), context.overwrite());
  context.WriteJson(ModelToJson(model));
  if (context.quiet) return;
  const CardScore& score = model.card.scores.back();
  fmt::print(stderr, "{} in {} from {} pixels; threshold {:.6g} ({}), F1 {:.4f} on {}\n",
             KindName(model.kind), model.features.space().name, samples.Total(),
             model.decision.threshold, model.decision.rule, score.f1.value_or(0), score.data);
}

void AddModelFlags(CLI::App& verb, Options& options) {
  const std::string group = "Model";
  verb.add_option("--kind", options.kind, "qda, lda or gaussian-nb")
      ->group(group)
      ->type_name("KIND")
      ->capture_default_str();
  verb.add_option("--space", options.space,
                  "Colour space: BGR YCrCb YUV YIQ YCgCo opponent I1I2I3 rg HSV Lab Luv")
      ->group(group)
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--channels", options.channels, "Channels of it to use (default: all)")
      ->group(group)
      ->delimiter(',')
      ->type_name("A,B");
  verb.add_option("--covariance", options.covariance, "mle (divide by n) or unbiased (n - 1)")
      ->group(group)
      ->check(CLI::IsMember({"mle", "unbiased"}))
      ->type_name("ESTIMATOR")
      ->capture_default_str();
  verb.add_option("--shrinkage", options.shrinkage,
                  "Draw covariances towards their diagonal: 0 (not) to 1 (wholly), or auto "
                  "(Ledoit and Wolf)")
      ->group(group)
      ->type_name("S|auto")
      ->capture_default_str();
  verb.add_option("--prior", options.priors,
                  "Prior P(skin), or NAME=P for every class (default: shares of the samples)")
      ->group(group)
      ->allow_extra_args(false)
      ->type_name("P");
  verb.add_option("--positive", options.positive, "The class that masks show")
      ->group(group)
      ->type_name("CLASS")
      ->capture_default_str();
}

void AddDecisionFlags(CLI::App& verb, Options& options) {
  const std::string group = "Decision";
  AddDecisionOptions(verb, options.decision, "0.5");
  verb.add_option("--validation-images", options.validation.images,
                  "Images to choose the threshold on and to score the model with (default: the "
                  "training samples)")
      ->group(group)
      ->type_name("DIR");
  verb.add_option("--validation-masks", options.validation.masks, "Their masks")
      ->group(group)
      ->type_name("DIR");
  verb.add_option("--validation-name", options.validation_name,
                  "What the card calls them (default: the folder's name)")
      ->group(group)
      ->type_name("NAME");
}

}  // namespace

void AddTrain(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = AddVerb(app, "train", "Train a model from labelled pixels or image + mask pairs",
                           "  skinmask train --samples Skin_NonSkin.txt -o model.json\n"
                           "  skinmask train --images photos --masks masks --kind lda --space YCrCb "
                           "--max-f1 -o model.json",
                           context);
  verb->add_option("--samples", options->samples, "Tables of labelled pixels")->type_name("FILE");
  verb->add_option("--images", options->pairs.images, "Folder of images")->type_name("DIR");
  verb->add_option("--masks", options->pairs.masks, "Folder of their masks")->type_name("DIR");
  verb->add_option("-o", options->output, "Model file to write")->required()->type_name("FILE");
  verb->add_option("--card", options->notes, "Note for the model's card; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME=TEXT");
  AddModelFlags(*verb, *options);
  AddDecisionFlags(*verb, *options);
  AddPairOptions(*verb, options->pairs);
  AddForceOption(*verb, context);
  AddJsonOption(*verb, context);
  verb->callback([options, &context] {
    context.action = [options](Context& c) { RunTrain(*options, c); };
  });
}

}  // namespace skinmask::cli
