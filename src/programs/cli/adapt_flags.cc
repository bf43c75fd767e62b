#include "programs/cli/adapt_flags.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "programs/cli/option_checks.h"
#include "programs/cli/rectangle.h"
#include "programs/cli/usage_error.h"
#include "programs/cli/verb.h"

namespace skinmask::cli {

void AddAdaptFlags(CLI::App& verb, AdaptFlags& flags) {
  const OptionGroup group(verb, "Adaptation");
  group
      .AddChoice("--adapt", flags.adapt, WordsOf(AdaptNames()),
                 "Fit the model to the faces of each image, and divide an image without a face "
                 "where its own colours divide (auto) or by the global model (faces); off: the "
                 "global model alone, which is faster and much less accurate")
      ->each([&flags](const std::string&) { flags.given = true; });
  group.Add("--faces", flags.faces, "FILE.onnx",
            "Find faces by this network, YuNet of the OpenCV Zoo, instead of the built-in detector "
            "(default: the file that SKINMASK_FACES in the environment names)");
  group.Add("--seed-mask", flags.seed_mask, "FILE",
            "Fit to the skin that this mask marks (above 127), in every image");
  group.Add("--seed-rect", flags.seed_rect, "X,Y,W,H",
            "Fit to the skin in this rectangle, in every image");
  group.AddChoice("--refine", flags.refine, {"off", "guided"},
                  "How neighbouring pixels help each other in images that are fitted to faces or "
                  "seeds");
}

namespace {

// Empty: the built-in finder.
std::string NetworkOf(const AdaptFlags& flags) {
  if (!flags.faces.empty()) return flags.faces;
  const char* const named = std::getenv("SKINMASK_FACES");
  return named ? named : "";
}

}  // namespace

void AddReads(const AdaptFlags& flags, std::vector<std::filesystem::path>& reads) {
  reads.emplace_back(NetworkOf(flags));
  reads.emplace_back(flags.seed_mask);
}

void SetAdaptation(const AdaptFlags& flags, DetectorOptions& options) {
  if (!flags.faces.empty() && !flags.by_faces())
    throw UsageError("--faces needs --adapt auto or --adapt faces");
  options.adapt = AdaptFromName(flags.adapt);
  options.insist = flags.given || !flags.faces.empty();
  if (!flags.seed_rect.empty()) {
    options.seed_rect = ParseRectangle(flags.seed_rect);
    if (!options.seed_rect)
      throw UsageError(
          fmt::format("--seed-rect '{}' is not X,Y,WIDTH,HEIGHT in pixels", flags.seed_rect));
  }
  options.seed_mask = flags.seed_mask;
  if (flags.by_faces()) options.faces = NetworkOf(flags);
  options.refine = flags.refine != "off";
}

std::string TextOf(const AdaptationSummary& summary) {
  using By = AdaptationSummary::By;
  if (summary.by == By::kNothing) return "the global model";
  if (summary.by == By::kImage)
    return fmt::format("no face, its own threshold {:.1f} {} the model's in log-odds",
                       std::abs(summary.shift), summary.shift < 0 ? "below" : "above");
  if (summary.faces == 0) return "fitted to the seed";
  return fmt::format("fitted to {} face{}", summary.faces, summary.faces > 1 ? "s" : "");
}

void FaceCount::Add(const AdaptationSummary& summary) {
  ++images;
  with_faces += summary.faces > 0;
}

std::string FaceCount::Text() const {
  return fmt::format("faces in {} of {} image{}", with_faces, images, images > 1 ? "s" : "");
}

}  // namespace skinmask::cli
