#include <filesystem>

#include "base/folder.h"
#include "programs/cli/print.h"
#include "programs/cli/sample_source.h"
#include "programs/cli/verb.h"
#include "skinmask/base/file.h"
#include "skinmask/media/inputs.h"
#include "skinmask/pipeline/train.h"

namespace skinmask::cli {
namespace {

struct TrainFlags {
  std::vector<std::string> samples;
  PairOptions pairs;
  std::string output;
  TrainOptions train;  // as the flags set it; TrainOptionsOf completes it
  std::vector<std::string> notes;
  DecisionFlags decision;
  PairOptions validation;
  std::string calibrate, calibrate_masks;
};

TrainOptions TrainOptionsOf(const TrainFlags& options) {
  TrainOptions train = options.train;
  train.rule = RuleOf(options.decision).value_or(DecisionRule());
  for (const std::string& text : options.notes) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == text.npos) throw UsageError("--card '{}' is not NAME=VALUE", text);
    const std::string name = text.substr(0, equals);
    for (const auto& [earlier, its_text] : train.notes)
      if (earlier == name) throw UsageError("--card '{}' is given twice", name);
    train.notes.emplace_back(name, text.substr(equals + 1));
  }
  if (options.validation.images.empty() != options.validation.masks.empty())
    throw UsageError("--validation-images and --validation-masks belong together");
  if (options.validation.images.empty()) return train;
  // Names and labels of the training pairs apply. With --samples these options are for the
  // validation only.
  train.validation = options.pairs;
  train.validation->images = options.validation.images;
  train.validation->masks = options.validation.masks;
  train.validation->whole_class.clear();
  if (train.validation_name.empty())
    train.validation_name = NameOfFolder(options.validation.images).string();
  return train;
}

// Reads the calibration data from a table or, with the options of the training pairs, from images
// with masks.
Samples CalibrationSamples(const TrainFlags& options, const Run& run) {
  if (options.calibrate_masks.empty()) return ReadTables({options.calibrate});
  PairOptions pairs = options.pairs;
  pairs.images = options.calibrate;
  pairs.masks = options.calibrate_masks;
  pairs.whole_class.clear();
  return CollectSamples(pairs, run);
}

void CheckOptions(const TrainFlags& options, const Context& context) {
  if (options.calibrate.empty() && !options.calibrate_masks.empty())
    throw UsageError("--calibrate-masks needs --calibrate DIR");
  if (options.calibrate_masks.empty() && IsFolder(options.calibrate))
    throw UsageError(
        "--calibrate {}: is a folder of images (--calibrate-masks names the folder of their masks)",
        options.calibrate);
  if (options.calibrate == kStandardInput &&
      std::ranges::count(options.samples, options.calibrate) > 0)
    throw UsageError("--samples and --calibrate are both standard input (one of them)");
  CheckSource(options.samples, options.pairs, "--masks");
  RequireApart({{options.output, "-o"}, {context.json, "--json"}});
  RequireApart({{options.output, "-o"}}, options.samples, "--samples");
}

void PrintOutcome(const Model& model, std::uint64_t pixels) {
  if (model.kind == Kind::kLogistic)
    PrintError("{}: {} iteration{}, log-likelihood {:.4f}\n", model.logistic.solver,
               model.logistic.iterations, model.logistic.iterations == 1 ? "" : "s",
               model.logistic.log_likelihood);
  const CardScore& score = model.card.scores.back();
  PrintError("{} in {} from {} pixels; threshold {:.6g} ({}), F1 {} on {}\n", KindName(model.kind),
             model.features.space().name, pixels, model.decision.threshold, model.decision.rule,
             Shown(score.f1, 4), score.data);
}

void RunTrain(const TrainFlags& options, Context& context) {
  CheckOptions(options, context);
  TrainOptions train = TrainOptionsOf(options);
  for (const std::filesystem::path& path :
       {options.validation.images, options.validation.masks,
        std::filesystem::path(options.calibrate), std::filesystem::path(options.calibrate_masks)})
    if (!path.empty() && !Exists(path)) throw Error(path.string(), "does not exist");
  Access access{PathsOf(options.samples, options.pairs), {}, {options.output}};
  access.reads.insert(access.reads.end(), {options.validation.images, options.validation.masks,
                                           options.calibrate, options.calibrate_masks});
  context.Confine(std::move(access));
  RequireNoMedia(options.output);
  const Run run = context.StartRun("images");
  const Samples samples = ReadSource(options.samples, options.pairs, run);
  if (!options.calibrate.empty()) {
    train.calibration = CalibrationSamples(options, run);
    train.calibration_name = NameOfFolder(options.calibrate).string();
  }
  if (StopFlag()) return;
  const Model model = Train(samples, train, run);
  if (StopFlag()) return;
  WriteFile(options.output, ModelToJson(model), context.if_exists());
  context.WriteJson(ModelToJson(model));
  if (!context.quiet) PrintOutcome(model, samples.Total());
}

void AddValidationFlags(CLI::App& verb, TrainFlags& options) {
  const OptionGroup group(verb, "Decision");
  AddDecisionFlags(verb, options.decision, "0.5");
  group.Add("--validation-images", options.validation.images, "DIR|FILE.tar",
            "Images to choose the threshold on and to score the model with (default: the training "
            "samples)");
  group.Add("--validation-masks", options.validation.masks, "DIR|FILE.tar", "Their masks");
  group.Add("--validation-name", options.train.validation_name, "NAME",
            "What the card calls them (default: the folder's name)");
  group
      .Add("--calibrate", options.calibrate, "FILE|DIR",
           "Held-out data to fit slope and offset of the log-odds on: a table, or a folder of "
           "images with --calibrate-masks")
      ->transform(DashIs(kStandardInput));
  group.Add("--calibrate-masks", options.calibrate_masks, "DIR", "Their masks");
}

}  // namespace

void AddTrain(CLI::App& app, Context& context) {
  const auto [verb, options] =
      AddVerb(app, "train", "Train a model from labelled pixels or image + mask pairs",
              "  skinmask train --samples samples/labelled-pixels.csv -o model.json\n"
              "  skinmask train --images samples/photos --masks samples/masks --kind "
              "lda --max-f1 -o lda.json",
              context, RunTrain);
  options.pairs.groups = false;
  const OptionGroup group(verb, "Input"), output(verb, "Output");
  AddSamplesOption(group, options.samples, "Tables of labelled pixels");
  AddImageOptions(group, options.pairs);
  output.Add("-o", options.output, "MODEL", "Model file to write")
      ->required()
      ->check(NamedLike({}, "a model"));
  output.AddEach("--card", options.notes, "NAME=TEXT", "Note for the model's card; repeatable");
  AddTableOptions(verb, FitTable().rows(), &options.train.fit, "Model");
  verb.get_option("--channels")->delimiter(',');
  verb.get_option("--prior")->allow_extra_args(false);
  verb.get_option("--components")->delimiter(',')->allow_extra_args(false);
  AddValidationFlags(verb, options);
  AddPairOptions(verb, options.pairs);
  AddRunOptions(verb, context);
}

}  // namespace skinmask::cli
