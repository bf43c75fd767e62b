// Adaptation to a stream of frames: videos and cameras.
#pragma once

#include <memory>

#include "skinmask/detect/adapt.h"

namespace [[gnu::visibility("default")]] skinmask {

struct StreamOptions {
  // The finders search every so many frames, 1 or more: while no face is known, once more half-way
  // between two of these until eight searches in sequence have found none; an eighth as often while
  // nothing changes.
  int search_every_frames = 4;
  // 0: the search runs within the call, and takes its time (faces: 3 to 15 ms). Above 0: it runs on
  // a thread of its own, and its result is used that many frames later, so that no frame waits if
  // the search has ended by then (3 suits faces at 1.5 megapixels and 30 frames/s). If no thread
  // can be made, the search runs within the call for the frame in which its result is due. Such a
  // stream must end before main does, and must not be static: OpenCV may be unloaded before the
  // thread ends, and the thread crashes.
  int search_lag_frames = 0;
};

// For cameras: most of a core is left to the frames, and a search may take 0.1 s at 30 frames/s
// before a frame waits for it.
inline constexpr StreamOptions kLiveStream{.search_every_frames = 8, .search_lag_frames = 3};

// The adapted model of a stream of frames. Faces are found every few frames and tracked in between
// by normalised correlation with a template. The colours of each face are carried from frame to
// frame, and both mixtures are fitted to them again every few frames that change. Log-odds are
// smoothed along the motion (AdaptOptions::steady). A frame that equals the one before leaves the
// adaptation unchanged to the bit, unless a search ends; from the ninth of equal frames on it is
// that of the frame alone. A new scene starts without a past. The same frames in the same order
// give the same log-odds, whatever the number of threads and their timing.
class StreamAdapter {
 public:
  // Throws Error for options out of range.
  StreamAdapter(std::shared_ptr<const Adapter> adapter, const StreamOptions& options = {});
  ~StreamAdapter();
  StreamAdapter(StreamAdapter&&) noexcept;
  StreamAdapter& operator=(StreamAdapter&&) noexcept;

  // Sets the rate by which the time AdaptOptions::steady becomes a number of frames. The initial
  // rate is 25; a rate that is not above 0 and at most 1000 is unknown and counts as 25.
  void SetRate(double frames_per_second);

  // Takes the next frame, CV_8UC3. Null if there is nothing to adapt to: the global model is then
  // the answer. Frames come in order, from one thread at a time; the result stays valid and does
  // not change. Errors are the finders'; the stream can go on after one.
  std::shared_ptr<const Adaptation> Follow(const cv::Mat& bgr) { return AdaptTo(*Observe(bgr)); }

  // The two halves of Follow, each some 5 ms, for callers that work on several frames at once:
  // Observe takes a frame while AdaptTo still works on the one before. Both take frames in order,
  // each from one thread at a time.
  struct Observation;
  std::shared_ptr<const Observation> Observe(const cv::Mat& bgr);
  std::shared_ptr<const Adaptation> AdaptTo(const Observation& observation);

 private:
  class Observer;
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace skinmask
