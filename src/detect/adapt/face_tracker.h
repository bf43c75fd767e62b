// FaceTracker keeps the faces and other seeds of a stream. They are found every few frames and
// tracked in between, until another scene begins.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "detect/adapt/color_gaussian.h"
#include "skinmask/detect/adapt_options.h"
#include "skinmask/detect/seed_finder.h"

namespace skinmask {

// A seed that is tracked; its colour prior (seed_priors.h) is carried from frame to frame.
struct Track {
  Seed seed;                // where it is now, in the whole frame
  bool confirmed = true;    // the last search found it
  int searches_missed = 0;  // the searches in a row that missed it
  int searches_met = 1;     // the searches that found it
  cv::Mat face_template;    // grey, from the small image in which the face was last sure
  cv::Mat found_template;   // the same when a search last found it
  cv::Point2d template_at;  // its first corner less the face's centre, in the small image
  double correlation = 1;   // the normalised correlation of the current image with the template
  std::optional<ColorGaussian> color_prior;
  std::int64_t id = 0;  // 1, 2, ... in the order of first detection
};

// A frame with its reductions that tracking needs.
struct TrackingFrame {
  cv::Size size;  // of the whole frame
  cv::Mat small_bgr, small_grey;
  cv::Mat coarse;              // some 400 pixels, in which noise is averaged out
  bool is_monochrome = false;  // then `small_bgr` is grey
};
// `was_monochrome`: so was the frame before, of the same scene.
TrackingFrame TrackingFrameOf(const cv::Mat& bgr, const AdaptOptions& options,
                              bool was_monochrome = false);

// Whether two consecutive frames are of two scenes: neither their places nor their colours agree. A
// fast turn of the camera keeps the colours, and switching on a light keeps the places. Frames of
// different sizes are of two scenes.
bool IsCut(const TrackingFrame& before, const TrackingFrame& now);

class FaceTracker {
 public:
  explicit FaceTracker(const SeedSkinOptions& options) : options_(options) {}

  // Moves every face to where the frame correlates best with its template.
  void Follow(const TrackingFrame& now);
  // Takes the detections of a search in the frame `searched`. A track that was found moves to its
  // detection, unless both are nearly equal, and is followed to the frame `now`. A track that was
  // not found is missed, and finally dropped: the sooner, the fewer searches found it before. If
  // none is left, the colours of those faces that left the frame or turned away are remembered.
  // True if the set of tracks has changed.
  bool UpdateWithDetections(const std::vector<Seed>& detections, const TrackingFrame& searched,
                            const TrackingFrame& now);
  // Moves each colour prior towards that of this frame by the share `rate`. Faces that are too
  // small for one are kept, as in a photograph, if any colours are known; else all are dropped.
  void UpdateColorPriors(const TrackingFrame& now, const cv::Mat& log_odds, double rate);
  void Clear() {
    tracks_.clear();
    remembered_.clear();
  }

  // Neither a track nor a remembered colour.
  bool empty() const { return tracks_.empty() && remembered_.empty(); }
  bool AllConfirmed() const;
  bool AnyLost() const;  // a face is lost: it is time for a search
  std::vector<Seed> seeds() const;
  std::vector<Face> faces() const;
  std::vector<ColorGaussian> color_priors() const;  // of the seeds, or the remembered ones

 private:
  SeedSkinOptions options_;
  std::vector<Track> tracks_;
  std::vector<ColorGaussian> remembered_;  // of faces that have left; empty while there are tracks
  std::int64_t last_id_ = 0;
};

}  // namespace skinmask
