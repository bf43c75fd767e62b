// skinmask-live, the program of the verb `live`, which `skinmask live` starts.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>

#include "base/folder.h"
#include "base/parse.h"
#include "programs/cli/detector_flags.h"
#include "programs/cli/frame_tables.h"
#include "programs/cli/print.h"
#include "programs/cli/verb.h"
#include "programs/cli/video_flags.h"
#include "programs/live/exchange.h"
#include "programs/live/session.h"
#include "programs/live/view.h"
#include "skinmask/detect/detector.h"
#include "skinmask/media/inputs.h"

namespace skinmask::cli {
namespace {

struct Options {
  live::SessionOptions session;  // as the flags set it; SessionOf completes it
  std::string track;
  RawVideoFlags raw;  // --size and --rate are for cameras, too
  bool headless = false, stats = false, fast = false;
  std::string view = "overlay", folder = ".";
};

double RateOf(const std::string& text) {
  if (text.empty()) return 0;
  const auto rate = ParseNumber<double>(text);
  if (rate && *rate >= 0.1 && *rate <= 1000) return *rate;
  throw UsageError("--rate '{}' is no number of frames a second from 0.1 to 1000", text);
}

std::optional<cv::Rect> TrackStart(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (const auto rectangle = RectangleFromText(text)) return rectangle;
  throw UsageError("--track '{}' is not X,Y,WIDTH,HEIGHT in pixels", text);
}

live::CaptureOptions CaptureOf(const Options& options) {
  live::CaptureOptions capture = options.session.capture;
  live::CameraFormat& wanted = capture.source.wanted;
  const live::SourceKind kind = live::SourceKindOf(options.session.source);
  const bool asks = !options.raw.size.empty() || !options.raw.rate.empty();
  const bool file = kind == live::SourceKind::kFile || kind == live::SourceKind::kPipe;
  const std::optional<RawVideo> raw = RawVideoOf(options.raw);
  if (raw && !file) throw UsageError("--input-format is for files and pipes");
  if ((asks && !raw && kind != live::SourceKind::kCamera) ||
      (!wanted.code.empty() && kind != live::SourceKind::kCamera))
    throw UsageError(
        "--size, --rate and --format are for cameras; other sources say themselves what they give");
  if (options.fast && !file) throw UsageError("--fast is for files and pipes");
  if (!wanted.code.empty() && wanted.code.size() != 4)
    throw UsageError("--format '{}' is no V4L2 code of four characters (MJPG, YUYV)", wanted.code);
  wanted.size = SizeOf(options.raw.size);
  wanted.rate = raw ? 0 : RateOf(options.raw.rate);
  capture.source.raw = raw;
  capture.every_frame = options.fast;
  capture.at_own_rate = kind == live::SourceKind::kFile && !options.fast;
  return capture;
}

live::SessionOptions SessionOf(const Options& options, const Context& context) {
  live::SessionOptions session = options.session;
  session.capture = CaptureOf(options);
  session.track_start = TrackStart(options.track);
  session.view = live::ViewFromName(options.view);
  const std::string& background = session.background;
  const bool is_word = background.find_first_of("./") == std::string::npos;  // not a file's name
  if (background != "blur" && !live::ParseColor(background) &&
      (background.starts_with("#") || (is_word && !Exists(background))))
    throw UsageError(
        "--background '{}' is no colour (black, white, grey, green, blue, #RRGGBB), no image file "
        "and not blur",
        background);
  const DetectorOptions& asked = options.session.detector;
  session.ellipse = asked.draw && asked.draw->ellipse;
  session.model = LoadModel(context.model);
  session.detector = WithFacesOfEnvironment(asked);
  if (options.headless && asked.draw &&
      (live::IsGrey(session.view) || session.view == live::View::kCutout))
    throw UsageError(
        "--draw is of pictures, and --view shows none (--headless no other one later)");
  constexpr live::View kWithFaces[] = {live::View::kOverlay, live::View::kBoth, live::View::kSplit};
  if (options.headless && asked.draw && asked.draw->faces &&
      std::ranges::find(kWithFaces, session.view) == std::end(kWithFaces))
    throw UsageError("--draw faces is of overlays, and --view {} shows none (overlay, both, split)",
                     options.view);
  if (session.ellipse) session.detector.draw->ellipse = false;  // the session draws it itself
  // The face search in every eighth frame must leave most of a core to the other work.
  session.detector.hog.max_searched_pixels = session.detector.hog.min_searched_pixels;
  session.if_asked = session.detector;
  if (asked.adapt == DetectorOptions::Adapt::kOff && !asked.has_seeds())
    session.if_asked.adapt = DetectorOptions::Adapt::kAuto;
  session.if_asked.insist = true;
  session.if_asked = WithFacesOfEnvironment(session.if_asked);
  AsUsage([&] { Validate(session.detector, session.model); });
  // In a window, a key switches adaptation on.
  if (options.headless) RequireAdapted(Detector(session.model, session.detector), context.options);
  session.folder = options.folder;
  session.if_exists = context.if_exists();
  session.stop = &StopFlag();
  return session;
}

// True if the network is needed: for streams, for sinks (which may be streams), and for an X server
// on another machine or behind ssh.
bool NeedsNetwork(const Options& options) {
  const live::SourceKind kind = live::SourceKindOf(options.session.source);
  if (kind == live::SourceKind::kStream || kind == live::SourceKind::kPipeline) return true;
  if (options.session.sink) return true;
  const char* const display = std::getenv("DISPLAY");
  return !options.headless && display && *display != ':' && *display != '\0';
}

void RunLive(const Options& options, Context& context) {
  context.CheckJson();
  if (context.sandbox != "off" && !NeedsNetwork(options)) {
    const std::string line = ForbidNetwork();
    if (context.verbose) PrintLine(line);
  }
  live::SessionOptions session = SessionOf(options, context);
  const bool quiet = context.quiet;
  session.notice = [quiet](const std::string& line) {
    if (!quiet) PrintLine(line);
  };
  if (options.stats)
    session.report = [](const live::Statistics& s) {
      Print("{}\n", s.Line());
      RequireOutputWritten();
    };
  const auto run = [&](live::Exchange* exchange) {
    const live::Statistics statistics = live::RunSession(session, exchange);
    if (!quiet && !context.json_to_stdout() && session.tables.csv != kStandardOutput &&
        session.tables.faces_csv != kStandardOutput)
      Print("{}\n", statistics.Line());
    try {
      context.WriteJson(statistics.ToJson());
    } catch (const Error& e) {
      if (!statistics.failure) throw;
      PrintLine(e.what());  // beside what ended the run
    }
    if (statistics.failure) std::rethrow_exception(statistics.failure);
  };
  if (options.headless) return run(nullptr);
  live::RunInWindow("skinmask: " + session.source,
                    [&](live::Exchange& exchange) { run(&exchange); });
}

void AddSourceOptions(CLI::App& verb, Options& options) {
  const OptionGroup group(verb, "Input");
  group
      .Add("source", options.session.source, "SOURCE",
           "Camera (0, /dev/video0), stream (rtsp://, http://, udp:// ...), GStreamer pipeline "
           "that ends in an appsink, video file, or - for standard input")
      ->required();
  group.Add("--size", options.raw.size, "WxH",
            "Pixels to ask a camera for (default: what it has), or of each frame of raw video");
  group.Add(
      "--rate", options.raw.rate, "R",
      "Frames a second to ask a camera for (default: what it has), or of raw video (default: 25)");
  group.Add("--format", options.session.capture.source.wanted.code, "CODE",
            "Pixel format to ask a camera for: MJPG, YUYV ... (default: what it has)");
  group.AddFlag("--mirror", options.session.mirror,
                "Flip pictures from left to right, as a mirror does");
  group
      .AddDefault(
          "--wait", options.session.capture.wait_seconds, "S",
          "Seconds that a camera or stream which is lost is waited for; 0: its loss is the end")
      ->check(Within(0.0, 1e9));
  group.AddFlag(
      "--fast", options.fast,
      "Files: every frame, as fast as it goes, not at their own rate; pipes: every frame, for "
      "which their writer waits");
  AddRawVideoFlags(group, options.raw);
}

void AddViewOptions(CLI::App& verb, Options& options) {
  const OptionGroup group(verb, "View");
  for (const char* name : {"threshold", "prior", "draw"})
    AddTableOption(verb, FindOption(DetectorTable().rows(), name), &options.session.detector);
  group.AddChoice("--view", options.view, live::ViewNames(), "What is shown first, and recorded");
  group.AddDefault("--background", options.session.background, "blur|COLOR|FILE",
                   "What stands behind a cut-out: the frame, blurred; a colour (#RRGGBB, black, "
                   "white, grey, green, blue); or a picture. Without --view, the view is cutout");
  group
      .Add("--track", options.track, "[X,Y,W,H]",
           "Follow one region from frame to frame: the largest, or what is in the rectangle")
      ->expected(0, 1);
}

void AddOutputOptions(CLI::App& verb, Options& options) {
  const OptionGroup group(verb, "Output");
  group.AddFlag("--headless", options.headless, "Without a window");
  group.Add("--record", options.session.record, "FILE",
            "Record the view as video (.mp4: H.264; .webm: VP9; .mkv: lossless)");
  group.Add("--sink", options.session.sink, "PIPELINE",
            "Give every frame of the view to 'appsrc ! videoconvert ! PIPELINE' of GStreamer: "
            "'v4l2sink device=/dev/video10' is a virtual camera");
  group
      .Add("--csv", options.session.tables.csv, "FILE",
           "A row per frame: time, skin, region, latency, when it was captured, and means and "
           "standard deviations of red, green and blue; - is standard output")
      ->transform(DashIs(kStandardOutput));
  group
      .Add("--faces-csv", options.session.tables.faces_csv, "FILE",
           "A row for each face in each frame: its number, its box, and the colours of its skin, "
           "of the forehead and of the cheeks; - is standard output")
      ->transform(DashIs(kStandardOutput));
  AddTableOption(verb, FindOption(DetectorTable().rows(), "erode"), &options.session.detector);
  group.AddFlag("--stats", options.stats, "A line a second on standard output");
  group.AddDefault("-o", options.folder, "DIR",
                   "Folder for snapshots, models and recordings made by keys");
  group
      .Add("--frames", options.session.frames, "N", "End after so many frames (default: no limit)")
      ->check(Within(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()));
  group
      .Add("--seconds", options.session.seconds, "S",
           "End so long after the first frame (default: no limit)")
      ->check(Within(1e-3, 1e9));
}

void AddLive(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = AddVerb(
      app, "live", "Watch a camera or a stream in a window, or record it without one",
      "  skinmask live 0 --mirror\n"
      "  skinmask live rtsp://camera/1 --headless --record skin.mp4 --csv skin.csv --seconds 60",
      context);
  AddSourceOptions(*verb, *options);
  AddViewOptions(*verb, *options);
  AddOutputOptions(*verb, *options);
  AddAdaptationOptions(*verb, options->session.detector);
  AddModelOption(*verb, context);
  AddForceOption(*verb, context);
  AddJsonOption(*verb, context);
  AddSandboxOption(*verb, context,
                   "Give up the network, unless the source is a stream or a pipeline, there is a "
                   "--sink, or the display is another machine's");
  verb->callback([options, verb, &context] {
    live::SessionOptions& session = options->session;
    if (session.source == "-") session.source = kStandardInput;
    const NamedOutput csv{session.tables.csv, "--csv"},
        faces{session.tables.faces_csv, "--faces-csv"}, record{session.record, "--record"},
        json{context.json, "--json"};
    RequireApart({csv, faces, record, json, {options->stats ? kStandardOutput : "", "--stats"}});
    std::vector<std::string> inputs = FilesOf(session.detector);
    inputs.insert(inputs.end(), {session.source, context.model, session.background});
    RequireApart({csv, faces, record, json}, inputs, "an input");
    const live::SourceKind kind = live::SourceKindOf(session.source);
    if (verb->count("--wait") > 0 &&
        (kind == live::SourceKind::kFile || kind == live::SourceKind::kPipe))
      throw UsageError("--wait is for cameras and streams: the loss of files and pipes is the end");
    const NamedMedia recorded(session.record.native());
    if (verb->count("--record") > 0 && (!recorded.video || recorded.image))
      throw UsageError("--record '{}' is no name of a video (FILE.mp4 or FILE.mkv)",
                       session.record.string());
    session.track = verb->count("--track") > 0;
    const bool background = verb->count("--background") > 0;
    if (background && verb->count("--view") == 0) options->view = "cutout";
    if (background && options->headless && options->view != "cutout")
      throw UsageError("--background is of --view cutout (--headless shows no other one later)");
    context.action = [options](Context& c) { RunLive(*options, c); };
  });
}

}  // namespace
}  // namespace skinmask::cli

int main(int argc, char** argv) {
  using namespace skinmask::cli;
  constexpr VerbRow kVerbs[] = {{"live", AddLive}, {"help", AddHelp}};
  // Pictures are allocated and freed thirty times a second; fresh pages would take two thirds of
  // the time for an overlay.
  KeepFreedMemory();
  // Shortens OpenCV's wait for a camera's frame from ten seconds to one; Camera::Read (v4l2.cc)
  // repeats it until its own limit. Set here, while there is one thread: Qt reads the environment.
  setenv("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "1", 1);
  const int status = RunApp(argc, argv, kVerbs);
  std::fflush(nullptr);
  // Ends without waiting for a thread whose camera driver does not return.
  std::_Exit(status);
}
