#include "programs/cli/adapt_flags.h"

#include <charconv>

#include "skinmask/base/logistic.h"

namespace skinmask::cli {
namespace {

cv::Rect ParseRect(const std::string& text) {
  int numbers[4];
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int i = 0; i < 4; ++i) {
    const auto [next, error] = std::from_chars(at, end, numbers[i]);
    const bool followed = i < 3 ? next != end && *next == ',' : next == end;
    if (error != std::errc() || !followed || numbers[i] < (i < 2 ? 0 : 1) || numbers[i] > (1 << 24))
      throw UsageError(fmt::format("--seed-rect '{}' is not X,Y,WIDTH,HEIGHT in pixels", text));
    at = next + 1;
  }
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

}  // namespace

void AddAdaptOptions(CLI::App& verb, AdaptFlags& flags) {
  const std::string group = "Adapting the model to each image";
  verb.add_option(
          "--adapt", flags.adapt,
          "Fit the model to the faces of each image, which is slower and much more accurate; "
          "images without a face get the global model")
      ->check(CLI::IsMember({"off", "faces"}))
      ->type_name("off|faces")
      ->group(group)
      ->capture_default_str();
  verb.add_option(
          "--cascade", flags.cascade,
          "Cascade to find faces by, or its folder (default: that of the package opencv-data)")
      ->type_name("DIR|FILE")
      ->group(group);
  verb.add_option("--seed-mask", flags.seed_mask,
                  "Fit to the skin that this mask marks (above 127), in every image")
      ->type_name("FILE")
      ->group(group);
  verb.add_option("--seed-rect", flags.seed_rect,
                  "Fit to the skin in this rectangle, in every image")
      ->type_name("X,Y,W,H")
      ->group(group);
  verb.add_option("--refine", flags.refine,
                  "How neighbouring pixels help each other in images that are adapted to")
      ->check(CLI::IsMember({"off", "guided"}))
      ->type_name("off|guided")
      ->group(group)
      ->capture_default_str();
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
  if (!flags.seed_rect.empty()) finders.push_back(FixedSeed(ParseRect(flags.seed_rect)));
  if (!flags.seed_mask.empty())
    finders.push_back(FixedSeed(std::filesystem::path(flags.seed_mask)));
  if (faces) finders.push_back(FaceFinder(flags.cascade));
  if (finders.empty()) return nullptr;
  AdaptOptions options;
  options.refinement.enabled = flags.refine != "off";
  return std::make_shared<Adapter>(model, own_threshold, std::move(finders), options);
}

}  // namespace skinmask::cli
