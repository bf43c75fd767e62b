#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "programs/cli/adapt_flags.h"
#include "programs/cli/common.h"
#include "programs/cli/frame_table.h"

namespace skinmask::cli {
namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string folder;
  std::vector<std::string> outputs{"mask"};
  std::optional<double> threshold, prior;
  bool resume = false;
  std::string shard = "1/1";
  std::string scale = "1";
  AdaptFlags adapt;
  bool frames = false;
  std::string codec, pixels = "yuv", csv;
};

void ParseShard(const std::string& text, DetectOptions& detect) {
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, detect.shard);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == '/') {
    const auto second = std::from_chars(first.ptr + 1, end, detect.shard_count);
    if (second.ec == std::errc() && second.ptr == end && detect.shard >= 1 &&
        detect.shard <= detect.shard_count)
      return;
  }
  throw UsageError(fmt::format("--shard '{}' is not I/N with I from 1 to N", text));
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
  ParseShard(options.shard, detect);
  detect.scale = options.scale.back() - '0';  // one of those that the flag takes
  if (options.frames && !options.codec.empty())
    throw UsageError("--codec is for videos, and --frames makes none");
  detect.video.png_frames = options.frames;
  detect.video.codec = options.codec;
  detect.video.pixels =
      options.pixels == "bgr" ? FramePosterior::Pixels::kBgr : FramePosterior::Pixels::kYuv;
  return detect;
}

nlohmann::ordered_json JsonOf(const DetectedImage& image, const std::vector<std::string>& outputs) {
  nlohmann::ordered_json json{{"input", image.input.string()},
                              {"outputs", outputs},
                              {"width", image.size.width},
                              {"height", image.size.height}};
  if (image.frames > 0) {
    json["frames"] = image.frames;
    json["rate"] = fmt::format("{}/{}", image.rate.num, image.rate.den);
  }
  json["skin_pixels"] = image.skin_pixels;
  json["skin_fraction"] = image.SkinFraction();
  return json;
}

void RunDetect(const Options& options, Context& context) {
  DetectOptions detect = DetectOptionsOf(options, context);
  Model model = context.LoadModel();
  double own_threshold = model.decision.threshold;
  if (options.prior) {
    own_threshold = OwnThreshold(model, *options.prior);
    model = AsUsage([&] { return WithPrior(model, *options.prior); });
  }
  if (options.threshold) model.decision = {*options.threshold, "fixed", ""};
  if (options.adapt.any() && std::ranges::count(detect.outputs, Output::kClasses) > 0)
    throw UsageError("--output classes knows no adapted model (leave out --adapt and its seeds)");
  detect.adapter = MakeAdapter(options.adapt, model, own_threshold);
  std::optional<FrameTable> table;
  if (!options.csv.empty()) {
    table.emplace(options.csv, context.overwrite());
    detect.video.frame = [&](const DetectedFrame& frame) { table->Add(frame); };
  }
  nlohmann::ordered_json images = nlohmann::ordered_json::array(), videos = images;
  Detect(detect, model, context.StartRun("images"), [&](const DetectedImage& image) {
    std::vector<std::string> outputs;
    for (const auto& path : image.outputs) outputs.push_back(path.string());
    if (!context.json.empty())
      (image.frames > 0 ? videos : images).push_back(JsonOf(image, outputs));
    if (context.quiet || context.json_to_stdout()) return;
    const std::string frames = image.frames > 0 ? fmt::format(" of {} frames", image.frames) : "";
    Print("{}: {:.1f} % {}{} -> {}\n", image.input.string(), 100 * image.SkinFraction(),
          model.positive().name, frames, fmt::join(outputs, " "));
  });
  if (table && !StopFlag()) table->Finish();
  nlohmann::ordered_json root{
      {"threshold", model.decision.threshold}, {"images", images}, {"videos", videos}};
  context.WriteJson(root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void AddVideoOptions(CLI::App& verb, Options& options) {
  const std::string group = "Videos";
  verb.add_flag(
          "--frames", options.frames,
          "A folder of images for each video instead: b/000000.png, b/000000.overlay.png, ...")
      ->group(group);
  verb.add_option("--codec", options.codec,
                  "FFmpeg's encoder of masks, probabilities and classes, in Matroska (default: "
                  "ffv1, lossless)")
      ->type_name("NAME")
      ->group(group);
  verb.add_option(
          "--pixels", options.pixels,
          "Judge frames as they are decoded, where they are YUV and the model allows it, or "
          "converted to BGR")
      ->check(CLI::IsMember({"yuv", "bgr"}))
      ->type_name("yuv|bgr")
      ->group(group)
      ->capture_default_str();
  verb.add_option("--csv", options.csv,
                  "A row for each frame: time, share of skin, and where it is, how large and which "
                  "way it lies")
      ->type_name("FILE")
      ->group(group);
}

}  // namespace

void AddDetect(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = AddVerb(app, "detect", "Make masks of images and videos",
                           "  skinmask detect photos -o masks\n"
                           "  skinmask detect a.jpg b.png -o out --output mask,overlay "
                           "--threshold 0.3",
                           context);
  verb->add_option("input", options->inputs,
                   "Images, videos and folders of them, searched recursively")
      ->required()
      ->type_name("INPUT");
  verb->add_option("-o", options->folder, "Folder for the results; it is made if need be")
      ->required()
      ->type_name("DIR");
  verb->add_option(
          "--output", options->outputs,
          "What to write: mask (b.png, 0 and 255), probability (b.probability.png), overlay "
          "(b.overlay.png), cutout (b.cutout.png, RGBA), classes (b.classes.png, a palette); of "
          "videos b.mkv, "
          "b.probability.mkv, b.overlay.mp4, b.cutout.mp4, b.classes.mkv; repeatable")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("KIND")
      ->capture_default_str();
  verb->add_option("--threshold", options->threshold,
                   "A pixel is skin when P(skin) is above this (default: the model's own)")
      ->check(Probability())
      ->type_name("P");
  verb->add_option("--prior", options->prior,
                   "Prior P(skin), more than 0 and less than 1 (default: the model's own)")
      ->type_name("P");
  verb->add_flag("--resume", options->resume, "Leave out what exists already");
  verb->add_option("--shard", options->shard, "Do only every N-th input, beginning with the I-th")
      ->type_name("I/N")
      ->capture_default_str();
  verb->add_option("--scale", options->scale,
                   "Work on smaller pictures: 1/2, 1/4 or 1/8 of width and height, rounded up")
      ->check(CLI::IsMember({"1", "1/2", "1/4", "1/8"}))
      ->type_name("1/N")
      ->capture_default_str();
  AddVideoOptions(*verb, *options);
  AddAdaptOptions(*verb, options->adapt);
  AddModelOption(*verb, context);
  AddForceOption(*verb, context);
  AddJsonOption(*verb, context);
  verb->callback(
      [options, &context] { context.action = [options](Context& c) { RunDetect(*options, c); }; });
}

}  // namespace skinmask::cli
