#include "programs/cli/scores_output.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <vector>

#include "base/parse.h"
#include "programs/cli/detector_flags.h"
#include "programs/cli/print.h"
#include "programs/cli/verb.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/reliability.h"
#include "skinmask/report/comparison.h"
#include "skinmask/report/curves.h"
#include "skinmask/report/groups.h"
#include "skinmask/report/intervals.h"

namespace skinmask::cli {

namespace {

// For more than two classes: true classes in rows, called classes in columns. `pixels` is the
// number of all pixels, also of classes that the model lacks.
void PrintClasses(const ClassCounts& counts, std::uint64_t pixels) {
  std::size_t longest = 12;
  for (const std::string& name : counts.classes) longest = std::max(longest, name.size());
  const std::size_t first = std::max<std::size_t>(longest, 18);
  Print("\n{:<{}}", "truly \\ called", first);
  for (const std::string& name : counts.classes) Print(" {:>{}}", name, longest);
  Print(" {:>12}\n", "accuracy");
  for (std::size_t k = 0; k < counts.classes.size(); ++k) {
    Print("{:<{}}", counts.classes[k], first);
    for (std::size_t called = 0; called < counts.classes.size(); ++called)
      Print(" {:>{}}", counts.Count(k, called), longest);
    Print(" {:>12}\n", Shown(counts.Recall(k)));
  }
  const std::size_t rest = (longest + 1) * counts.classes.size() + 12;
  Print("{:<{}} {:>{}}\n", "all", first, Shown(counts.Accuracy()), rest);
  if (const auto cost = counts.MeanCost())
    Print("{:<{}} {:>{}.6g}\n", "mean cost", first, *cost, rest);
  if (const std::uint64_t others = pixels - counts.Total(); others > 0)
    Print("{} pixels of classes that the model does not have are left out of this table\n", others);
}

// "  0.8712 - 0.9453", or "".
std::string IntervalText(const NamedIntervals& intervals, std::string_view name) {
  for (const auto& [other, interval] : intervals)
    if (other == name && interval)
      return fmt::format("  {:.4f} - {:.4f}", interval->low, interval->high);
  return "";
}

// "0.912 (0.871 - 0.945)".
std::string Cell(const std::optional<double>& value, const std::optional<Interval>& interval) {
  const std::string shown = Shown(value, 4);
  return interval ? fmt::format("{} ({:.3f} - {:.3f})", shown, interval->low, interval->high)
                  : shown;
}

void PrintGrouping(const Grouping& grouping, const GroupScores& scores) {
  std::size_t width = std::max<std::size_t>(18, grouping.by.size());
  for (const GroupScore& group : scores.groups) width = std::max(width, group.name.size());
  Print("\n{:<{}} {:>7} {:>12}", grouping.by, width, "images", "pixels");
  for (const GroupMeasure& measure : kGroupMeasures) Print("  {:<22}", measure.name);
  Print("\n");
  for (const GroupScore& group : scores.groups) {
    Print("{:<{}} {:>7} {:>12}", group.name, width, group.images, group.counts.Total());
    for (std::size_t m = 0; m < kGroupMeasures.size(); ++m)
      Print("  {:<22}", Cell((group.counts.*kGroupMeasures[m].of)(), group.intervals[m]));
    Print("\n");
  }
  if (scores.in_none > 0)
    Print("{} image{} in no group: {}\n", scores.in_none, scores.in_none > 1 ? "s" : "",
          grouping.why_none);
  Print("largest gaps (with what holds for all pairs at 95 %):\n");
  for (std::size_t m = 0; m < kGroupMeasures.size(); ++m) Print("  {}\n", scores.Words(m));
}

// Prints the table of each grouping, and what its gaps mean.
void PrintGroups(const EvaluationReport& report) {
  for (const Grouping& grouping : report.groupings)
    PrintGrouping(grouping, ScoreGroups(report, grouping));
  if (!report.tones.empty())
    Print(
        "(ITA and Monk tones are of the median colour of an image's true skin: light fools any "
        "angle from pixels)\n");
}

std::size_t NameWidth(const Comparison& comparison) {
  std::size_t width = 24;
  for (const ComparedModel& m : comparison.models) width = std::max(width, m.Name().size());
  return width;
}

// For more than two classes: the accuracy of each model on the held-out pixels, over all and for
// each class of any model. A model that lacks classes of these pixels has no accuracy over all.
void PrintClasses(const Comparison& comparison) {
  std::vector<std::string> columns;
  for (const ComparedModel& m : comparison.models)
    for (const std::string& name : m.PooledClasses().classes)
      if (std::ranges::count(columns, name) == 0) columns.push_back(name);
  if (columns.empty()) return;
  const std::size_t width = NameWidth(comparison);
  Print("\nAccuracy, of all held-out pixels and of each class's\n\n{:<{}} {:>12}", "", width,
        "all");
  for (const std::string& name : columns) Print(" {:>12}", name);
  Print("\n");
  for (const ComparedModel& m : comparison.models) {
    const ClassCounts counts = m.PooledClasses();
    if (counts.classes.empty()) continue;
    const bool is_whole = counts.Total() == m.PooledCounts().Total();
    Print("{:<{}} {:>12}", m.Name(), width, Shown(is_whole ? counts.Accuracy() : std::nullopt));
    for (const std::string& name : columns) {
      const auto k = std::ranges::find(counts.classes, name) - counts.classes.begin();
      const auto column = static_cast<std::size_t>(k);
      Print(" {:>12}",
            Shown(column < counts.classes.size() ? counts.Recall(column) : std::nullopt));
    }
    Print("\n");
  }
}

// Prints the information criteria on the training data, means over the folds.
void PrintInformation(const Comparison& comparison) {
  const std::vector<ComparedModel>& models = comparison.models;
  const auto fitted = [](const ComparedModel& m) { return m.MeanOf(&FoldScore::aic).mean; };
  if (std::ranges::none_of(models, [&](const ComparedModel& m) { return fitted(m).has_value(); }))
    return;
  const std::size_t width = NameWidth(comparison);
  Print("\nOn what they were fitted to, by log P(class | colour)\n\n{:<{}} {:>16} {:>16} {:>16}\n",
        "", width, "log-likelihood", "AIC", "BIC");
  for (const ComparedModel& m : models)
    if (fitted(m))
      Print("{:<{}} {:>16} {:>16} {:>16}\n", m.Name(), width,
            Shown(m.MeanOf(&FoldScore::log_likelihood).mean, 2),
            Shown(m.MeanOf(&FoldScore::aic).mean, 2), Shown(m.MeanOf(&FoldScore::bic).mean, 2));
}

void PrintChoice(const Comparison& comparison, const Choice& choice) {
  const ComparedModel &best = comparison.models.front(),
                      &simplest = comparison.models[choice.simplest];
  const auto within = std::ranges::count(choice.within, true);
  const std::string_view criterion = CriterionName(comparison.select);
  if (within == 1)
    Print("\nTake {}: no other has a difference in {} within one standard error of it\n",
          best.Name(), criterion);
  else
    Print(
        "\nTake {}: of the {} whose difference in {} is within one standard error of it (*) it has "
        "the fewest free parameters, {}\n",
        simplest.Name(), within, criterion, simplest.Parameters());
  if (simplest.given)
    Print("(as it is: where it was trained on these very pixels, its row flatters it)\n");
}

// "times 0.25", "0.8, and times 0.2 to 2, 0.6 to 4, 0.1 beyond".
std::string SideWords(const CalibrationSide& side) {
  std::string words = side.jump > 0 ? fmt::format("{:g}, and times", side.jump) : "times";
  for (std::size_t k = 0; k < side.lines.size(); ++k) {
    words += fmt::format("{} {:g}", k == 0 ? "" : ",", side.lines[k].slope);
    if (k + 1 < side.lines.size())
      words += fmt::format(" to {:g}", side.lines[k + 1].from);
    else if (k > 0)
      words += " beyond";
  }
  return words;
}

}  // namespace

void PrintEvaluation(const EvaluationReport& report, bool by_faces) {
  const Confusion& c = report.pooled.counts;
  const std::string yes = report.positive, no = "not " + yes;
  Print("{:<18} {:>14} {:>14}\n", "", "truly " + yes, no);
  Print("{:<18} {:>14} {:>14}\n", "called " + yes, c.tp, c.fp);
  Print("{:<18} {:>14} {:>14}\n\n", "called " + no, c.fn, c.tn);
  Print("{:<18} {:>14}", "", "pooled");
  const std::size_t images = report.images.size();
  const NamedIntervals intervals = images > 1 ? IntervalsOf(report).pooled : NamedIntervals();
  if (images > 0)
    Print(" {:>14}{}  ({} image{})", "mean per image", images > 1 ? "  95 % of pooled " : "",
          images, images > 1 ? "s" : "");
  Print("\n");
  const auto means = MeanPerImage(report);
  for (const auto& [name, value] : Ratios(report.pooled)) {
    Print("{:<18} {:>14}", name, Shown(value));
    for (const auto& [other, mean] : means)
      if (images > 0 && other == name) Print(" {:>14}", Shown(mean));
    Print("{}\n", IntervalText(intervals, name));
  }
  if (report.scores) {
    const Reliability reliability = ReliabilityOf(*report.scores);
    const auto print = [&](std::string_view name, std::optional<double> value, const char* note) {
      const std::string interval = IntervalText(intervals, name);
      const std::string gap(interval.empty() ? 0 : 15, ' ');  // the column of means per image
      Print("{:<18} {:>14}{}{}{}\n", name, Shown(value), gap, interval, note);
    };
    print("ece", reliability.Ece(), "");
    print("ece_middle", reliability.EceMiddle(), "  (of P from 0.2 to 0.8)");
  }
  if (report.decision)
    Print("{:<18} {:>14.6g}  ({}{})\n", "threshold", report.decision->threshold,
          report.decision->rule,
          report.decision->data.empty() ? "" : ", chosen on " + report.decision->data);
  if (const auto answered = AnsweredOf(report))
    Print(
        "{:<18} {:>14}  (risk {}: the share of the answers that is wrong; without "
        "abstaining {:.6f})\n",
        "coverage", Shown(answered->coverage), Shown(answered->risk),
        1 - report.pooled.accuracy.value_or(1));
  if (by_faces && !report.adaptations.empty()) {
    FaceCount faces;
    for (const AdaptationSummary& adaptation : report.adaptations) faces.Add(adaptation);
    Print("{}\n", faces.Text());
  }
  if (report.classes) PrintClasses(*report.classes, report.pooled.counts.Total());
  PrintGroups(report);
}

void WarnOfMasks(const EvaluationReport& report, const EvaluateFlags& flags) {
  const PairOptions& pairs = flags.pairs;
  const std::string masks = (pairs.masks.empty() ? pairs.images : pairs.masks).string();
  const bool predicted = !flags.predicted.empty();
  if (report.masks_look_inverted)
    PrintLine(fmt::format(
        "warning: {}: these masks{} look inverted: less of what they call {} is found than of the "
        "rest ({}{})",
        masks, predicted ? ", or the predicted ones," : "", report.positive,
        pairs.invert ? "--invert is given" : "--invert swaps them",
        predicted ? "; with predicted ones inverted all scores are of the rest" : ""));
  const bool by_default = pairs.labels.empty() && pairs.whole_class.empty() && !pairs.invert;
  const Confusion& counts = report.pooled.counts;
  if (predicted && !report.images.empty() && counts.tp + counts.fp == 0)
    PrintLine(
        fmt::format("warning: {}: not one pixel that counts is skin in these masks (of "
                    "predicted masks what is above 127 is skin)",
                    flags.predicted));
  if (!flags.samples.empty() && counts.Total() > 0 && counts.tp + counts.fn == 0)
    PrintLine(
        fmt::format("warning: --samples: not one pixel is of '{}', which the model finds (names of "
                    "classes count as they are written)",
                    report.positive));
  if (by_default && !report.images.empty() && counts.tp + counts.fn == 0)
    PrintLine(fmt::format(
        "warning: {}: not one pixel of these masks is skin (above 127 is skin; --label names "
        "other values, and --whole non-skin needs no masks)",
        masks));
}

std::optional<std::string> SourceDate() {
  const char* const text = std::getenv("SOURCE_DATE_EPOCH");
  if (!text || !*text) return std::nullopt;
  constexpr std::int64_t kLast = 253402300799;  // end of the year 9999
  const auto seconds = ParseNumber<std::int64_t>(text);
  if (!seconds || *seconds < 0 || *seconds > kLast)
    throw Error("SOURCE_DATE_EPOCH", "is no number of seconds since 1970");
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(*seconds)));
}

// Six digits, or as many that two of the smallest standard error of a difference are shown. Means
// that agree to nine digits count as equal.
int DigitsOf(const std::optional<Choice>& choice) {
  constexpr int kMin = 6, kMax = 9;
  int digits = kMin;
  if (!choice) return digits;
  for (const PairedDifference& d : choice->differences)
    if (d.standard_error.value_or(0) > 0)
      digits = std::max(digits, static_cast<int>(std::ceil(1 - std::log10(*d.standard_error))));
  return std::min(digits, kMax);
}

void PrintComparison(const Comparison& comparison) {
  const std::vector<ComparedModel>& models = comparison.models;
  const std::optional<Choice> choice = OneStandardErrorRule(comparison);
  const int digits = DigitsOf(choice);
  const auto width = static_cast<std::size_t>(digits) + 3, name_width = NameWidth(comparison);
  Print("{}; sorted by {}\n\n", DivisionOf(comparison), CriterionName(comparison.select));
  std::vector<std::pair<Criterion, std::string_view>> shown{
      {Criterion::kAuc, "AUC"}, {Criterion::kBestF1, "best F1"}, {Criterion::kLogLoss, "log-loss"}};
  if (std::ranges::none_of(shown, [&](const auto& s) { return s.first == comparison.select; }))
    shown.emplace_back(comparison.select, CriterionName(comparison.select));
  Print("{:<{}}", "", name_width);
  for (const auto& [criterion, title] : shown)
    Print(" {:>{}} {:>{}}", title, std::max(width, title.size()), "+-", width);
  Print(" {:>9} {:>8} {:>10} {:>{}} {:>{}}\n", "F1 at 0.5", "fit s", "parameters", "less best",
        width + 1, "95 %", width + 1);
  for (std::size_t i = 0; i < models.size(); ++i) {
    const ComparedModel& m = models[i];
    Print("{:<{}}", m.Name(), name_width);
    if (!m.problem.empty()) {
      Print(" {}\n", m.problem);
      continue;
    }
    for (const auto& [criterion, title] : shown)
      Print(" {:>{}} {:>{}}", Shown(m.Of(criterion).mean, digits), std::max(width, title.size()),
            Shown(m.Of(criterion).standard_error, digits), width);
    const PairedDifference& d = choice->differences[i];
    Print(" {:>9} {:>8} {:>10} {:>{}} {:>{}}{}\n", Shown(m.PooledCounts().F1()),
          m.given ? "-" : fmt::format("{:.4f}", m.Seconds()), m.Parameters(),
          i > 0 && d.mean ? fmt::format("{:+.{}f}", *d.mean, digits) : "-", width + 1,
          i > 0 && d.reach ? fmt::format("+-{:.{}f}", *d.reach, digits) : "-", width + 1,
          choice->within[i] ? " *" : "");
  }
  if (choice) PrintChoice(comparison, *choice);
  PrintInformation(comparison);
  PrintClasses(comparison);
}

std::string CurveWords(const CalibrationCurve& curve) {
  return fmt::format("below {}; above {}", SideWords(curve.below), SideWords(curve.above));
}

PictureFormat PictureFormatOf(const std::string& file) {
  return ExtensionOf(file) == ".svg" ? PictureFormat::kSvg : PictureFormat::kPng;
}

std::string ModelStem(const std::string& file) {
  return file.empty() ? "default" : Printable(std::filesystem::path(file).stem().string());
}

std::string CurvesOf(const EvaluationReport& report, const EvaluateFlags& flags, const Model& model,
                     const Rival* rival) {
  if (!report.scores || report.pooled.counts.Total() == 0)
    throw Error("--picture", "there are no pixels to show curves of");
  const auto scored = [](const std::string& file, const EvaluationReport& of, const Model& by) {
    return ScoredModel{
        ModelStem(file), *of.scores, {Logit(by.decision.threshold), of.pooled.counts}};
  };
  std::vector<ScoredModel> models{
      scored(flags.models.empty() ? "" : flags.models.front(), report, model)};
  if (rival) models.push_back(scored(flags.models.back(), rival->report, rival->model));
  return DrawCurves(models, report.positive, PictureFormatOf(flags.picture));
}

}  // namespace skinmask::cli
