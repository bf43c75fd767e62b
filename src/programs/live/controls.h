// What the keys, the mouse and the sliders do to a scene, and the words on the picture.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/elapsed.h"
#include "programs/live/recorder.h"
#include "programs/live/scene.h"
#include "programs/live/window.h"

namespace skinmask::live {

class Controls {
 public:
  // `recorder` is what the session records with; keys begin and end it.
  Controls(Scene& scene, std::optional<Recorder>& recorder, const std::string& title, View view,
           std::filesystem::path folder, LineSink notice);

  // All keys, and what they do in lines as the window shows them.
  static std::string Keys();
  static std::vector<std::string> Help();

  // A window that waits for its first frame.
  void ShowEmpty(const std::string& line);
  // Shows the frame in view, with `status` on it.
  void Show(const std::vector<std::string>& status);
  // Handles what the user did; false when he is done. `rate` is the source's.
  bool Handle(Rational rate);

  bool paused() const { return paused_; }
  // The frame in view must be shown again.
  bool TakeChanged() { return std::exchange(changed_, false); }
  // Puts a line on the picture for some seconds.
  void ShowMessage(const std::string& line);

 private:
  enum class Sampling { kOff, kSkin, kBackground };
  // Keys, what the help says of them, and what they do.
  struct Command {
    std::string_view keys, help;
    void (Controls::*act)(char key);
  };
  static const Command kCommands[];

  void Press(char key);
  void TogglePause(char key);
  void NextView(char key);
  void ChooseView(char key);
  void ToggleRegion(char key);
  void ToggleTracking(char key);
  void ToggleSampling(char key);
  void ForgetSamples(char key);
  void WriteModel(char key);
  void TakeSnapshot(char key);
  void ToggleRecording(char key);
  void ToggleText(char key);
  void ToggleHelp(char key);
  void Quit(char key);

  void HandleSliders();
  void HandleRectangle(const cv::Rect& drawn);
  // A line for the user, on the picture and beside it.
  void Tell(const std::string& line);
  cv::Rect InFrame(const cv::Rect& drawn) const;

  Scene& scene_;
  std::optional<Recorder>& recorder_;
  Rational rate_{0, 1};
  Window window_;
  View view_;
  std::filesystem::path folder_;
  LineSink notice_;
  bool paused_ = false, changed_ = false, help_ = false, text_ = true, region_ = true,
       quit_ = false;
  Sampling sampling_ = Sampling::kOff;
  std::string message_;
  Clock::time_point message_until_{};
};

}  // namespace skinmask::live
