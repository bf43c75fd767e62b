// FaceTracker keeps the faces, and other seeds, of a stream of frames: they are found every few
// frames, and followed between, until another scene begins.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "detect/adapt/color_gaussian.h"
#include "skinmask/detect/adapt_options.h"
#include "skinmask/detect/seed_finder.h"

namespace skinmask {

// One seed that is followed; its colour prior (seed_priors.h) is carried from frame to frame.
struct Track {
  Seed seed;                // where it is now, in the whole frame
  bool confirmed = true;    // by the last search
  int searches_missed = 0;  // in a row
  int searches_met = 1;     // that confirmed it
  cv::Mat face_template;    // grey, of the small image, from when the face was last sure
  cv::Point2d template_at;  // its first corner, from the face's centre, in the small image
  double correlation = 1;   // normalised, of what is there now with the template
  std::optional<ColorGaussian> color_prior;
  std::int64_t id = 0;  // from 1 up, in the order in which they were first found
};

// A frame with what tracking needs of it.
struct TrackingFrame {
  cv::Size size;  // of the whole frame
  cv::Mat small_bgr, small_grey;
  cv::Mat coarse;  // the averages of some 400 parts of it, in which noise is nothing
};
TrackingFrame TrackingFrameOf(const cv::Mat& bgr, int small_pixels);

// Whether two frames, one after the other, are of two scenes: neither their places nor their
// colours agree. A camera that turns fast keeps the colours, a light that is switched on the
// places. Frames of different sizes are.
bool IsCut(const TrackingFrame& before, const TrackingFrame& now);

class FaceTracker {
 public:
  explicit FaceTracker(const SeedSkinOptions& options) : options_(options) {}

  // Moves every face to where the frame correlates best with its template.
  void Follow(const TrackingFrame& now);
  // Takes what a search in the frame `searched` found. Tracks that it found are where it says,
  // unless that is nearly where they were, and are followed to the frame `now`; others are missed,
  // and in the end dropped: the sooner the less they were found before. True if there are other
  // tracks than before.
  bool UpdateWithDetections(const std::vector<Seed>& detections, const TrackingFrame& searched,
                            const TrackingFrame& now);
  // Each colour prior goes `rate` of the way to what it is in this frame; a track that never had
  // one is dropped.
  void UpdateColorPriors(const TrackingFrame& now, const cv::Mat& log_odds, double rate);
  void Clear() { tracks_.clear(); }

  bool empty() const { return tracks_.empty(); }
  bool AllConfirmed() const;
  bool AnyLost() const;  // a face that is not where it should be: time for a search
  std::vector<Seed> seeds() const;
  std::vector<Face> faces() const;
  std::vector<ColorGaussian> color_priors() const;

 private:
  SeedSkinOptions options_;
  std::vector<Track> tracks_;
  std::int64_t last_id_ = 0;
};

}  // namespace skinmask
