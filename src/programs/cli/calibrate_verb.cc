#include <fmt/format.h>

#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "base/json.h"
#include "model/gaussian_json.h"
#include "programs/cli/print.h"
#include "programs/cli/scores_output.h"
#include "programs/cli/verb.h"
#include "skinmask/base/file.h"
#include "skinmask/media/inputs.h"
#include "skinmask/pipeline/adapted_calibration.h"

namespace skinmask::cli {
namespace {

struct CalibrateFlags {
  std::vector<std::string> parts;
  std::string output;
};

// The slopes next to the threshold are separate members.
Json JsonOf(const CalibrationCurve& curve, std::size_t images, bool fitted) {
  return Json{{"images", images},
              {"fitted", fitted},
              {"below", curve.below.lines.front().slope},
              {"above", curve.above.lines.front().slope},
              {"below_curve", SideJson(curve.below)},
              {"above_curve", SideJson(curve.above)}};
}

Json JsonOf(const AdaptedCalibrationFit& fit) {
  const AdaptedCalibration& c = fit.calibration;
  Json root{{"faces", JsonOf(c.faces, fit.faces, fit.faces_fitted)},
            {"image", JsonOf(c.image, fit.image, fit.image_fitted)},
            {"neither", JsonOf(c.neither, fit.neither, fit.neither_fitted)}};
  for (const CalibrationSet& set : fit.sets)
    root["parts"].push_back({{"name", set.name},
                             {"images", set.images},
                             {"ece", OrNull(set.before)},
                             {"ece_left_out", OrNull(set.after)},
                             {"ece_middle", OrNull(set.middle_before)},
                             {"ece_middle_left_out", OrNull(set.middle_after)}});
  return root;
}

// The name of each kind, the number of its images, whether they were fitted, and the curve.
auto NamedCurves(const AdaptedCalibrationFit& fit) {
  const AdaptedCalibration& c = fit.calibration;
  return std::array{std::tuple("fitted to faces", fit.faces, fit.faces_fitted, &c.faces),
                    std::tuple("divided by colours", fit.image, fit.image_fitted, &c.image),
                    std::tuple("neither", fit.neither, fit.neither_fitted, &c.neither)};
}

void PrintFit(const AdaptedCalibrationFit& fit) {
  Print("{:<24} {:>8} {:>12} {:>12} {:>12} {:>12}\n", "part", "images", "ECE", "left out",
        "P .2 to .8", "left out");
  for (const CalibrationSet& set : fit.sets)
    Print("{:<24} {:>8} {:>12} {:>12} {:>12} {:>12}\n", set.name, set.images, Shown(set.before, 4),
          Shown(set.after, 4), Shown(set.middle_before, 4), Shown(set.middle_after, 4));
  Print("\n{:<24} {:>8}  {}\n", "", "images", "log-odds that are told, beyond the threshold");
  for (const auto& [kind, images, fitted, curve] : NamedCurves(fit))
    Print("{:<24} {:>8}  {}\n", kind, images, CurveWords(*curve));
}

// Warns of images that gave no curve, of curves from few images, which may not hold for other
// images, and of curves that make the error of left-out images larger.
void Warn(const AdaptedCalibrationFit& fit) {
  constexpr std::size_t kFew = 20;
  for (const auto& [kind, images, fitted, curve] : NamedCurves(fit))
    if (images > 0 && !fitted)
      PrintLine(fmt::format(
          "warning: {}: not calibrated, and as before (two images are needed that have pixels of "
          "both classes on both sides of the threshold, and of {} here fewer have)",
          kind, images));
    else if (images > 0 && images < kFew)
      PrintLine(fmt::format(
          "warning: {}: calibrated on {} image{} only (the error with images left out tells)", kind,
          images, images > 1 ? "s" : ""));
  for (const CalibrationSet& set : fit.sets)
    if (set.before && set.after && *set.after > *set.before)
      PrintLine(
          fmt::format("warning: {}: its error becomes larger, {:.4f} from {:.4f}, with curves of "
                      "the other images",
                      set.name, *set.after, *set.before));
}

void RunCalibrate(const CalibrateFlags& options, Context& context) {
  RequireApart({{options.output, "-o"}, {context.json, "--json"}});
  context.Confine({{options.parts.begin(), options.parts.end()}, {}, {options.output}});
  RequireNoMedia(options.output);
  Model model = LoadModel(context.model);
  const AdaptedCalibrationFit fit =
      FitAdaptedCalibration({options.parts.begin(), options.parts.end()}, model, &StopFlag());
  if (StopFlag()) return;
  model.adapted_calibration = fit.calibration;
  Validate(model, "the calibrated model");
  WriteFile(options.output, ModelToJson(model), context.if_exists());
  if (!context.json_to_stdout() && !context.quiet) PrintFit(fit);
  if (!context.quiet) Warn(fit);
  context.WriteJson(JsonText(JsonOf(fit), 2) + "\n");
}

}  // namespace

void AddCalibrate(CLI::App& app, Context& context) {
  const auto [verb, options] =
      AddVerb(app, "calibrate", "Calibrate the probabilities of adapted images",
              "  skinmask evaluate --images samples/photos --truth samples/masks "
              "--max-f1 --partial part.json\n"
              "  skinmask calibrate part.json -o calibrated.json",
              context, RunCalibrate);
  OptionGroup(verb, "Input")
      .Add("parts", options.parts, "PART",
           "Files that `evaluate --partial --max-f1` wrote with this model: all of each evaluation")
      ->required();
  OptionGroup(verb, "Output")
      .Add("-o", options.output, "MODEL", "Model file to write")
      ->required()
      ->check(NamedLike({}, "a model"));
  AddModelOption(verb, context);
  AddJsonOption(verb, context);
  AddForceOption(verb, context);
  AddSandboxOption(verb, context);
}

}  // namespace skinmask::cli
