#include <fmt/format.h>

#include <functional>
#include <memory>

#include "base/json.h"
#include "programs/cli/adapt_flags.h"
#include "programs/cli/decision_flags.h"
#include "programs/cli/option_checks.h"
#include "programs/cli/pair_flags.h"
#include "programs/cli/print.h"
#include "programs/cli/sample_source.h"
#include "programs/cli/signals.h"
#include "programs/cli/usage_error.h"
#include "programs/cli/verb.h"
#include "programs/cli/verbs.h"
#include "skinmask/pipeline/evaluate.h"
#include "skinmask/report/gallery.h"
#include "skinmask/report/report.h"

namespace skinmask::cli {
namespace {

struct Options {
  std::vector<std::string> samples;
  PairOptions pairs;
  std::string predicted;
  DecisionFlags decision;
  AdaptFlags adapt;
  std::string report;  // the page to write, or empty
};

// For K classes: true classes by rows, called classes by columns.
void PrintClasses(const ClassCounts& counts) {
  Print("\n{:<18}", "truly \\ called");
  for (const std::string& name : counts.classes) Print(" {:>12}", name);
  Print(" {:>12}\n", "accuracy");
  for (std::size_t k = 0; k < counts.classes.size(); ++k) {
    Print("{:<18}", counts.classes[k]);
    for (std::size_t called = 0; called < counts.classes.size(); ++called)
      Print(" {:>12}", counts.Count(k, called));
    Print(" {:>12}\n", Shown(counts.Recall(k)));
  }
  Print("{:<18} {:>{}}\n", "all", Shown(counts.Accuracy()), 13 * counts.classes.size() + 12);
}

void PrintTable(const EvaluationReport& report, bool by_faces) {
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
  if (report.decision)
    Print("{:<18} {:>14.6g}  ({}{})\n", "threshold", report.decision->threshold,
          report.decision->rule,
          report.decision->data.empty() ? "" : ", chosen on " + report.decision->data);
  if (by_faces && !report.adaptations.empty()) {
    FaceCount faces;
    for (const AdaptationSummary& adaptation : report.adaptations) faces.Add(adaptation);
    Print("{}\n", faces.Text());
  }
  if (report.classes) PrintClasses(*report.classes);
}

// Judges the model with the rule's threshold, which it then has; a rule that chooses it on the very
// same data judges twice.
EvaluationReport Judge(Model& model, const std::optional<DecisionRule>& rule, const Run& run,
                       const std::function<EvaluationReport(const Model&, const Run&)>& judge) {
  if (rule && rule->kind == DecisionRule::Kind::kFixed) model.decision = {rule->value, "fixed", ""};
  EvaluationReport report = judge(model, run);
  if (rule && rule->kind != DecisionRule::Kind::kFixed && report.pooled.counts.Total() > 0 &&
      !StopFlag()) {
    model.decision = Decide(*report.scores, *rule, "the evaluated data");
    Run again;  // what there was to say of the files has been said
    again.progress = run.progress;
    again.stop = run.stop;
    // The rule fits the threshold to masks, whatever they mark; the model's own tells more of them.
    const bool inverted = report.masks_look_inverted;
    report = judge(model, again);
    report.masks_look_inverted = inverted;
  }
  report.decision = model.decision;
  return report;
}

// The pairs that are judged, whether by a model or as masks.
PairOptions PairsOf(const Options& options) {
  PairOptions pairs = options.pairs;
  if (!options.predicted.empty()) pairs.images = options.predicted;
  return pairs;
}

// `model` is absent for masks that were made before.
EvaluationReport Report(const Options& options, std::optional<Model>& model, const Adapter* adapter,
                        Context& context) {
  const Run run = context.StartRun("images");
  if (!model) return EvaluatePredicted(PairsOf(options), run);
  const std::optional<DecisionRule> rule = RuleOf(options.decision);
  if (!options.pairs.images.empty())
    return Judge(*model, rule, run, [&](const Model& m, const Run& r) {
      return EvaluateImages(options.pairs, m, r, adapter);
    });
  constexpr std::size_t kDrawn = 1000;
  const Samples samples = ReadTables(options.samples);
  return Judge(*model, rule, run, [&](const Model& m, const Run&) {
    const std::string& positive = m.positive().name;
    Evaluation evaluation = EvaluateSamples(samples, m);
    EvaluationReport report;
    report.positive = positive;
    report.pooled = MetricsOf(evaluation);
    report.scores = std::move(evaluation.scores);
    report.drawn = DrawPixels(samples, positive, kDrawn);
    if (m.classes.size() > 2) report.classes = CountClasses(samples, m);
    return report;
  });
}

// The page: the JSON, and pictures of the images that it chose.
void WritePage(const std::string& json, const EvaluationReport& report, const Options& options,
               const Model* model, const Adapter* adapter, Context& context) {
  std::vector<std::string> names;
  const GalleryChoice choice = ChooseGallery(report);
  for (const auto& indices : {choice.worst, choice.best})
    for (const std::size_t i : indices) names.push_back(report.images[i].first);
  const std::vector<GalleryPictures> pictures =
      DrawGallery(PairsOf(options), model, names, context.StartRun("images"), adapter);
  if (StopFlag()) return;
  WriteFile(options.report, ReportToHtml(json, pictures), context.overwrite());
}

void CheckOptions(const Options& options, const Context& context) {
  if (!options.predicted.empty()) {
    if (!options.pairs.images.empty() || !options.samples.empty())
      throw UsageError("give one of --images, --predicted and --samples");
    if (options.pairs.masks.empty() || !options.pairs.whole_class.empty())
      throw UsageError("--predicted needs --truth");
    if (RuleOf(options.decision) || !context.model.empty())
      throw UsageError("--predicted masks are decided already (no --model, no threshold or rule)");
  } else {
    CheckSource(options.samples, options.pairs, "--truth");
  }
  RuleOf(options.decision);  // a wrong one before any work
  CheckPairOptions(options.pairs);
  RequireApart(options.report, "--report", context.json, "--json");
  if (!options.report.empty()) RequireWritable(options.report, context.overwrite());
}

void PrintResult(const EvaluationReport& report, const Options& options, const Context& context) {
  if (report.masks_look_inverted && !context.quiet)
    PrintLine(fmt::format(
        "warning: {}: these masks{} look inverted: less of what they call {} is "
        "found than of the rest ({})",
        options.pairs.masks.string(), options.predicted.empty() ? "" : ", or the predicted ones,",
        report.positive, options.pairs.invert ? "--invert is given" : "--invert swaps them"));
  if (report.pooled.counts.Total() == 0 || context.json_to_stdout()) return;
  PrintTable(report, options.adapt.by_faces());
  if (options.pairs.allow_missing)
    Print("{} of {} images have no mask and are left out\n", report.images_without_mask,
          report.images_without_mask + report.images.size());
}

void RunEvaluate(const Options& options, Context& context) {
  CheckOptions(options, context);
  Access access{PathsOf(options.samples, options.pairs), {}, {options.report}};
  access.reads.emplace_back(options.predicted);
  AddReads(options.adapt, access.reads);
  context.Confine(std::move(access));
  std::optional<Model> model;
  if (options.predicted.empty()) model = context.LoadModel();
  if (options.pairs.images.empty() && options.adapt.any_given())
    throw UsageError("--adapt, --faces and seeds need --images");
  const std::shared_ptr<const Adapter> adapter =
      options.pairs.images.empty() ? nullptr
                                   : MakeAdapter(options.adapt, *model, model->decision.threshold);
  const EvaluationReport report = Report(options, model, adapter.get(), context);
  if (StopFlag()) return;  // scores of a part would pass for the whole
  PrintResult(report, options, context);
  if (context.json.empty() && options.report.empty()) return;
  const Model* const shown = model ? &*model : nullptr;
  const std::string json = FullReportToJson(report, shown);
  context.WriteRecord(Json::parse(json));
  if (!options.report.empty()) WritePage(json, report, options, shown, adapter.get(), context);
}

}  // namespace

void AddEvaluate(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = AddVerb(app, "evaluate", "Judge a model, or masks, against ground truth",
                           "  skinmask evaluate --images samples/photos --truth samples/masks "
                           "--report report.html\n"
                           "  skinmask evaluate --samples samples/labelled-pixels.csv --max-f1 "
                           "--json scores.json",
                           context);
  const OptionGroup group(*verb, "Input");
  group.Add("--images", options->pairs.images, "DIR", "Folder of images to run the model on");
  group.Add("--predicted", options->predicted, "DIR", "Folder of masks to judge as they are");
  group.Add("--truth", options->pairs.masks, "DIR", "Folder of the true masks");
  group.Add("--samples", options->samples, "FILE", "Tables of labelled pixels to run the model on");
  AddDecisionFlags(*verb, options->decision, "the model's own");
  OptionGroup(*verb, "Output")
      .Add("--report", options->report, "FILE.html",
           "One HTML page with scores, curves and a gallery, which opens without a network")
      ->check(NamedLike(".html", "a page"));
  AddAdaptFlags(*verb, options->adapt);
  AddModelOption(*verb, context);
  AddPairOptions(*verb, options->pairs);
  OptionGroup(*verb, "Masks")
      .AddFlag("--allow-missing", options->pairs.allow_missing,
               "Judge the images that have a mask, and count those that have none");
  AddForceOption(*verb, context);
  AddJsonOption(*verb, context);
  AddMaxFailuresOption(*verb, context);
  AddSandboxOption(*verb, context);
  verb->callback([options, &context] {
    context.action = [options](Context& c) { RunEvaluate(*options, c); };
  });
}

}  // namespace skinmask::cli
