#include "programs/live/controls.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <vector>

#include "base/folder.h"
#include "media/picture_type.h"
#include "programs/cli/print.h"
#include "programs/live/view.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/media/image.h"

namespace skinmask::live {
namespace {

std::string InWords(const std::optional<Region>& region, bool tracking) {
  if (!region) return tracking ? "nothing to follow" : "none";
  return fmt::format("{:.0f} × {:.0f} at {:.0f}, {:.0f}; {:.0f}°", 2 * region->semi_major,
                     2 * region->semi_minor, region->centroid.x, region->centroid.y,
                     region->angle_degrees);
}

// How the model was adapted to the frame.
std::string InWords(const AdaptationSummary& summary) {
  using By = AdaptationSummary::By;
  std::string as = summary.monochrome ? ", as grey" : "";
  if (summary.cool) as += ", in cool light";
  if (summary.unclear) return "no face, no clear skin" + as;
  if (summary.by == By::kImage) return "no face: its own threshold" + as;
  if (summary.by == By::kNothing || summary.by == By::kNobody) return "no face" + as;
  if (summary.remembered) return "colours of faces that have left" + as;
  if (summary.faces == 0) return "the seed" + as;
  return fmt::format("{} face{}{}", summary.faces, summary.faces > 1 ? "s" : "", as);
}

// A new file name in `folder`, which is created if necessary: "live-20261121-172233" followed by
// the suffix; never that of an existing file.
std::filesystem::path NewFileName(const std::filesystem::path& folder, const std::string& suffix) {
  const std::string stem = fmt::format("live-{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  std::error_code ignored;  // the later write reports why the folder cannot be made or used
  std::filesystem::create_directories(folder, ignored);
  std::filesystem::path path = folder / (stem + suffix);
  for (int i = 2; Exists(path); ++i) path = folder / fmt::format("{}-{}{}", stem, i, suffix);
  return path;
}

// docs/live.md has the same keys (a test compares them).
const Key kKeys[] = {
    {' ', "space", "pause", &Controls::TogglePause},
    {'v', "v", "next view", &Controls::NextView},
    {'e', "e", "ellipse of the mask and its axis, on or off", &Controls::ToggleEllipse},
    {'t', "t", "follow one region; drag a rectangle to choose it", &Controls::ToggleTracking},
    {'a', "a", "adapt the model to each frame, on or off",
     [](Controls& c) { c.scene().SetAdapting(!c.scene().adapting()); }},
    {'s', "s", "sample skin: drag a rectangle over it",
     [](Controls& c) { c.ToggleSampling(Sampling::kSkin); }},
    {'b', "b", "sample background: drag a rectangle over it",
     [](Controls& c) { c.ToggleSampling(Sampling::kBackground); }},
    {'u', "u", "take the last sample back", [](Controls& c) { c.scene().UndoSample(); }},
    {'z', "z", "forget all samples", &Controls::ForgetSamples},
    {'w', "w", "write the model as it is now", &Controls::WriteModel},
    {'p', "p", "snapshot: frame, mask and probability", &Controls::TakeSnapshot},
    {'r', "r", "record the view, and end it", &Controls::ToggleRecording},
    {'f', "f", "full screen, and back (or F11)", nullptr},
    {'i', "i", "panel and views around the picture, on or off", nullptr},
    {'h', "h", "these keys", nullptr},
    {'q', "q", "quit (or Escape)", nullptr},
    {'\x1b', "Escape", "", nullptr},
};

// Draws at the size on the screen if that is smaller, which is faster and keeps lines sharp.
cv::Mat DrawForScreen(View view, Judgement& seen, DrawOptions options, const cv::Size& canvas) {
  const cv::Size frame = seen.Mask().size(), drawn = DrawnSize(view, frame);
  const cv::Size size = Fitted(drawn, canvas).size();
  if (size.width >= drawn.width) return ForScreen(Draw(view, seen, options), size);
  const cv::Size small = SizeTimes(frame, static_cast<double>(size.width) / drawn.width);
  Judgement smaller = seen.Smaller(small);
  if (cv::Mat& behind = options.behind; !behind.empty())
    cv::resize(behind, behind, small, 0, 0,
               2 * small.width <= frame.width ? cv::INTER_AREA : cv::INTER_LINEAR);
  return ForScreen(Draw(view, smaller, options), size);
}

}  // namespace

Controls::Controls(Scene& scene, std::optional<Recorder>& recorder, View view,
                   std::filesystem::path folder, LineSink notice, bool ellipse)
    : scene_(scene), recorder_(recorder), folder_(std::move(folder)), notice_(std::move(notice)) {
  state_.view = view;
  state_.show_ellipse = ellipse;
  ShowMessage("h: help");
}

void Controls::Do(const std::vector<Command>& commands) {
  for (const Command& command : commands) {
    changed_ = true;
    try {
      command(*this);
    } catch (const Error& e) {
      Tell(e.what());
    }
  }
  scene_.Reprocess();  // once for many moves of a slider
}

void Controls::ShowMessage(const std::string& line) {
  constexpr auto kShown = std::chrono::seconds(4);
  state_.message = cli::WithFlags(line);
  message_until_ = Clock::now() + kShown;
  changed_ = true;
}

void Controls::Tell(const std::string& line) {
  notice_(line);
  ShowMessage(line);
}

bool Controls::TakeChanged() {
  if (!state_.message.empty() && Clock::now() >= message_until_) {
    state_.message.clear();
    changed_ = true;
  }
  return std::exchange(changed_, false);
}

void Controls::SetSource(const std::string& source, bool running, std::uint64_t dropped) {
  changed_ |= state_.waiting == running;
  state_.waiting = !running;
  state_.source = source;
  state_.dropped = dropped;
}

Status Controls::Describe() const {
  Status status = state_;
  status.threshold = scene_.threshold();
  status.prior = scene_.prior();
  status.adapting = scene_.adapting();
  status.adapted = scene_.adapting() ? InWords(scene_.adapted()) : "";
  status.tracking = scene_.tracking();
  status.ellipse = InWords(scene_.ellipse(), scene_.tracking());
  status.skin_pixels = scene_.samples().skin_pixels();
  status.background_pixels = scene_.samples().other_pixels();
  status.rectangles = scene_.samples().rectangles();
  status.recording = recorder_ ? recorder_->path().string() : "";
  status.skin_fraction = scene_.skin_fraction();
  return status;
}

void Controls::NextView() {
  ChooseView(static_cast<View>((static_cast<std::size_t>(state_.view) + 1) % ViewKinds().size()));
}

void Controls::ToggleTracking() {
  scene_.tracking() ? scene_.TrackNothing() : scene_.Track(std::nullopt);
  ShowMessage(scene_.tracking() ? "following the largest region" : "following nothing");
}

void Controls::ForgetSamples() {
  scene_.ClearSamples();
  ShowMessage("samples forgotten");
}

void Controls::UseRectangle(const cv::Rect& drawn) {
  constexpr int kLeastPixels = 16;  // fewer pixels are a click
  if (scene_.empty()) return;
  const cv::Size size = scene_.frame_size();
  const cv::Point a = InFrame(state_.view, size, drawn.tl());
  const cv::Point b = InFrame(state_.view, size, drawn.br() - cv::Point(1, 1));
  const cv::Rect where = cv::Rect(a, b + cv::Point(1, 1)) & cv::Rect({}, size);
  if (where.area() < kLeastPixels) return;
  if (state_.sampling != Sampling::kOff) {
    scene_.AddSamples(where, state_.sampling == Sampling::kSkin);
    ShowMessage(fmt::format("{} pixels learnt", where.area()));
  } else if (scene_.tracking()) {
    scene_.Track(where);
  }
}

void Controls::WriteModel() {
  const std::filesystem::path path = NewFileName(folder_, ".json");
  WriteFile(path, ModelToJson(scene_.model()), IfExists::kFail);
  Tell("wrote " + path.string());
}

void Controls::TakeSnapshot() {
  if (scene_.empty()) return;
  scene_.Reprocess();
  Judgement& judgement = scene_.judgement();
  const std::string suffix = ".frame.png", name = NewFileName(folder_, suffix).string();
  const std::string stem = name.substr(0, name.size() - suffix.size());
  WriteFile(name, EncodePng(judgement.Bgr()), IfExists::kFail);
  WriteFile(stem + ".mask.png", EncodePng(judgement.Mask()), IfExists::kFail);
  WriteFile(stem + ".probability.png", EncodePng(judgement.Probability()), IfExists::kFail);
  Tell("wrote " + name);
}

void Controls::ToggleRecording() {
  if (!recorder_) {
    const std::filesystem::path path = NewFileName(folder_, IsGrey(state_.view) ? ".mkv" : ".mp4");
    RequireWritable(path, IfExists::kFail);
    recorder_.emplace(path, state_.view, IfExists::kFail);
    recording_by_key_ = true;
    return ShowMessage("recording to " + path.string());
  }
  std::string line;
  try {
    line = recorder_->Finish();
  } catch (...) {
    recorder_.reset();  // it accepts no more frames
    throw;
  }
  recorder_.reset();
  Tell(line.empty() ? "no frame came: nothing was recorded" : line);
}

void Controls::Record(const cv::Mat& picture, double seconds, Rational rate,
                      Rational pixel_aspect) {
  try {
    recorder_->Write(picture, seconds, rate, pixel_aspect);
  } catch (const Error& e) {
    if (!recording_by_key_) throw;
    recorder_.reset();
    Tell(e.what());
  }
}

std::span<const Key> Keys() {
  // The keys of the views are digits, after the key for the next view.
  static const std::vector<Key> keys = [] {
    constexpr std::string_view kDigits = "123456789";
    std::vector<Key> of_views;
    for (std::size_t i = 0; i < ViewKinds().size(); ++i)
      of_views.push_back({kDigits[i], kDigits.substr(i, 1), ViewKinds()[i].help,
                          [i](Controls& c) { c.ChooseView(static_cast<View>(i)); }});
    std::vector<Key> all(std::begin(kKeys), std::end(kKeys));
    all.insert(std::ranges::find(all, 'v', &Key::key) + 1, of_views.begin(), of_views.end());
    return all;
  }();
  return keys;
}

const Key& KeyOf(char key) {
  const auto found = std::ranges::find(Keys(), key, &Key::key);
  if (found == Keys().end()) throw std::logic_error(fmt::format("no key '{}'", key));
  return *found;
}

std::string TipOf(char key) {
  const Key& found = KeyOf(key);
  return fmt::format("{} ({})", found.help, found.name);
}

void Presenter::Present(Clock::time_point captured) {
  captured_ = captured;
  const Clock::time_point before = std::exchange(presented_, Clock::now());
  if (number_++ > 0) intervals_.Add(std::chrono::duration<double>(presented_ - before).count());
  controls_.TakeChanged();
  Publish();
}

void Presenter::Refresh() {
  if (controls_.TakeChanged() || exchange_.canvas() != canvas_) Publish();
}

void Presenter::Publish() {
  const auto start = Clock::now();
  Shown shown;
  shown.status = controls_.Describe();
  canvas_ = exchange_.canvas();
  if (const double interval = intervals_.mean(); interval > 0) shown.status.rate = 1 / interval;
  shown.number = number_;
  shown.captured = captured_;
  if (!scene_.empty() && !canvas_.empty()) {
    const View view = shown.status.view;
    shown.frame = scene_.frame_size();
    shown.drawn = DrawnSize(view, shown.frame);
    const DrawOptions options{.divider = shown.status.divider, .behind = scene_.Behind(view)};
    shown.picture = DrawForScreen(view, scene_.judgement(), options, canvas_);
    if (shown.status.show_ellipse) shown.ellipse = scene_.ellipse();
  }
  shown.draw_seconds = SecondsSince(start);
  exchange_.Publish(std::move(shown));
}

void Presenter::Count(Statistics& statistics) {
  for (const Painted& painted : exchange_.TakePainted()) {
    statistics.of(Stage::kShow).Add(painted.seconds);
    statistics.of(Stage::kLatency).Add(painted.latency);
  }
}

}  // namespace skinmask::live
