// Adaptation that goes on from frame to frame: videos and cameras.
#pragma once

#include <memory>

#include "skinmask/detect/adapt.h"

namespace [[gnu::visibility("default")]] skinmask {

struct StreamOptions {
  // 1 or more: how often the adapter's finders see a frame; an eighth as often while nothing
  // changes.
  int search_every_frames = 4;
  // 0: they see it when it comes, which takes as long as it takes (faces: 3 to 15 ms). More: on a
  // thread of their own, and what they find counts so many frames later, so that no frame waits if
  // they are done by then (faces at 0.4 megapixels, at 30 frames/s: 3). Where there can be no
  // thread, the frame at which they are due waits for them.
  // Such a stream ends before main does, and is not static: OpenCV may be gone then, and the thread
  // crashes.
  int search_lag_frames = 0;
};

// The model of a stream of frames. Faces are found every few frames and followed between, by
// normalised correlation with a template; the colours of each are carried from frame to frame, and
// to them both mixtures are fitted anew every few frames that change, as to a photograph. What the
// frames say is smoothed along their motion (AdaptOptions::steady). A frame like the one before
// leaves all as it is, to the bit, and a new scene begins anew. The same frames in the same order
// give the same log-odds, whatever the threads and the time they take.
class StreamAdapter {
 public:
  // Throws Error for options out of range.
  StreamAdapter(std::shared_ptr<const Adapter> adapter, const StreamOptions& options = {});
  ~StreamAdapter();
  StreamAdapter(StreamAdapter&&) noexcept;
  StreamAdapter& operator=(StreamAdapter&&) noexcept;

  // What AdaptOptions::steady, a time, means in frames: 25 a second, until this says otherwise. A
  // rate that is not above 0 and at most 1000 is none that is known, and 25.
  void SetRate(double frames_per_second);

  // The next frame, CV_8UC3; null where there is nothing to adapt to: the global model is the
  // answer. The frames come in order, from one thread at a time; what is returned stays valid and
  // unchanged. Errors are the finders'; the stream can go on after one.
  std::shared_ptr<const Adaptation> Follow(const cv::Mat& bgr) { return Learn(*See(bgr)); }

  // The two halves of Follow, each some 5 ms, for who works on several frames at once: a frame can
  // be seen while the one before is still learnt from. Both come in order, each from one thread at
  // a time.
  struct Sight;
  std::shared_ptr<const Sight> See(const cv::Mat& bgr);
  std::shared_ptr<const Adaptation> Learn(const Sight& sight);

  // The pixels of that frame: Adapter::LogOdds(bgr, *adaptation), which may run in parallel for
  // many frames. Or both in one; empty where Follow gives null.
  cv::Mat LogOdds(const cv::Mat& bgr);

 private:
  class Watch;
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace skinmask
