// The session's side of the window. Controls are the user's actions on a scene: the window sends
// them, and the session's thread executes them. The Presenter produces what the user sees.
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
#include "programs/live/source.h"
#include "programs/live/statistics.h"

namespace skinmask::live {

// A camera that was chosen in the window, and the requested format; empty: as it is set.
struct SourceChoice {
  std::string source;
  CameraFormat format{};
};

class Controls {
 public:
  // `recorder` is the session's recorder, which the user starts and stops.
  Controls(Scene& scene, std::optional<Recorder>& recorder, View view, std::filesystem::path folder,
           LineSink notice, bool ellipse = false);

  // Executes the commands. Errors become messages.
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
  // Uses a rectangle that was drawn on the picture, as pixels to learn from or as a region to
  // follow.
  void UseRectangle(const cv::Rect& drawn);
  void WriteModel();
  void TakeSnapshot();
  void ToggleRecording();
  // Gives the recorder, which must exist, a picture of its view. If it fails, a recording that was
  // started by a key ends with a message; any other failure throws Error.
  void Record(const cv::Mat& picture, double seconds, Rational rate, Rational pixel_aspect);
  void Open(const SourceChoice& choice) { choice_ = choice; }

  Scene& scene() { return scene_; }
  // The user's settings; Describe adds what the session knows.
  const Status& settings() const { return state_; }
  std::optional<SourceChoice> TakeChoice() { return std::exchange(choice_, std::nullopt); }
  // True once after an action, or after a message appeared or disappeared: the picture must then be
  // shown again.
  bool TakeChanged();
  // Shows a line for some seconds.
  void ShowMessage(const std::string& line);
  // The same, and also sends the line to the notice sink.
  void Tell(const std::string& line);
  void SetSource(const std::string& source, bool running, std::uint64_t dropped);
  // The status, without the rate.
  Status Describe() const;

 private:
  Scene& scene_;
  std::optional<Recorder>& recorder_;
  Status state_;  // the user's settings, the source, and the message
  std::filesystem::path folder_;
  LineSink notice_;
  bool recording_by_key_ = false;
  bool changed_ = false;
  std::optional<SourceChoice> choice_;
  Clock::time_point message_until_{};
};

// A key of the window, its action and its help.
struct Key {
  char key;
  std::string_view name;  // "space"
  std::string_view help;  // empty: another name for the previous key
  // Empty: the window handles the key.
  std::function<void(Controls& controls)> act;
};

std::span<const Key> Keys();
// Throws std::logic_error if there is no such key.
const Key& KeyOf(char key);
// "record the view, and end it (r)": for tooltips.
std::string TipOf(char key);

// The Presenter publishes pictures to the window, and collects its reports of painted frames.
class Presenter {
 public:
  Presenter(Exchange& exchange, Scene& scene, Controls& controls)
      : exchange_(exchange), scene_(scene), controls_(controls) {}

  // Publishes a new frame, which was captured at that time.
  void Present(Clock::time_point captured);
  // Publishes the same frame again if something about it changed.
  void Refresh();
  // Adds the times of frames that were painted since the last call.
  void Count(Statistics& statistics);

 private:
  void Publish();

  Exchange& exchange_;
  Scene& scene_;
  Controls& controls_;
  History intervals_{30};  // seconds between the last frames
  Clock::time_point presented_{};
  std::uint64_t number_ = 0;
  Clock::time_point captured_{};
  cv::Size canvas_;
};

}  // namespace skinmask::live
