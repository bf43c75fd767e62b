#include <fmt/format.h>

#include "adapt.h"
#include "common.h"

namespace skinmask::cli {
namespace {

struct Options {
  std::vector<std::string> samples;
  PairOptions pairs;
  std::string predicted;
  std::optional<double> threshold;
  AdaptFlags adapt;
};

std::string Shown(const std::optional<double>& value) {
  return value ? fmt::format("{:.6f}", *value) : "-";
}

void PrintTable(const EvaluationReport& report) {
  const Confusion& c = report.pooled.counts;
  const std::string yes = report.positive, no = "not " + yes;
  Print("{:<18} {:>14} {:>14}\n", "", "truly " + yes, no);
  Print("{:<18} {:>14} {:>14}\n", "called " + yes, c.tp, c.fp);
  Print("{:<18} {:>14} {:>14}\n\n", "called " + no, c.fn, c.tn);
  Print("{:<18} {:>14}", "", "pooled");
  if (!report.images.empty())
    Print(" {:>14}  ({} image{})", "mean per image", report.images.size(),
               report.images.size() > 1 ? "s" : "");
  Print("\n");
  const auto means = MeanPerImage(report);
  for (const auto& [name, value] : Ratios(report.pooled)) {
    Print("{:<18} {:>14}", name, Shown(value));
    for (const auto& [other, mean] : means)
      if (!report.images.empty() && other == name) Print(" {:>14}", Shown(mean));
    Print("\n");
  }
}

EvaluationReport Report(const Options& options, Context& context) {
  const Run run = context.StartRun("images");
  if (!options.predicted.empty()) {
    PairOptions pairs = options.pairs;
    pairs.images = options.predicted;
    return EvaluatePredicted(pairs, run);
  }
  Model model = context.LoadModel();
  const double own_threshold = model.decision.threshold;
  if (options.threshold) model.decision = {*options.threshold, "fixed", ""};
  const std::shared_ptr<const Adapter> adapter = MakeAdapter(options.adapt, model, own_threshold);
  if (!options.pairs.images.empty()) return EvaluateImages(options.pairs, model, run, adapter.get());
  if (adapter) throw UsageError("adapting to images needs --images");
  Evaluation evaluation = EvaluateSamples(ReadAllSamples(options.samples), model);
  return {model.positive().name, MetricsOf(evaluation), {}, std::move(evaluation.scores)};
}

void RunEvaluate(const Options& options, Context& context) {
  if (!options.predicted.empty()) {
    if (!options.pairs.images.empty() || !options.samples.empty())
      throw UsageError("give one of --images, --predicted and --samples");
    if (options.pairs.masks.empty() || !options.pairs.whole_class.empty())
      throw UsageError("--predicted needs --truth");
    if (options.threshold || !context.model.empty())
      throw UsageError("--predicted masks are decided already (no --model, no --threshold)");
  } else {
    CheckSource(options.samples, options.pairs, "--truth");
  }
  CheckPairOptions(options.pairs);
  const EvaluationReport report = Report(options, context);
  if (StopFlag()) return;  // scores of a part would pass for the whole
  const bool judged = report.pooled.counts.Total() > 0;
  if (judged && !context.json_to_stdout()) PrintTable(report);
  context.WriteJson(ReportToJson(report));
}

}  // namespace

void AddEvaluate(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = AddVerb(app, "evaluate", "Judge a model, or masks, against ground truth",
                           "  skinmask evaluate --images photos --truth masks --json scores.json\n"
                           "  skinmask evaluate --predicted out --truth masks --mask-name "
                           "'{stem}_mask'",
                           context);
  verb->add_option("--images", options->pairs.images, "Folder of images to run the model on")
      ->type_name("DIR");
  verb->add_option("--predicted", options->predicted, "Folder of masks to judge as they are")
      ->type_name("DIR");
  verb->add_option("--truth", options->pairs.masks, "Folder of the true masks")->type_name("DIR");
  verb->add_option("--samples", options->samples, "Tables of labelled pixels to run the model on")
      ->type_name("FILE");
  verb->add_option("--threshold", options->threshold,
                   "A pixel is skin when P(skin) is above this (default: the model's own)")
      ->check(Probability())
      ->type_name("P");
  AddAdaptOptions(*verb, options->adapt);
  AddModelOption(*verb, context);
  AddPairOptions(*verb, options->pairs);
  AddForceOption(*verb, context);
  AddJsonOption(*verb, context);
  verb->callback([options, &context] {
    context.action = [options](Context& c) { RunEvaluate(*options, c); };
  });
}

}  // namespace skinmask::cli
