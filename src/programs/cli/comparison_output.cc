#include "programs/cli/comparison_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "programs/cli/print.h"
#include "skinmask/report/comparison.h"

namespace skinmask::cli {
namespace {

// For K classes: how many of each class's held-out pixels each model calls by their name.
void PrintClasses(const Comparison& comparison) {
  bool headed = false;
  for (const ComparedModel& m : comparison.models) {
    const ClassCounts counts = m.PooledClasses();
    if (counts.classes.empty()) continue;
    if (!headed) {
      Print("\nAccuracy, of all held-out pixels and of each class's\n\n{:<24} {:>12}", "", "all");
      for (const std::string& name : counts.classes) Print(" {:>12}", name);
      Print("\n");
      headed = true;
    }
    Print("{:<24} {:>12}", m.Name(), Shown(counts.Accuracy()));
    for (std::size_t k = 0; k < counts.classes.size(); ++k)
      Print(" {:>12}", Shown(counts.Recall(k)));
    Print("\n");
  }
}

// Which model to take, and why.
void PrintChoice(const Comparison& comparison, const Choice& choice) {
  const ComparedModel &best = comparison.models.front(),
                      &simplest = comparison.models[choice.simplest];
  const auto within = std::ranges::count(choice.within, true);
  const std::string limit =
      fmt::format("{} {} {:.6f}", CriterionName(comparison.select),
                  comparison.select == Criterion::kLogLoss ? "at most" : "at least", choice.limit);
  if (within == 1)
    Print("\nTake {}: no other is within one standard error of it ({})\n", best.Name(), limit);
  else
    Print(
        "\nTake {}: of the {} within one standard error of the best (*, {}) it has the fewest free "
        "parameters, {}\n",
        simplest.Name(), within, limit, simplest.Parameters());
  if (simplest.given)
    Print("(as it is: where it was trained on these very pixels, its row flatters it)\n");
}

}  // namespace

void PrintComparison(const Comparison& comparison) {
  const std::vector<ComparedModel>& models = comparison.models;
  std::size_t width = 24;
  for (const ComparedModel& m : models) width = std::max(width, m.Name().size());
  Print("{}; sorted by {}\n\n", DivisionOf(comparison), CriterionName(comparison.select));
  Print("{:<{}} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>10}\n", "", width, "AUC", "+-",
        "best F1", "+-", "log-loss", "+-", "F1 at 0.5", "fit s", "parameters");
  const std::optional<Choice> choice = OneStandardErrorRule(comparison);
  for (std::size_t i = 0; i < models.size(); ++i) {
    const ComparedModel& m = models[i];
    Print("{:<{}}", m.Name(), width);
    if (!m.problem.empty()) {
      Print(" {}\n", m.problem);
      continue;
    }
    for (const Estimate& e : {m.Auc(), m.BestF1(), m.LogLoss()})
      Print(" {:>9} {:>9}", Shown(e.mean), Shown(e.standard_error));
    Print(" {:>9} {:>8} {:>10}{}\n", Shown(m.PooledCounts().F1()),
          m.given ? "-" : fmt::format("{:.4f}", m.Seconds()), m.Parameters(),
          choice->within[i] ? " *" : "");
  }
  if (choice) PrintChoice(comparison, *choice);
  PrintClasses(comparison);
}

}  // namespace skinmask::cli
