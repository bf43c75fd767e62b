#include "skinmask/detect/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <opencv2/imgproc.hpp>

#include "base/nearest.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/detector.h"
#include "skinmask/detect/draw.h"
#include "skinmask/detect/region.h"

namespace skinmask {
namespace {

cv::Mat DrawMask(Judgement& judgement, const OutputForm&, const cv::Mat& memory) {
  if (judgement.detector().options().abstain) return judgement.AbstainingMask();
  if (!memory.empty()) judgement.SetMaskMemory(memory);
  return judgement.Mask();
}

cv::Mat DrawProbability(Judgement& judgement, const OutputForm& form, const cv::Mat& memory) {
  return judgement.Probability(form.bits, memory);
}

cv::Mat DrawSkinOverlay(Judgement& judgement, const OutputForm&, const cv::Mat& memory) {
  const cv::Mat mask = judgement.Mask();
  cv::Mat overlay = DrawOverlay(judgement.Shown(), mask, memory);
  const Drawing drawing = judgement.detector().options().draw.value_or(Drawing());
  if (drawing.faces) DrawFaces(overlay, judgement.Faces());
  if (drawing.ellipse)
    if (const auto region = RegionOf(MapMomentsOf(mask))) DrawRegion(overlay, *region);
  return overlay;
}

cv::Mat DrawCutout(Judgement& judgement, const OutputForm& form, const cv::Mat& memory) {
  const cv::Mat mask = judgement.Mask();
  const int width = form.feather.value_or(FeatherOf(mask.size()));
  const cv::Mat alpha = width == 0 ? mask
                                   : FeatheredAlpha(mask, judgement.Probability(),
                                                    judgement.detector().threshold(), width);
  return form.transparent ? CutOut(judgement.Shown(), alpha, memory)
                          : OnBlack(judgement.Shown(), alpha);
}

cv::Mat DrawClasses(Judgement& judgement, const OutputForm& form, const cv::Mat&) {
  const cv::Mat classes = judgement.Classes();
  return form.indexed
             ? classes
             : InPalette(classes, ClassPalette(judgement.detector().model().classes.size()));
}

cv::Mat DrawUncertainty(Judgement& judgement, const OutputForm&, const cv::Mat&) {
  return judgement.Uncertainty();
}

cv::Mat DrawHeatmap(Judgement& judgement, const OutputForm&, const cv::Mat& memory) {
  cv::Mat colors = memory;
  cv::applyColorMap(judgement.Probability(), colors, cv::COLORMAP_INFERNO);
  return colors;
}

constexpr OutputKind kOutputs[] = {
    {.output = Output::kMask,
     .name = "mask",
     .suffix = ".png",
     .video_suffix = ".mkv",
     .note = ", 0 and 255",
     .meaning = "255 where skin is, else 0",
     .type = CV_8UC1,
     .of_unknown = true,
     .is_exact = true,
     .draw = DrawMask},
    {.output = Output::kProbability,
     .name = "probability",
     .suffix = ".probability.png",
     .video_suffix = ".probability.mkv",
     .note = "",
     .meaning = "round(255 P(skin))",
     .type = CV_8UC1,
     .of_probability = true,
     .draw = DrawProbability},
    {.output = Output::kOverlay,
     .name = "overlay",
     .suffix = ".overlay.png",
     .video_suffix = ".overlay.mp4",
     .note = "",
     .meaning = "The picture, darkened where there is no skin",
     .type = CV_8UC3,
     .is_watched = true,
     .is_photograph = true,
     .takes_codec = false,
     .draw = DrawSkinOverlay},
    {.output = Output::kCutout,
     .name = "cutout",
     .suffix = ".cutout.png",
     .video_suffix = ".cutout.mp4",
     .note = ", RGBA",
     .meaning = "The picture with the mask as alpha, smooth at its border",
     .type = CV_8UC4,
     .of_probability = true,
     .is_watched = true,
     .is_photograph = true,
     .draw = DrawCutout},
    {.output = Output::kClasses,
     .name = "classes",
     .suffix = ".classes.png",
     .video_suffix = ".classes.mkv",
     .note = ", a palette",
     .meaning = "The number of the class that the model chooses, 0 being skin's",
     .type = CV_8UC1,
     .of_model_alone = true,
     .has_palette = true,
     .is_exact = true,
     .draw = DrawClasses},
    {.output = Output::kUncertainty,
     .name = "uncertainty",
     .suffix = ".uncertainty.png",
     .video_suffix = ".uncertainty.mkv",
     .note = ": 0 sure, 128 unsure, 255 unexplained",
     .meaning =
         "0 sure, 128 unsure (P in the interval of `abstain`), 255 a colour that no class explains",
     .type = CV_8UC1,
     .of_unknown = true,
     .is_exact = true,
     .draw = DrawUncertainty},
    {.output = Output::kHeatmap,
     .name = "heatmap",
     .suffix = ".heatmap.png",
     .video_suffix = ".heatmap.mp4",
     .note = ", P(skin) from black to yellow",
     .meaning = "P(skin) as a colour, from black to yellow",
     .type = CV_8UC3,
     .of_probability = true,
     .is_watched = true,
     .takes_codec = false,
     .draw = DrawHeatmap},
};

}  // namespace

std::span<const OutputKind> OutputKinds() { return kOutputs; }

const OutputKind& KindOf(Output output) {
  const auto number = static_cast<std::size_t>(output);
  if (number >= std::size(kOutputs))
    throw Error("output", fmt::format("{} is unknown (0 to {})", static_cast<int>(output),
                                      std::size(kOutputs) - 1));
  return kOutputs[number];
}

Output OutputFromName(std::string_view name) {
  const auto found = std::ranges::find(kOutputs, name, &OutputKind::name);
  if (found != std::end(kOutputs)) return found->output;
  const std::vector<std::string_view> names = OutputNames();
  throw Error(fmt::format("output '{}'", name), UnknownAmong(name, {names.begin(), names.end()}));
}

std::vector<std::string_view> OutputNames() {
  return OutputNames([](const OutputKind&) { return true; });
}

std::string OutputHelp() {
  std::string images, videos;
  for (const OutputKind& kind : kOutputs) {
    const char* const comma = images.empty() ? "" : ", ";
    images += fmt::format("{}{} (b{}{})", comma, kind.name, kind.suffix, kind.note);
    videos += fmt::format("{}b{}", comma, kind.video_suffix);
  }
  return images + "; of videos " + videos;
}

int TypeOf(Output output, const OutputForm& form) {
  const OutputKind& kind = KindOf(output);
  if (output == Output::kProbability && form.bits != 8)
    return form.bits == 16 ? CV_16UC1 : CV_32FC1;
  const bool is_drawn = kind.has_palette && !form.indexed;
  return is_drawn || (kind.type == CV_8UC4 && !form.transparent) ? CV_8UC3 : kind.type;
}

cv::Mat Draw(Output output, Judgement& judgement, const OutputForm& form, const cv::Mat& memory) {
  return KindOf(output).draw(judgement, form, memory);
}

bool Any(const std::vector<Output>& outputs, bool OutputKind::*is_such) {
  return std::ranges::any_of(outputs, [&](Output output) { return KindOf(output).*is_such; });
}

bool Changes(std::string_view option, const OutputKind& kind) {
  if (option == "abstain" || option == "outlier") return kind.of_unknown;
  if (option == "audio") return kind.is_watched;
  if (option == "class_costs") return kind.output == Output::kClasses;
  if (option == "depth") return kind.output == Output::kProbability;
  if (option == "draw") return kind.output == Output::kOverlay;
  if (option == "feather") return kind.output == Output::kCutout;
  if (option == "format" || option == "quality") return !kind.is_exact;
  // A threshold changes masks, overlays and cut-outs alone, but with all kinds also the share of
  // skin, which a run that resumes appends to the table of the run before.
  return true;
}

void RequireChanged(std::string_view option, const std::vector<Output>& outputs) {
  const auto changed = [&](const OutputKind& kind) { return Changes(option, kind); };
  if (std::ranges::none_of(outputs, changed, KindOf))
    throw Error(fmt::format("`{}`", option),
                fmt::format("needs `output` {}", fmt::join(OutputNames(changed), " or ")));
}

void RequireShown(const DetectorOptions& asked, const std::vector<Output>& outputs) {
  const auto has = [&](Output output) { return std::ranges::count(outputs, output) > 0; };
  if (asked.abstain) RequireChanged("abstain", outputs);
  const bool abstains = asked.abstain && has(Output::kMask);
  if (asked.outlier && !abstains && !has(Output::kUncertainty))
    throw Error("`outlier`", "needs `output` uncertainty, or mask with `abstain`");
  if (!asked.class_costs.empty()) RequireChanged("class_costs", outputs);
  if (asked.draw) RequireChanged("draw", outputs);
  const bool insists = asked.insist && asked.adapt != DetectorOptions::Adapt::kOff;
  const bool adapts = insists || asked.has_seeds() || !asked.faces.empty() ||
                      asked.adapt == DetectorOptions::Adapt::kFaces;
  if (!Any(outputs, &OutputKind::of_model_alone)) return;
  if (adapts)
    throw Error("`output` 'classes'",
                "knows no adapted model (leave out `adapt`, `faces` and seeds)");
  const AdaptOptions usual;
  for (const OptionRow& row : AdaptTable().rows())
    if (!row.name.empty() && row.get(&asked.adaptation) != row.get(&usual))
      throw Error(fmt::format("`{}`", row.name),
                  "is of adapted images, and `output` 'classes' knows none");
}

DetectorOptions OptionsTogether(DetectorOptions options, const std::vector<Output>& outputs,
                                const Model& model) {
  const auto has = [&](Output output) { return std::ranges::count(outputs, output) > 0; };
  if (Any(outputs, &OutputKind::of_model_alone)) {
    options.adapt = DetectorOptions::Adapt::kOff;
    options.faces.clear();
  }
  const bool both = options.abstain && has(Output::kMask) && has(Output::kUncertainty);
  if (both && !options.outlier && model.kind != Kind::kLogistic) options.outlier = kOutlierOfMaps;
  return options;
}

std::optional<double> UsualOutlier(const DetectorOptions& options,
                                   const std::vector<Output>& outputs) {
  const auto has = [&](Output output) { return std::ranges::count(outputs, output) > 0; };
  if (!has(Output::kUncertainty) || (options.abstain && has(Output::kMask))) return std::nullopt;
  return kOutlierOfMaps;
}

bool TakesCodec(Output output, const std::vector<Output>& outputs) {
  return KindOf(output).takes_codec || !Any(outputs, &OutputKind::takes_codec);
}

std::string_view WatchedExtension(std::string_view codec) {
  for (const std::string_view name : {"264", "265", "hevc", "av1"})
    if (codec.find(name) != codec.npos) return ".mp4";
  if (codec == "mpeg4") return ".mp4";  // and not msmpeg4
  return TransparentExtension(codec);
}

std::string_view TransparentExtension(std::string_view codec) {
  if (codec.find("vpx") != codec.npos || codec.starts_with("vp8") || codec.starts_with("vp9"))
    return ".webm";
  return codec.starts_with("prores") || codec == "qtrle" ? ".mov" : ".mkv";
}

}  // namespace skinmask
