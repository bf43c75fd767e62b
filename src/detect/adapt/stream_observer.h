// The part of StreamAdapter that observes a stream of frames: it detects cuts, and searches and
// tracks faces. It does not depend on what is fitted to the frames, so that a frame can be observed
// while the fit to the one before still runs.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "detect/adapt/face_tracker.h"
#include "skinmask/detect/adapt_stream.h"

namespace skinmask {

// The frame that colours were last fitted to: how far a new frame differs from it, and whether that
// is enough for a new fit.
class LastFit {
 public:
  void Note(const TrackingFrame& now, std::int64_t number);
  void Clear() { fitted_ = {}; }
  bool IsTimeForNext(const TrackingFrame& now, std::int64_t number) const;
  // The weight of a new frame against those before it: the smaller, the less it differs from the
  // last fitted one. 1 without a fit.
  double Rate(const TrackingFrame& now) const;

 private:
  // The mean difference in grey levels; 256 without a fit that applies.
  double Change(const TrackingFrame& now) const;
  TrackingFrame fitted_;
  std::int64_t number_ = 0;
};

// What was found in one frame.
struct StreamAdapter::Observation {
  TrackingFrame frame;
  std::int64_t number = 0;                  // 1, 2, ...
  bool is_cut = false;                      // a new scene, or the first frame
  bool is_same = false;                     // equal to the frame before, to the bit
  bool has_news = false;                    // a fit may change by it
  std::vector<Seed> seeds;                  // at their places in this frame
  std::vector<Face> faces;                  // those of the seeds that are faces
  std::vector<ColorGaussian> color_priors;  // one for each seed
  bool fits_anew = false;                   // the colours are to be fitted again
  cv::Mat global;  // the global log-odds of the small image, if there are seeds
};

class StreamAdapter::Observer {
 public:
  Observer(std::shared_ptr<const Adapter> adapter, const StreamOptions& options);

  Observation Observe(const cv::Mat& bgr);

 private:
  struct Search {
    std::vector<Seed> found;
    TrackingFrame searched;
  };

  void BeginAnew();
  std::optional<Search> SearchAt(const cv::Mat& bgr, const TrackingFrame& now);
  void NoteWhetherEmpty(const Search& search);
  bool IsTime() const;
  bool CanWait(const TrackingFrame& now) const;
  void FollowSeeds(const std::optional<Search>& search, Observation& observation);

  std::shared_ptr<const Adapter> adapter_;
  StreamOptions options_;
  std::int64_t frame_ = 0, next_search_ = 0, began_ = 0, due_ = 0;
  TrackingFrame last_, searched_;
  std::future<std::vector<Seed>> pending_;
  bool is_stale_ = false;  // the pending search is of an earlier scene
  // The last search found the tracked seeds and nothing else; or, without any, enough searches in
  // sequence have found none.
  bool is_quiet_ = false;
  int empty_searches_ = 0;  // in sequence, without a tracked seed
  FaceTracker tracker_;
  bool has_colors_ = false;  // the last frame's seeds have colour priors
  LastFit fit_;
};

}  // namespace skinmask
