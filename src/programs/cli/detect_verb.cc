#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/folder.h"
#include "base/parse.h"
#include "programs/cli/detect_record.h"
#include "programs/cli/detector_flags.h"
#include "programs/cli/verb.h"
#include "programs/cli/video_flags.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/media/inputs.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask::cli {
namespace {

struct DetectFlags {
  std::vector<std::string> inputs;
  std::string output;
  std::vector<std::string> outputs{"mask"};
  DetectorOptions detector;
  DetectOptions detect;  // as the flags set it; DetectOptionsOf completes it
  std::string files_from, pixels, output_format;
  Shard shard;
  std::string scale = "1", depth = "8";
  VideoFlags video;
  RawVideoFlags raw;
  RecordFlags record;
};

void SetFormatOf(const std::string& file, DetectOptions& detect) {
  const auto by_name = FormatOfName(file);
  if (!by_name)
    throw UsageError(
        "-o {}: images are written as PNG, JPEG or WebP (a folder, or a name that ends "
        "in .png, .jpg or .webp; for a video .mkv, .mp4, ...)",
        file);
  if (detect.style.format != OutputStyle::Format::kPng && detect.style.format != *by_name)
    throw UsageError("-o {} and --format name different formats (one of them)", file);
  detect.style.format = *by_name;
  AsUsage([&] { RequireFormat(detect.style, detect.outputs); }, fmt::format("-o {}: ", file));
}

std::string_view TextOfMedia(const NamedMedia& media) {
  return media.image ? "an image" : media.video ? "a video" : "a tar archive";
}

// Throws UsageError if a file or a pipe cannot be the output, as far as names show. The rest is
// checked when inputs are listed.
void RequireOneOutput(const DetectFlags& options, const DetectOptions& detect,
                      const NamedMedia& output) {
  if (options.inputs.size() > 1)
    throw UsageError("-o {}: takes one image, video or archive (a folder takes several)",
                     options.output);
  const std::string input = options.inputs.empty() ? "" : options.inputs.front();
  const bool raw = !options.raw.input_format.empty();
  NamedMedia named(raw || IsFolder(input) ? "" : input);
  named.video |= raw;
  if (!named.archive && !output.archive && (named.any() || output.any()) &&
      (detect.outputs.size() != 1 || detect.video.png_frames))
    throw UsageError("-o {}: takes one kind of output (a folder takes several, and frames)",
                     options.output);
  const bool same = (named.image && output.image) || (named.video && output.video) ||
                    (named.archive && output.archive);
  if (named.any() && output.any() && !same)
    throw UsageError("-o {}: is {} by its name, and {} is {}", options.output, TextOfMedia(output),
                     input, TextOfMedia(named));
}

// Sets the destination of outputs: a file if the name cannot be meant as a folder.
void SetOutput(const DetectFlags& options, DetectOptions& detect) {
  const std::filesystem::path output = options.output == "-" ? kStandardOutput : options.output;
  const bool folder = IsFolder(output);
  const bool special = Exists(output) && !folder && !IsRegularFile(output);
  if (options.output != "-" && options.output.starts_with('-'))
    throw UsageError("-o needs a folder, and '{0}' looks like an option (./{0})", options.output);
  if (!Exists(output) && options.output.find("://") != options.output.npos)
    throw UsageError("-o {}: is an address (a folder or a file of this machine)", options.output);
  const NamedMedia named(output.native());
  const bool file = !folder && (output == kStandardOutput || special || named.any());
  if (file) RequireOneOutput(options, detect, named);
  if (file && named.image) SetFormatOf(options.output, detect);
  (file ? detect.output_file : detect.output_folder) = output;
  if (!options.output_format.empty() && output != kStandardOutput && !special)
    throw UsageError("--output-format is for video to a pipe (a file says it by its name)");
  if (detect.output_file == kStandardOutput || special)
    detect.video.container = options.output_format.empty() || options.output_format == "y4m"
                                 ? "yuv4mpegpipe"
                                 : options.output_format;
}

// Reads a list of paths: one a line or, if the file has a zero byte, each terminated by a zero
// byte. "-" is standard input. Empty lines, and a byte order mark at the start, are skipped. Throws
// Error if the file cannot be read or names nothing. Two zero bytes in a row are an error, too: no
// program writes lists with them, but nearly all images and videos have them.
std::vector<std::string> ReadPathList(const std::string& file) {
  const std::string text = ReadFile(file == "-" ? kStandardInput : file);
  // Each ASCII letter of UTF-16 has a zero byte, so that '.' and '/' would be inputs of their own.
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw Error(file, "is UTF-16 (a list of paths is expected in the bytes of their names, UTF-8)");
  const char end = text.find('\0') != text.npos ? '\0' : '\n';
  if (text.find(std::string_view("\0\0", 2)) != text.npos)
    throw Error(file, "is no list of paths (one a line, or as `find -print0` writes them)");
  std::vector<std::string> paths = Parts(WithoutByteOrderMark(text), end);
  for (std::string& path : paths)
    if (end == '\n' && path.ends_with('\r')) path.pop_back();  // Windows line ends
  std::erase(paths, "");
  if (paths.empty()) throw Error(file, "names no input (a path a line is expected)");
  return paths;
}

void SetKinds(const DetectFlags& options, DetectOptions& detect) {
  detect.outputs.clear();
  for (const std::string& name : options.outputs) {
    const Output output = AsUsage([&] { return OutputFromName(name); });
    if (std::ranges::count(detect.outputs, output) > 0)
      throw UsageError("--output has '{}' more than once", name);
    detect.outputs.push_back(output);
  }
}

DetectOptions DetectOptionsOf(const DetectFlags& options, const Context& context) {
  DetectOptions detect = options.detect;
  detect.if_exists = context.if_exists();
  SetKinds(options, detect);
  AsUsage([&] { RequireShown(options.detector, detect.outputs); });
  SetOutput(options, detect);
  detect.video.raw = RawVideoOf(options.raw);
  if (!detect.video.raw && (!options.raw.size.empty() || !options.raw.rate.empty()))
    throw UsageError("--size and --rate are for --input-format rawvideo");
  detect.shard = options.shard.index;
  detect.shard_count = options.shard.count;
  detect.scale = options.scale.back() - '0';  // the flag was checked
  detect.probability_bits = options.depth == "16" ? 16 : 8;
  if (detect.probability_bits == 16) AsUsage([&] { RequireChanged("depth", detect.outputs); });
  AsUsage([&] { RequireFormat(detect.style, detect.outputs, detect.probability_bits); });
  if (detect.style.feather) AsUsage([&] { RequireChanged("feather", detect.outputs); });
  if (detect.video.png_frames && !detect.video.codec.empty())
    throw UsageError("--codec is for videos, and --frames makes none");
  if (!detect.video.codec.empty()) AsUsage([&] { RequireVideoEncoder(detect.video.codec); });
  if (!options.pixels.empty())
    detect.pixels = detect.video.pixels =
        options.pixels == "bgr" ? FramePosterior::Pixels::kBgr : FramePosterior::Pixels::kYuv;
  SetVideoOptions(options.video, detect);
  for (const std::string& input : options.inputs)
    detect.inputs.push_back(input == "-" ? kStandardInput : input);
  // Last, because reading it may wait for a pipe.
  if (!options.files_from.empty()) detect.listed = ReadPathList(options.files_from);
  AsUsage([&] { RequireFolders(detect); });
  return detect;
}

// Makes the detector of the flags. Throws UsageError for flags that change none of the outputs.
Detector DetectorOf(const DetectFlags& flags, const std::vector<Output>& outputs,
                    const Context& context) {
  const Model model = LoadModel(context.model);
  AsUsage([&] { Validate(flags.detector, model); });
  DetectorOptions options = OptionsTogether(flags.detector, outputs, model);
  if (outputs.size() > 1 && options.adapt != flags.detector.adapt &&
      model.positive().name == "skin" && !context.quiet)
    PrintLine(
        "warning: --output classes: is of the trained model alone, and so are the outputs beside "
        "it, which are less accurate then (a run of their own adapts; --adapt off says that this "
        "is meant)");
  options.expected = {.expected_pixels = 0};  // the run sets it
  Detector detector(model, WithFacesOfEnvironment(options));
  if (options.adapt == flags.detector.adapt) RequireAdapted(detector, context.options);
  return detector;
}

Access AccessOf(const DetectFlags& options, const DetectOptions& detect) {
  Access access{detect.inputs,
                {detect.output_folder},
                {options.record.tables.csv, options.record.tables.faces_csv, options.record.jsonl,
                 detect.output_file},
                detect.listed};
  for (const std::string& file : FilesOf(WithFacesOfEnvironment(options.detector)))
    access.reads.emplace_back(file);
  access.reads.emplace_back(options.files_from);
  return access;
}

void CheckStreams(const DetectFlags& options, const Context& context) {
  if (options.inputs.empty() && options.files_from.empty())
    throw UsageError("needs an INPUT, or --files-from");
  if (options.files_from == "-" && std::ranges::count(options.inputs, "-") > 0)
    throw UsageError("standard input cannot be an input and the list of --files-from");
  RequireApart({{options.output, "-o"},
                {options.record.tables.csv, "--csv"},
                {options.record.tables.faces_csv, "--faces-csv"},
                {options.record.jsonl, "--jsonl"},
                {context.json, "--json"}});
}

// The options that determine the outputs beside the model, for later runs that resume: the given
// ones, and the effects of the environment and of other outputs.
std::map<std::string, std::string> MadeWith(const DetectOptions& detect, const Detector& detector,
                                            const Context& context) {
  std::map<std::string, std::string> made_with =
      MadeWithOf(detect, detector.options(), detector.model());
  const auto& style = StyleTable().rows();
  for (const auto& [name, value] : context.deciding.items())
    if (!DetectorRowOf(name) && std::ranges::find(style, name, &OptionRow::name) == style.end())
      made_with.try_emplace(name, value.is_string() ? value.get<std::string>() : JsonText(value));
  return made_with;
}

void Disregard(const char* option, Context& context) {
  context.deciding.erase(option);
  context.deciding_defaults.erase(option);
}

// Sets the default of an option, and drops the option if its given value equals the default.
void SetDefault(const char* option, const std::string& usual, Context& context) {
  context.deciding_defaults[option] = usual;
  if (context.deciding.value(option, Json()) == usual) context.deciding.erase(option);
}

// Sets the defaults of options for which these depend on the outputs. (Cut-outs of different codecs
// have different names.)
void SetDefaults(const DetectFlags& options, const DetectOptions& detect, Context& context) {
  if (!detect.output_folder.empty())
    SetDefault("codec", Any(detect.outputs, &OutputKind::takes_codec) ? "ffv1" : "libx264",
               context);
  if (const auto outlier = UsualOutlier(options.detector, detect.outputs))
    SetDefault("outlier", OptionText(*outlier), context);
}

void RunDetect(const DetectFlags& options, Context& context) {
  CheckStreams(options, context);
  DetectOptions detect = DetectOptionsOf(options, context);
  Access access = AccessOf(options, detect);
  PrepareOutput(detect);
  context.CheckJson();  // before the journal of an earlier run is replaced
  DetectRecord record(options.record, context);
  context.Confine(std::move(access));
  std::erase(context.written, detect.output_file);  // Plan checks this file itself
  const Detector detector = DetectorOf(options, detect.outputs, context);
  // With --frames the range only selects the frames, unless adaptation begins with it.
  const bool begins_anew = detect.video.seek && detector.adapter();
  if (!begins_anew) Disregard("seek", context);
  if (detect.video.png_frames) Disregard("to", context);
  if (detect.video.png_frames && !begins_anew) Disregard("from", context);
  SetDefaults(options, detect, context);
  record.Begin(detector, detect);
  detect.made_with = MadeWith(detect, detector, context);
  detect.region = detect.measured = record.wants_more();
  detect.before_outputs = [&](const DetectedImage& image) { record.Note(image); };
  if (record.has_table())
    detect.video.frame = [&](const DetectedFrame& frame) { record.Add(frame); };
  // Otherwise clearing pages takes a third of the CPU time of 720p through a pipe.
  KeepFreedMemory();
  Detect(detect, detector, record.Recording(context.StartRun("images")),
         [&](const DetectedImage& image) { record.Add(image); });
  record.Finish();
}

void AddInputAndOutput(CLI::App& verb, DetectFlags& options) {
  const OptionGroup group(verb, "Output", kChangesNoResult), input(verb, "Input", kChangesNoResult);
  input.Add("input", options.inputs, "INPUT",
            "Images, videos, tar archives of images, and folders of all these, searched "
            "recursively; - is standard input");
  group
      .Add("-o", options.output, "DIR|FILE",
           "Folder for the results, which is made if need be; or, of one input and one kind "
           "of output, a file (a.png, a.mkv, a.tar), or - for standard output")
      ->required();
  input.Add("--files-from", options.files_from, "FILE",
            "Inputs too, a line each (or with a zero byte after each), which keep their "
            "folders; - is standard input");
  input.AddEach("--include", options.detect.include, "GLOB",
                "Take only the files in folders whose names match; with a slash it is matched "
                "with the path below the folder; repeatable");
  input.AddEach("--exclude", options.detect.exclude, "GLOB",
                "Leave out files and folders of such names; repeatable");
  group
      .AddDefault("--output", options.outputs, "OUTPUT",
                  "What to write: " + OutputHelp() + "; repeatable")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void AddWorkOptions(CLI::App& verb, DetectFlags& options, Context& context) {
  const OptionGroup group(verb, "Input");
  for (const char* heading : {"Decision", "Output"})
    AddTableOptions(verb, DetectorTable().rows(), &options.detector, heading);
  AddTableOptions(verb, StyleTable().rows(), &options.detect.style, "Output");
  OptionGroup(verb, "Output", kChangesNoResult)
      .AddFlag("--resume", context.resume,
               "Leave out what exists already, and complete the FILE of --json, --csv and "
               "--faces-csv");
  AddShardOption(verb, options.shard);
  AddMaxPixelsOption(verb, options.detect.max_pixels, kChangesNoResult);
  group.AddChoice("--pixels", options.pixels, {"yuv", "bgr"},
                  "Judge frames of videos, and JPEGs, by the YUV that they store, where the model "
                  "allows it, or all converted to BGR (default: yuv for videos, bgr for images)");
  group.AddChoice("--scale", options.scale, {"1", "1/2", "1/4", "1/8"},
                  "Work on smaller pictures: 1/2, 1/4 or 1/8 of width and height, rounded up");
  group.AddChoice(
      "--depth", options.depth, {"8", "16"},
      "Bits of probabilities: 255 or 65535 is 1; of videos 16 in FFV1 or rawvideo only");
}

void AddVideoOptions(CLI::App& verb, DetectFlags& options) {
  const OptionGroup group(verb, "Video");
  group.AddFlag(
      "--frames", options.detect.video.png_frames,
      "A folder of images for each video instead: b/000000.png, b/000000.overlay.png, ...");
  const auto is_usual = [](const OutputKind& kind) { return !kind.takes_codec; };
  const auto has_own = [](const OutputKind& kind) { return kind.takes_codec && !kind.is_watched; };
  const auto has_alpha = [](const OutputKind& kind) { return kind.takes_codec && kind.is_watched; };
  group.Add(
      "--codec", options.detect.video.codec, "NAME",
      fmt::format("FFmpeg's encoder of videos of {}, in Matroska (default: ffv1, lossless), "
                  "and of {}, with transparency then: vp9 (b.cutout.webm), "
                  "prores_ks (b.cutout.mov), ffv1 (b.cutout.mkv); of {} where --output asks "
                  "for these alone (default: libx264)",
                  fmt::join(OutputNames(has_own), ", "), fmt::join(OutputNames(has_alpha), ", "),
                  fmt::join(OutputNames(is_usual), ", ")));
  AddRawVideoFlags(group, options.raw);
  group.Add("--size", options.raw.size, "WxH", "Of raw video");
  group.Add("--rate", options.raw.rate, "R",
            "Of raw video, in frames a second: 30, 30000/1001 (default: 25)");
  group.AddChoice("--output-format", options.output_format, {"y4m", "rawvideo", "matroska"},
                  "Of a video to standard output or a pipe (default: y4m)");
}

void AddRecordOptions(CLI::App& verb, DetectFlags& options) {
  const OptionGroup group(verb, "Output", kChangesNoResult);
  group
      .Add("--csv", options.record.tables.csv, "FILE",
           "A row for each image and frame: time, share of skin, where it is, how large and "
           "which way it lies, and its colours: means and standard deviations of red, green "
           "and blue; - is standard output")
      ->transform(DashIs(kStandardOutput));
  group
      .Add("--faces-csv", options.record.tables.faces_csv, "FILE",
           "A row for each face in each image and frame: its number, its box, and the "
           "colours of its skin, of the forehead and of the cheeks; - is standard output")
      ->transform(DashIs(kStandardOutput));
  group
      .Add("--jsonl", options.record.jsonl, "FILE",
           "A line of JSON for each input, as soon as it is done or failed; - is standard output")
      ->transform(DashIs(kStandardOutput));
}

}  // namespace

void AddDetect(CLI::App& app, Context& context) {
  const auto [verb, options] =
      AddVerb(app, "detect", "Make masks of images and videos",
              "  skinmask detect samples/photos -o masks\n"
              "  skinmask detect samples/photos/astronaut.png -o out --output mask,overlay "
              "--threshold 0.3\n"
              "  skinmask detect samples/photos -o masks --shard 2/4 --resume --max-failures 1%\n"
              "  tar -C samples/photos -cf photos.tar .\n"
              "  skinmask detect photos.tar -o masks",
              context, RunDetect);
  AddInputAndOutput(verb, options);
  AddWorkOptions(verb, options, context);
  AddRecordOptions(verb, options);
  AddVideoOptions(verb, options);
  AddVideoFlags(verb, options.video);
  AddAdaptationOptions(verb, options.detector);
  AddModelOption(verb, context);
  AddRunOptions(verb, context);
}

}  // namespace skinmask::cli
