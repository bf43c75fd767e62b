#include "programs/cli/adapt_flags.h"

#include <fmt/format.h>

#include "programs/cli/rectangle.h"
#include "programs/cli/usage_error.h"
#include "programs/cli/verb.h"
#include "skinmask/base/logistic.h"

namespace skinmask::cli {

void AddAdaptFlags(CLI::App& verb, AdaptFlags& flags) {
  const OptionGroup group(verb, "Adapting the model to each image");
  group.AddChoice("--adapt", flags.adapt, {"off", "faces"},
                  "Fit the model to the faces of each image, which is slower and much more "
                  "accurate; images without a face get the global model");
  group.Add("--cascade", flags.cascade, "DIR|FILE",
            "Cascade to find faces by, or its folder (default: that of the package opencv-data)");
  group.Add("--seed-mask", flags.seed_mask, "FILE",
            "Fit to the skin that this mask marks (above 127), in every image");
  group.Add("--seed-rect", flags.seed_rect, "X,Y,W,H",
            "Fit to the skin in this rectangle, in every image");
  group.AddChoice("--refine", flags.refine, {"off", "guided"},
                  "How neighbouring pixels help each other in images that are adapted to");
}

double OwnThreshold(const Model& made, double prior) {
  if (prior == made.positive().prior) return made.decision.threshold;  // to the bit
  return Logistic(Logit(made.decision.threshold) + Logit(prior) - Logit(made.positive().prior));
}

std::shared_ptr<const Adapter> MakeAdapter(const AdaptFlags& flags, const Model& model,
                                           double own_threshold) {
  const bool faces = flags.adapt == "faces";
  if (!flags.cascade.empty() && !faces) throw UsageError("--cascade needs --adapt faces");
  std::vector<std::unique_ptr<SeedFinder>> finders;
  if (!flags.seed_rect.empty()) {
    const auto rectangle = ParseRectangle(flags.seed_rect);
    if (!rectangle)
      throw UsageError(
          fmt::format("--seed-rect '{}' is not X,Y,WIDTH,HEIGHT in pixels", flags.seed_rect));
    finders.push_back(FixedSeed(*rectangle));
  }
  if (!flags.seed_mask.empty())
    finders.push_back(FixedSeed(std::filesystem::path(flags.seed_mask)));
  if (faces) finders.push_back(FaceFinder(flags.cascade));
  if (finders.empty()) return nullptr;
  AdaptOptions options;
  options.refinement.enabled = flags.refine != "off";
  return std::make_shared<Adapter>(model, own_threshold, std::move(finders), options);
}

}  // namespace skinmask::cli
