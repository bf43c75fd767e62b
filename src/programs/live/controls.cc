#include "programs/live/controls.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <opencv2/imgproc.hpp>

#include "programs/live/new_file_name.h"
#include "programs/live/snapshot.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"

namespace skinmask::live {

// docs/live.md has the same keys (a test compares them).
const Controls::Command Controls::kCommands[] = {
    {" ", "space  pause", &Controls::TogglePause},
    {"v", "v      next view; 1 2 3 4: overlay, mask, probability, both", &Controls::NextView},
    {"1234", "", &Controls::ChooseView},
    {"e", "e      ellipse on or off", &Controls::ToggleRegion},
    {"t", "t      track one region; drag a rectangle to choose it", &Controls::ToggleTracking},
    {"sb", "s, b   sample skin, background: drag a rectangle", &Controls::ToggleSampling},
    {"z", "z      forget the samples", &Controls::ForgetSamples},
    {"w", "w      write the model", &Controls::WriteModel},
    {"p", "p      snapshot: frame, mask, probability", &Controls::TakeSnapshot},
    {"r", "r      record, and end of it", &Controls::ToggleRecording},
    {"i", "i      words on or off", &Controls::ToggleText},
    {"h", "h      help on or off", &Controls::ToggleHelp},
    {"q\x1b", "q      quit (or Escape)", &Controls::Quit},
};

Controls::Controls(Scene& scene, std::optional<Recorder>& recorder, const std::string& title,
                   View view, std::filesystem::path folder, LineSink notice)
    : scene_(scene),
      recorder_(recorder),
      window_(title, scene.threshold(), scene.prior()),
      view_(view),
      folder_(std::move(folder)),
      notice_(std::move(notice)) {
  ShowMessage("h: help");
}

std::string Controls::Keys() {
  std::string keys;
  for (const Command& command : kCommands) keys += command.keys;
  return keys;
}

std::vector<std::string> Controls::Help() {
  std::vector<std::string> lines;
  for (const Command& command : kCommands)
    if (!command.help.empty()) lines.emplace_back(command.help);
  return lines;
}

void Controls::ShowMessage(const std::string& line) {
  constexpr auto kShown = std::chrono::seconds(4);
  message_ = line;
  message_until_ = Clock::now() + kShown;
  changed_ = true;
}

void Controls::Tell(const std::string& line) {
  notice_(line);
  ShowMessage(line);
}

void Controls::ShowEmpty(const std::string& line) {
  cv::Mat picture = cv::Mat::zeros(360, 640, CV_8UC3);
  DrawText(picture, {line});
  window_.Show(picture);
  window_.Poll();
}

void Controls::Show(const std::vector<std::string>& status) {
  cv::Mat picture = Draw(view_, scene_.ObservationFor(view_), region_);
  if (picture.type() == CV_8UC1) cv::cvtColor(picture, picture, cv::COLOR_GRAY2BGR);
  std::vector<std::string> lines;
  if (text_) lines = status;
  if (paused_) lines.emplace_back("paused");
  if (sampling_ != Sampling::kOff)
    lines.push_back(fmt::format("drag over {}; {} skin, {} background pixels",
                                sampling_ == Sampling::kSkin ? "skin" : "background",
                                scene_.samples().skin_pixels(), scene_.samples().other_pixels()));
  if (Clock::now() < message_until_) lines.push_back(message_);
  if (help_) std::ranges::move(Help(), std::back_inserter(lines));
  if (const auto drawn = window_.dragged()) {
    const cv::Scalar color =
        sampling_ == Sampling::kBackground ? cv::Scalar(255, 128, 0) : cv::Scalar(0, 200, 255);
    cv::rectangle(picture, *drawn, color, std::max(1, picture.cols / 640));
  }
  if (!lines.empty()) DrawText(picture, lines);
  window_.Show(picture);
}

bool Controls::Handle(Rational rate) {
  rate_ = rate;
  const int key = window_.Poll();
  if (!window_.IsOpen()) return false;
  if (window_.dragged()) changed_ = true;
  HandleSliders();
  try {
    if (const auto drawn = window_.TakeDragged(); drawn && !scene_.empty()) HandleRectangle(*drawn);
    if (key >= 0) Press(static_cast<char>(key & 0xff));
  } catch (const Error& e) {
    Tell(e.what());
  }
  return !quit_;
}

void Controls::HandleSliders() {
  const auto threshold = window_.TakeThreshold(), prior = window_.TakePrior();
  if (!threshold && !prior) return;
  if (threshold) scene_.SetThreshold(*threshold);
  if (prior) scene_.SetPrior(*prior);
  scene_.Reprocess();
  changed_ = true;
}

// A rectangle that was drawn: pixels to learn from, or a region to follow.
void Controls::HandleRectangle(const cv::Rect& drawn) {
  constexpr int kLeastPixels = 16;  // less is a click
  const cv::Rect where = InFrame(drawn);
  changed_ = true;
  if (where.area() < kLeastPixels) return;
  if (sampling_ != Sampling::kOff) {
    const auto start = Clock::now();
    scene_.AddSamples(where, sampling_ == Sampling::kSkin);
    scene_.Reprocess();
    ShowMessage(
        fmt::format("{} pixels learnt in {:.0f} ms", where.area(), 1e3 * SecondsSince(start)));
  } else if (scene_.tracking()) {
    scene_.Track(where);
    scene_.Reprocess();
  }
}

cv::Rect Controls::InFrame(const cv::Rect& drawn) const {
  const cv::Size size =
      scene_.frame().picture.Upright(cv::Mat(scene_.frame().picture.size, CV_8UC1)).size();
  const cv::Point a = live::InFrame(view_, size, drawn.tl());
  const cv::Point b = live::InFrame(view_, size, drawn.br() - cv::Point(1, 1));
  return cv::Rect(a, b + cv::Point(1, 1)) & cv::Rect({}, size);
}

void Controls::Press(char key) {
  changed_ = true;
  for (const Command& command : kCommands)
    if (command.keys.find(key) != command.keys.npos) (this->*command.act)(key);
}

void Controls::TogglePause(char) { paused_ = !paused_; }

void Controls::NextView(char) {
  view_ = static_cast<View>((static_cast<int>(view_) + 1) % kViewCount);
}

void Controls::ChooseView(char key) { view_ = static_cast<View>(key - '1'); }

void Controls::ToggleRegion(char) { region_ = !region_; }

void Controls::ToggleTracking(char) {
  scene_.tracking() ? scene_.TrackNothing() : scene_.Track(std::nullopt);
  ShowMessage(scene_.tracking() ? "tracking the largest region; drag a rectangle for another"
                                : "no tracking");
}

void Controls::ToggleSampling(char key) {
  const Sampling what = key == 's' ? Sampling::kSkin : Sampling::kBackground;
  sampling_ = sampling_ == what ? Sampling::kOff : what;
}

void Controls::ForgetSamples(char) {
  scene_.ClearSamples();
  scene_.Reprocess();
  ShowMessage("samples forgotten");
}

void Controls::WriteModel(char) {
  const std::filesystem::path path = NewFileName(folder_, ".json");
  WriteFile(path, ModelToJson(scene_.model()), Overwrite::kNo);
  Tell("wrote " + path.string());
}

void Controls::TakeSnapshot(char) {
  if (scene_.empty()) return;
  const Observation& seen = scene_.ObservationWithBgr();
  Tell("wrote " + Snapshot(folder_, seen.bgr, seen.maps).string());
}

void Controls::ToggleRecording(char) {
  if (!recorder_) {
    const std::filesystem::path path = NewFileName(folder_, view_ == View::kMask ? ".mkv" : ".mp4");
    RequireWritable(path, Overwrite::kNo);
    recorder_.emplace(path, view_, rate_);
    return ShowMessage("recording to " + path.string());
  }
  const std::string path = recorder_->path().string();
  const std::int64_t frames = recorder_->Finish();
  recorder_.reset();
  Tell(fmt::format("recorded {} frames to {}", frames, path));
}

void Controls::ToggleText(char) { text_ = !text_; }

void Controls::ToggleHelp(char) { help_ = !help_; }

void Controls::Quit(char) { quit_ = true; }

}  // namespace skinmask::live
