#include "programs/live/controls.h"

#include <fmt/format.h>

#include <opencv2/imgproc.hpp>

#include "skinmask/base/error.h"
#include "skinmask/base/file.h"

namespace skinmask::live {
namespace {

const std::vector<std::string>& Help() {
  static const std::vector<std::string> lines{
      "space  pause",
      "v      next view; 1 2 3 4: overlay, mask, probability, both",
      "e      ellipse on or off",
      "t      track one region; drag a rectangle to choose it",
      "s, b   sample skin, background: drag a rectangle",
      "z      forget the samples",
      "w      write the model",
      "p      snapshot: frame, mask, probability",
      "r      record, and end of it",
      "i      words on or off",
      "h      help on or off",
      "q      quit (or Escape)"};
  return lines;
}

bool NeedsBgr(View view) { return view == View::kOverlay || view == View::kBoth; }

}  // namespace

Controls::Controls(Scene& scene, const std::string& title, View view, std::filesystem::path folder,
                   LineSink notice)
    : scene_(scene),
      window_(title, scene.threshold(), scene.prior()),
      view_(view),
      folder_(std::move(folder)),
      notice_(std::move(notice)) {
  Say("h: help");
}

void Controls::Say(const std::string& line) {
  constexpr auto kShown = std::chrono::seconds(4);
  message_ = line;
  message_until_ = Clock::now() + kShown;
  changed_ = true;
}

void Controls::ShowEmpty(const std::string& line) {
  cv::Mat picture = cv::Mat::zeros(360, 640, CV_8UC3);
  DrawText(picture, {line});
  window_.Show(picture);
  window_.Poll();
}

void Controls::Show(const std::vector<std::string>& status) {
  cv::Mat picture = Draw(view_, scene_.Seen(NeedsBgr(view_)), region_);
  if (picture.type() == CV_8UC1) cv::cvtColor(picture, picture, cv::COLOR_GRAY2BGR);
  std::vector<std::string> lines;
  if (text_) lines = status;
  if (paused_) lines.emplace_back("paused");
  if (sampling_ != Sampling::kOff)
    lines.push_back(fmt::format("drag over {}; {} skin, {} background pixels",
                                sampling_ == Sampling::kSkin ? "skin" : "background",
                                scene_.samples().skin_pixels(), scene_.samples().other_pixels()));
  if (Clock::now() < message_until_) lines.push_back(message_);
  if (help_) lines.insert(lines.end(), Help().begin(), Help().end());
  if (const auto drawn = window_.dragged()) {
    const cv::Scalar color =
        sampling_ == Sampling::kBackground ? cv::Scalar(255, 128, 0) : cv::Scalar(0, 200, 255);
    cv::rectangle(picture, *drawn, color, std::max(1, picture.cols / 640));
  }
  if (!lines.empty()) DrawText(picture, lines);
  window_.Show(picture);
}

bool Controls::Handle(std::optional<Recorder>& recorder, Rational rate) {
  const int key = window_.Poll();
  if (!window_.IsOpen()) return false;
  if (window_.dragged()) changed_ = true;
  if (const auto threshold = window_.TakeThreshold()) {
    scene_.SetThreshold(*threshold);
    scene_.LookAgain();
    changed_ = true;
  }
  if (const auto prior = window_.TakePrior()) {
    scene_.SetPrior(*prior);
    scene_.LookAgain();
    changed_ = true;
  }
  try {
    if (const auto drawn = window_.TakeDragged(); drawn && !scene_.empty()) Sample(*drawn);
    if (key >= 0) Key(key & 0xff, recorder, rate);
  } catch (const Error& e) {
    notice_(e.what());
    Say(e.what());
  }
  return !quit_;
}

void Controls::Key(int key, std::optional<Recorder>& recorder, Rational rate) {
  changed_ = true;
  switch (key) {
    case ' ':
      paused_ = !paused_;
      break;
    case 'v':
      view_ = static_cast<View>((static_cast<int>(view_) + 1) % kViewCount);
      break;
    case '1':
    case '2':
    case '3':
    case '4':
      view_ = static_cast<View>(key - '1');
      break;
    case 'e':
      region_ = !region_;
      break;
    case 't':
      scene_.tracking() ? scene_.TrackNothing() : scene_.Track(std::nullopt);
      Say(scene_.tracking() ? "tracking the largest region; drag a rectangle for another"
                            : "no tracking");
      break;
    case 's':
      ToggleSampling(Sampling::kSkin);
      break;
    case 'b':
      ToggleSampling(Sampling::kBackground);
      break;
    case 'z':
      scene_.ClearSamples();
      scene_.LookAgain();
      Say("samples forgotten");
      break;
    case 'w':
      SaveModel();
      break;
    case 'p':
      if (!scene_.empty()) {
        const Observation& seen = scene_.Seen(true);
        const std::string name = Snapshot(folder_, seen.bgr, seen.maps).string();
        notice_("wrote " + name);
        Say("wrote " + name);
      }
      break;
    case 'r':
      ToggleRecording(recorder, rate);
      break;
    case 'i':
      text_ = !text_;
      break;
    case 'h':
      help_ = !help_;
      break;
    case 'q':
    case 27:
      quit_ = true;
      break;
    default:
      break;
  }
}

void Controls::ToggleRecording(std::optional<Recorder>& recorder, Rational rate) {
  if (!recorder) {
    const std::filesystem::path path = NewName(folder_, view_ == View::kMask ? ".mkv" : ".mp4");
    RequireWritable(path, Overwrite::kNo);
    recorder.emplace(path, view_, rate);
    return Say("recording to " + path.string());
  }
  const std::string path = recorder->path().string();
  const std::int64_t frames = recorder->Finish();
  recorder.reset();
  const std::string line = fmt::format("recorded {} frames to {}", frames, path);
  notice_(line);
  Say(line);
}

void Controls::ToggleSampling(Sampling what) {
  sampling_ = sampling_ == what ? Sampling::kOff : what;
}

cv::Rect Controls::InFrame(const cv::Rect& drawn) const {
  const cv::Size size =
      scene_.frame().picture.Upright(cv::Mat(scene_.frame().picture.size, CV_8UC1)).size();
  const cv::Point a = live::InFrame(view_, size, drawn.tl());
  const cv::Point b = live::InFrame(view_, size, drawn.br() - cv::Point(1, 1));
  return cv::Rect(a, b + cv::Point(1, 1)) & cv::Rect({}, size);
}

// A rectangle that was drawn: pixels to learn from, or a region to follow.
void Controls::Sample(const cv::Rect& drawn) {
  constexpr int kLeastPixels = 16;  // less is a click
  const cv::Rect where = InFrame(drawn);
  changed_ = true;
  if (where.area() < kLeastPixels) return;
  if (sampling_ != Sampling::kOff) {
    const auto start = Clock::now();
    scene_.AddSamples(where, sampling_ == Sampling::kSkin);
    scene_.LookAgain();
    Say(fmt::format("{} pixels learnt in {:.0f} ms", where.area(),
                    std::chrono::duration<double, std::milli>(Clock::now() - start).count()));
  } else if (scene_.tracking()) {
    scene_.Track(where);
    scene_.LookAgain();
  }
}

void Controls::SaveModel() {
  const std::filesystem::path path = NewName(folder_, ".json");
  WriteFile(path, ModelToJson(scene_.model()), Overwrite::kNo);
  notice_("wrote " + path.string());
  Say("wrote " + path.string());
}

}  // namespace skinmask::live
