#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/json.h"
#include "base/parse.h"
#include "pipeline/adaptation_json.h"
#include "programs/cli/adapt_flags.h"
#include "programs/cli/frame_table.h"
#include "programs/cli/posterior_flags.h"
#include "programs/cli/print.h"
#include "programs/cli/signals.h"
#include "programs/cli/usage_error.h"
#include "programs/cli/verb.h"
#include "programs/cli/verbs.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask::cli {
namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string folder;
  std::vector<std::string> outputs{"mask"};
  PosteriorFlags posterior;
  bool resume = false;
  std::string shard = "1/1";
  std::string scale = "1";
  AdaptFlags adapt;
  bool frames = false;
  std::string codec, pixels = "yuv", csv;
  std::int64_t max_pixels = kMaxPixels;
};

void SetShard(const std::string& text, DetectOptions& detect) {
  const auto numbers = ParseNumbers<std::size_t>(text, '/');
  if (!numbers || numbers->size() != 2 || (*numbers)[0] < 1 || (*numbers)[0] > (*numbers)[1])
    throw UsageError(fmt::format("--shard '{}' is not I/N with I from 1 to N", text));
  detect.shard = (*numbers)[0];
  detect.shard_count = (*numbers)[1];
}

DetectOptions DetectOptionsOf(const Options& options, const Context& context) {
  DetectOptions detect;
  detect.inputs.assign(options.inputs.begin(), options.inputs.end());
  detect.output_folder = options.folder;
  detect.overwrite = context.overwrite();
  detect.resume = options.resume;
  detect.outputs.clear();
  for (const std::string& name : options.outputs) {
    const Output output = AsUsage([&] { return OutputFromName(name); });
    if (std::find(detect.outputs.begin(), detect.outputs.end(), output) == detect.outputs.end())
      detect.outputs.push_back(output);
  }
  if (options.folder.starts_with('-'))
    throw UsageError(
        fmt::format("-o needs a folder, and '{0}' looks like an option (./{0})", options.folder));
  SetShard(options.shard, detect);
  detect.scale = options.scale.back() - '0';  // one of those that the flag takes
  if (options.frames && !options.codec.empty())
    throw UsageError("--codec is for videos, and --frames makes none");
  detect.max_pixels = options.max_pixels;
  detect.video.png_frames = options.frames;
  detect.video.codec = options.codec;
  detect.video.pixels =
      options.pixels == "bgr" ? FramePosterior::Pixels::kBgr : FramePosterior::Pixels::kYuv;
  return detect;
}

Json AdaptationJson(const DetectedImage& image) {
  if (image.frames > 0)
    return {{"frames_by_seeds", image.frames_by_seeds}, {"frames_by_image", image.frames_by_image}};
  return JsonOf(image.adaptation);
}

Json ImageJson(const DetectedImage& image, const std::vector<std::string>& outputs, bool adapts) {
  Json json{{"input", image.input.string()},
            {"outputs", outputs},
            {"width", image.size.width},
            {"height", image.size.height}};
  if (image.frames > 0) {
    json["frames"] = image.frames;
    json["rate"] = fmt::format("{}/{}", image.rate.num, image.rate.den);
  }
  json["skin_pixels"] = image.skin_pixels;
  json["skin_fraction"] = image.SkinFraction();
  if (adapts) json["adaptation"] = AdaptationJson(image);
  return json;
}

std::string HowText(const DetectedImage& image) {
  if (image.frames == 0) return TextOf(image.adaptation);
  return fmt::format("{} of them fitted to faces or seeds, {} to the frame itself",
                     image.frames_by_seeds, image.frames_by_image);
}

// The row of `detect --csv`.
FrameTable::Row RowOf(const DetectedFrame& frame) {
  return {static_cast<std::uint64_t>(frame.index), frame.seconds,
          static_cast<double>(frame.skin_pixels) / static_cast<double>(frame.pixels), frame.region,
          frame.input.string()};
}

// The model as the options have it, and in `detect` what adapts it.
Model PreparedModel(const Options& options, const Context& context, DetectOptions& detect) {
  const Model made = context.LoadModel();
  Model model = WithPosteriorFlags(made, options.posterior);
  if (std::ranges::count(detect.outputs, Output::kClasses) > 0) {
    if (options.adapt.any_given())
      throw UsageError(
          "--output classes knows no adapted model (leave out --adapt, --faces and seeds)");
    return model;  // the trained model alone, for all outputs to be of one
  }
  detect.adapter = MakeAdapter(options.adapt, model, OwnThreshold(made, model.positive().prior));
  return model;
}

void Confine(const Options& options, const DetectOptions& detect, const Context& context) {
  MakeOutputFolder(detect);
  Access access{detect.inputs, {detect.output_folder}, {options.csv}};
  AddReads(options.adapt, access.reads);
  context.Confine(std::move(access));
}

void RunDetect(const Options& options, Context& context) {
  DetectOptions detect = DetectOptionsOf(options, context);
  Confine(options, detect, context);
  const Model model = PreparedModel(options, context, detect);
  std::optional<FrameTable> table;
  if (!options.csv.empty()) {
    table.emplace(options.csv, context.overwrite(), 6, "input");
    detect.video.frame = [&](const DetectedFrame& frame) { table->Add(RowOf(frame)); };
  }
  Json images = Json::array(), videos = images;
  FaceCount faces;
  Detect(detect, model, context.StartRun("images"), [&](const DetectedImage& image) {
    std::vector<std::string> outputs;
    for (const auto& path : image.outputs) outputs.push_back(path.string());
    if (image.frames == 0) faces.Add(image.adaptation);
    if (!context.json.empty())
      (image.frames > 0 ? videos : images)
          .push_back(ImageJson(image, outputs, detect.adapter != nullptr));
    if (context.quiet || context.json_to_stdout()) return;
    const std::string frames = image.frames > 0 ? fmt::format(" of {} frames", image.frames) : "";
    const std::string how = context.verbose && detect.adapter ? " (" + HowText(image) + ")" : "";
    Print("{}: {:.1f} % {}{}{} -> {}\n", image.input.string(), 100 * image.SkinFraction(),
          model.positive().name, frames, how, fmt::join(outputs, " "));
  });
  const bool by_faces = detect.adapter && options.adapt.by_faces();
  if (by_faces && faces.images > 0 && !context.quiet && !context.json_to_stdout())
    Print("{}\n", faces.Text());
  if (table && !StopFlag()) table->Finish();
  Json root{{"threshold", model.decision.threshold}, {"images", images}, {"videos", videos}};
  if (detect.adapter) root["finder"] = detect.adapter->finder_names();
  if (by_faces) root["images_with_faces"] = faces.with_faces;
  context.WriteJson(JsonText(root, 2) + "\n");
}

void AddInputAndOutput(CLI::App& verb, Options& options) {
  const OptionGroup group(verb);
  group
      .Add("input", options.inputs, "INPUT",
           "Images, videos and folders of them, searched recursively")
      ->required();
  group.Add("-o", options.folder, "DIR", "Folder for the results; it is made if need be")
      ->required();
  group
      .AddDefault("--output", options.outputs, "KIND",
                  "What to write: mask (b.png, 0 and 255), probability (b.probability.png), "
                  "overlay (b.overlay.png), cutout (b.cutout.png, RGBA), classes (b.classes.png, a "
                  "palette); of videos b.mkv, b.probability.mkv, b.overlay.mp4, b.cutout.mp4, "
                  "b.classes.mkv; repeatable")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void AddWorkOptions(CLI::App& verb, Options& options) {
  const OptionGroup group(verb);
  AddPosteriorFlags(verb, options.posterior);
  group.AddFlag("--resume", options.resume, "Leave out what exists already");
  group.AddDefault("--shard", options.shard, "I/N",
                   "Do only every N-th input, beginning with the I-th");
  AddMaxPixelsOption(verb, options.max_pixels);
  group.AddChoice("--scale", options.scale, {"1", "1/2", "1/4", "1/8"},
                  "Work on smaller pictures: 1/2, 1/4 or 1/8 of width and height, rounded up");
}

void AddVideoOptions(CLI::App& verb, Options& options) {
  const OptionGroup group(verb, "Videos");
  group.AddFlag(
      "--frames", options.frames,
      "A folder of images for each video instead: b/000000.png, b/000000.overlay.png, ...");
  group.Add("--codec", options.codec, "NAME",
            "FFmpeg's encoder of masks, probabilities and classes, in Matroska (default: ffv1, "
            "lossless)");
  group.AddChoice("--pixels", options.pixels, {"yuv", "bgr"},
                  "Judge frames as they are decoded, where they are YUV and the model allows it, "
                  "or converted to BGR");
  group.Add("--csv", options.csv, "FILE",
            "A row for each frame: time, share of skin, and where it is, how large and which way "
            "it lies");
}

}  // namespace

void AddDetect(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = AddVerb(app, "detect", "Make masks of images and videos",
                           "  skinmask detect photos -o masks\n"
                           "  skinmask detect a.jpg b.png -o out --output mask,overlay "
                           "--threshold 0.3",
                           context);
  AddInputAndOutput(*verb, *options);
  AddWorkOptions(*verb, *options);
  AddVideoOptions(*verb, *options);
  AddAdaptFlags(*verb, options->adapt);
  AddModelOption(*verb, context);
  AddForceOption(*verb, context);
  AddJsonOption(*verb, context);
  AddSandboxOption(*verb, context);
  verb->callback(
      [options, &context] { context.action = [options](Context& c) { RunDetect(*options, c); }; });
}

}  // namespace skinmask::cli
