// What the keys, the mouse and the sliders do to a scene, and the words on the picture.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "programs/live/record.h"
#include "programs/live/scene.h"
#include "programs/live/window.h"

namespace skinmask::live {

class Controls {
 public:
  Controls(Scene& scene, const std::string& title, View view, std::filesystem::path folder,
           LineSink notice);

  // A window that waits for its first frame.
  void ShowEmpty(const std::string& line);
  // Shows the frame in view, with `status` on it.
  void Show(const std::vector<std::string>& status);
  // Handles what the user did; false when he is done.
  bool Handle(std::optional<Recorder>& recorder, Rational rate);

  bool paused() const { return paused_; }
  // The frame in view must be shown again.
  bool TakeChanged() { return std::exchange(changed_, false); }
  // Puts a line on the picture for some seconds.
  void Say(const std::string& line);

 private:
  enum class Sampling { kOff, kSkin, kBackground };

  void Key(int key, std::optional<Recorder>& recorder, Rational rate);
  void ToggleRecording(std::optional<Recorder>& recorder, Rational rate);
  void ToggleSampling(Sampling what);
  void Sample(const cv::Rect& drawn);
  void SaveModel();
  cv::Rect InFrame(const cv::Rect& drawn) const;

  Scene& scene_;
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
