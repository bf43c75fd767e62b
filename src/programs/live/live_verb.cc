#include "programs/live/live_verb.h"

#include <charconv>
#include <limits>

#include "programs/cli/adapt_flags.h"
#include "programs/live/session.h"

namespace skinmask::cli {
namespace {

struct Options {
  std::string source, size, format, track;
  std::optional<double> rate, threshold, prior;
  bool mirror = false, headless = false, stats = false, fast = false, tracking = false;
  std::string view = "overlay", record, csv, folder = ".";
  std::int64_t frames = 0;
  double seconds = 0, wait = 60;
  AdaptFlags adapt;
};

// Whole numbers separated by `separator`; empty where the text is anything else.
std::vector<int> Numbers(const std::string& text, char separator) {
  std::vector<int> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    int value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < 0 || value > (1 << 20)) return {};
    numbers.push_back(value);
    if (next == end) return numbers;
    if (*next != separator) return {};
    at = next + 1;
  }
}

cv::Size ParseSize(const std::string& text) {
  if (text.empty()) return {};
  const std::vector<int> n = Numbers(text, 'x');
  if (n.size() != 2 || n[0] == 0 || n[1] == 0)
    throw UsageError(fmt::format("--size '{}' is not WIDTHxHEIGHT in pixels", text));
  return {n[0], n[1]};
}

std::optional<cv::Rect> ParseTrack(const std::string& text) {
  if (text.empty() || text == "largest") return std::nullopt;
  const std::vector<int> n = Numbers(text, ',');
  if (n.size() != 4 || n[2] == 0 || n[3] == 0)
    throw UsageError(
        fmt::format("--track '{}' is not X,Y,WIDTH,HEIGHT in pixels, or 'largest'", text));
  return cv::Rect(n[0], n[1], n[2], n[3]);
}

live::CaptureOptions CaptureOf(const Options& options) {
  const live::SourceKind kind = live::SourceKindOf(options.source);
  const bool asks = !options.size.empty() || options.rate || !options.format.empty();
  if (asks && kind != live::SourceKind::kCamera)
    throw UsageError(
        "--size, --rate and --format are for cameras; other sources say themselves what they give");
  if (options.fast && kind != live::SourceKind::kFile) throw UsageError("--fast is for files");
  if (!options.format.empty() && options.format.size() != 4)
    throw UsageError(fmt::format("--format '{}' is no V4L2 code of four characters (MJPG, YUYV)",
                                 options.format));
  live::CaptureOptions capture;
  capture.source.size = ParseSize(options.size);
  capture.source.rate = options.rate.value_or(0);
  capture.source.format = options.format;
  capture.every_frame = options.fast;
  capture.at_own_rate = kind == live::SourceKind::kFile && !options.fast;
  capture.wait_seconds = options.wait;

  return capture;
}

void RunLive(const Options& options, Context& context) {
  live::SessionOptions session;
  session.source = options.source;
  session.capture = CaptureOf(options);
  session.track = options.tracking;
  session.track_start = ParseTrack(options.track);
  session.view = AsUsage([&] { return live::ViewFromName(options.view); });
  const Model made = context.LoadModel();
  session.model = made;
  session.make_adapter = [&, made](const Model& model) {
    return MakeAdapter(options.adapt, model, OwnThreshold(made, model.positive().prior));
  };
  if (options.prior)
    session.model = AsUsage([&] { return WithPrior(session.model, *options.prior); });
  if (options.threshold) session.model.decision = {*options.threshold, "fixed", ""};
  session.headless = options.headless;
  session.mirror = options.mirror;
  session.record = options.record;
  session.csv = options.csv;
  session.folder = options.folder;
  session.overwrite = context.overwrite();
  session.frames = static_cast<std::uint64_t>(options.frames);
  session.seconds = options.seconds;
  session.stop = &StopFlag();
  const bool quiet = context.quiet;
  session.notice = [quiet](const std::string& line) {
    if (!quiet) fmt::print(stderr, "skinmask: {}\n", line);
  };
  if (options.stats)
    session.report = [](const live::Statistics& s) {
      Print("{}\n", s.Line());
      std::fflush(stdout);
    };
  const live::Statistics statistics = live::RunSession(session);
  if (!quiet && !context.json_to_stdout()) Print("{}\n", statistics.Line());
  context.WriteJson(statistics.Json());
}

void AddSourceOptions(CLI::App& verb, Options& options) {
  verb.add_option("source", options.source,
                  "Camera (0, /dev/video0), stream (rtsp://, http://, udp:// ...), GStreamer "
                  "pipeline that ends in "
                  "an appsink, or video file")
      ->required()
      ->type_name("SOURCE");
  const std::string group = "The source";
  verb.add_option("--size", options.size, "Pixels to ask a camera for (default: what it has)")
      ->type_name("WxH")
      ->group(group);
  verb.add_option("--rate", options.rate,
                  "Frames a second to ask a camera for (default: what it has)")
      ->check(CLI::Range(0.1, 1000.0))
      ->type_name("R")
      ->group(group);
  verb.add_option("--format", options.format,
                  "Pixel format to ask a camera for: MJPG, YUYV ... (default: what it has)")
      ->type_name("CODE")
      ->group(group);
  verb.add_flag("--mirror", options.mirror, "Flip pictures from left to right, as a mirror does")
      ->group(group);
  verb.add_option(
          "--wait", options.wait,
          "Seconds that a camera or stream which is lost is waited for; 0: its loss is the end")
      ->check(CLI::Range(0.0, 1e9))
      ->type_name("S")
      ->group(group)
      ->capture_default_str();
  verb.add_flag("--fast", options.fast,
                "Files: every frame, as fast as it goes, not at their own rate")
      ->group(group);
}

void AddOutputOptions(CLI::App& verb, Options& options) {
  const std::string group = "What it leaves";
  verb.add_flag("--headless", options.headless, "Without a window")->group(group);
  verb.add_option("--record", options.record,
                  "Record the view as video (.mp4: H.264; .mkv: lossless)")
      ->type_name("FILE")
      ->group(group);
  verb.add_option("--csv", options.csv, "A row per frame: time, skin, region, latency")
      ->type_name("FILE")
      ->group(group);
  verb.add_flag("--stats", options.stats, "A line a second on standard output")->group(group);
  verb.add_option("-o", options.folder, "Folder for snapshots, models and recordings made by keys")
      ->type_name("DIR")
      ->group(group)
      ->capture_default_str();
  verb.add_option("--frames", options.frames, "End after so many frames (default: no limit)")
      ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()))
      ->type_name("N")
      ->group(group);
  verb.add_option("--seconds", options.seconds,
                  "End so long after the first frame (default: no limit)")
      ->check(CLI::Range(0.0, 1e9))
      ->type_name("S")
      ->group(group);
}

}  // namespace

void AddLive(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = AddVerb(
      app, "live", "Watch a camera or a stream in a window, or record it without one",
      "  skinmask live 0 --mirror\n"
      "  skinmask live rtsp://camera/1 --headless --record skin.mp4 --csv skin.csv --seconds 60",
      context);
  AddSourceOptions(*verb, *options);
  verb->add_option("--threshold", options->threshold,
                   "A pixel is skin when P(skin) is above this (default: the model's own)")
      ->check(Probability())
      ->type_name("P");
  verb->add_option("--prior", options->prior,
                   "Prior P(skin), more than 0 and less than 1 (default: the model's own)")
      ->type_name("P");
  verb->add_option("--view", options->view, "What is shown first, and recorded")
      ->check(CLI::IsMember({"overlay", "mask", "probability", "both"}))
      ->type_name("overlay|mask|probability|both")
      ->capture_default_str();
  verb->add_option(
          "--track", options->track,
          "Follow one region from frame to frame: the largest, or what is in the rectangle")
      ->expected(0, 1)
      ->type_name("[X,Y,W,H]");
  AddOutputOptions(*verb, *options);
  AddAdaptOptions(*verb, options->adapt);
  AddModelOption(*verb, context);
  AddForceOption(*verb, context);
  AddJsonOption(*verb, context);
  verb->callback([options, verb, &context] {
    options->tracking = verb->count("--track") > 0;
    context.action = [options](Context& c) { RunLive(*options, c); };
  });
}

}  // namespace skinmask::cli
