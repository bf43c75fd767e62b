// The session's side of the window. Controls are what the user does to a scene: the window sends
// it, and it is done on the session's thread. The Presenter is what he gets to see.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/elapsed.h"
#include "programs/live/exchange.h"
#include "programs/live/recorder.h"
#include "programs/live/scene.h"
#include "programs/live/statistics.h"

namespace skinmask::live {

// A camera that was chosen in the window, and what is asked of it.
struct SourceChoice {
  std::string source;
  cv::Size size;
  double rate = 0;
  std::string format;
};

class Controls {
 public:
  // `recorder` is what the session records with; the user begins and ends it.
  Controls(Scene& scene, std::optional<Recorder>& recorder, View view, std::filesystem::path folder,
           LineSink notice, bool ellipse = false);

  // Carries them out. What fails is told.
  void Do(const std::vector<Command>& commands);

  void TogglePause() { state_.paused = !state_.paused; }
  void NextView();
  void ChooseView(View view) { state_.view = view; }
  void SetDivider(double share) { state_.divider = share; }
  void ToggleEllipse() { state_.show_ellipse = !state_.show_ellipse; }
  void ToggleTracking();
  void ToggleSampling(Sampling what) {
    state_.sampling = state_.sampling == what ? Sampling::kOff : what;
  }
  void ForgetSamples();
  // A rectangle that was drawn on the picture: pixels to learn from, or a region to follow.
  void UseRectangle(const cv::Rect& drawn);
  void WriteModel();
  void TakeSnapshot();
  void ToggleRecording();
  void Open(const SourceChoice& choice) { choice_ = choice; }

  Scene& scene() { return scene_; }
  bool paused() const { return state_.paused; }
  View view() const { return state_.view; }
  double divider() const { return state_.divider; }
  bool shows_ellipse() const { return state_.show_ellipse; }
  std::optional<SourceChoice> TakeChoice() { return std::exchange(choice_, std::nullopt); }
  // Something was done, or a message came or went: the picture must be shown again.
  bool TakeChanged();
  // A line for some seconds.
  void ShowMessage(const std::string& line);
  // The same, and beside the window.
  void Tell(const std::string& line);
  // All but what the source and the clock have to say.
  Status Describe() const;

 private:
  Scene& scene_;
  std::optional<Recorder>& recorder_;
  Status state_;  // what the user chose, and the message
  std::filesystem::path folder_;
  LineSink notice_;
  bool changed_ = false;
  std::optional<SourceChoice> choice_;
  Clock::time_point message_until_{};
};

// A key of the window, what it does, and how the help names it.
struct Key {
  char key;
  std::string_view name;  // "space"
  std::string_view help;  // empty: another name of the key before
  // Empty: the window does it itself.
  std::function<void(Controls& controls)> act;
};

std::span<const Key> Keys();
// Throws std::logic_error where there is none.
const Key& KeyOf(char key);
// "record the view, and end it (r)": for tooltips.
std::string TipOf(char key);

// How the source is doing.
struct Supply {
  std::string source;
  bool running = false;
  std::uint64_t dropped = 0;
};

// The Presenter shows the window what it gets to see of a session, and takes what comes back from
// it.
class Presenter {
 public:
  Presenter(Exchange& exchange, Scene& scene, Controls& controls)
      : exchange_(exchange), scene_(scene), controls_(controls) {}

  // A new frame is in view, captured then.
  void Present(Clock::time_point captured, const Supply& supply);
  // The same frame again, where something about it changed.
  void Refresh(const Supply& supply);
  // What was painted since the last call counts.
  void Count(Statistics& statistics);

 private:
  void Publish(const Supply& supply);

  Exchange& exchange_;
  Scene& scene_;
  Controls& controls_;
  RateMeter rate_;
  std::uint64_t number_ = 0;
  Clock::time_point captured_{};
  cv::Size canvas_;
  bool running_ = false;
};

}  // namespace skinmask::live
