#include "programs/cli/evaluation_output.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>

#include "base/parse.h"
#include "programs/cli/detector_flags.h"
#include "programs/cli/evaluate_flags.h"
#include "programs/cli/print.h"
#include "skinmask/base/error.h"

namespace skinmask::cli {
namespace {

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

}  // namespace

void PrintEvaluation(const EvaluationReport& report, bool by_faces) {
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
  if (report.classes) PrintClasses(*report.classes);
  PrintGroups(report);
}

std::optional<std::string> SourceDate() {
  const char* const text = std::getenv("SOURCE_DATE_EPOCH");
  if (!text || !*text) return std::nullopt;
  constexpr std::int64_t kLast = 253402300799;  // of the year 9999
  const auto seconds = ParseNumber<std::int64_t>(text);
  if (!seconds || *seconds < 0 || *seconds > kLast)
    throw Error("SOURCE_DATE_EPOCH", "is no number of seconds since 1970");
  const std::chrono::sys_days day = std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds(std::chrono::seconds(*seconds)));
  const std::chrono::year_month_day date(day);
  return fmt::format("{}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

}  // namespace skinmask::cli
