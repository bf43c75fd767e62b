// What a stream of frames shows: scenes and their ends, and faces, which are searched for every few
// frames and followed between. It does not know what is learnt from that, so that a frame can be
// seen while the one before is still learnt from.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "detect/adapt/face_tracker.h"
#include "skinmask/detect/adapt_stream.h"

namespace skinmask {

// A frame that colours were fitted to: how far the picture is from it by now, and whether that is
// so far that they are fitted to anew.
class LastFit {
 public:
  void Note(const TrackingFrame& now, std::int64_t number);
  void Clear() { fitted_ = {}; }
  bool IsTimeForNext(const TrackingFrame& now, std::int64_t number) const;
  // The share of all that a frame says which is to count, beside what those before have said; one
  // that is nearly the last one says as little as it differs. 1 where there was none.
  double Rate(const TrackingFrame& now) const;

 private:
  // A mean difference in grey levels; without a fit as far as can be.
  double Change(const TrackingFrame& now) const;
  TrackingFrame fitted_;
  std::int64_t number_ = 0;
};

// What is seen in one frame.
struct StreamAdapter::Sight {
  TrackingFrame frame;
  std::int64_t number = 0;                  // from 1 up
  bool is_cut = false;                      // another scene than the frame before, or the first one
  bool is_same = false;                     // as the frame before, to the bit
  bool has_news = false;                    // something may be learnt from it
  std::vector<Seed> seeds;                  // where they are
  std::vector<Face> faces;                  // those of them that are faces
  std::vector<ColorGaussian> color_priors;  // one for each
  bool fits_anew = false;                   // the colours of these seeds are fitted to anew
  cv::Mat global;  // the model's log-odds of the small image, where there are seeds
};

class StreamAdapter::Watch {
 public:
  Watch(std::shared_ptr<const Adapter> adapter, const StreamOptions& options);

  Sight See(const cv::Mat& bgr);

 private:
  struct Search {
    std::vector<Seed> found;
    TrackingFrame searched;
  };

  void BeginAnew();
  std::optional<Search> SearchAt(const cv::Mat& bgr, const TrackingFrame& now);
  bool CanWait(const TrackingFrame& now) const;
  void FollowSeeds(const std::optional<Search>& search, Sight& sight);

  std::shared_ptr<const Adapter> adapter_;
  StreamOptions options_;
  std::int64_t frame_ = 0, next_search_ = 0, began_ = 0, due_ = 0;
  TrackingFrame last_, searched_;
  std::future<std::vector<Seed>> pending_;
  bool is_stale_ = false;  // what is pending is of another scene
  bool is_quiet_ = false;  // the last search found what was followed, and nothing else
  FaceTracker tracker_;
  bool has_colors_ = false;  // of the seeds that were followed last
  LastFit fit_;
};

}  // namespace skinmask
