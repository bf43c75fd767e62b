// The frame in view, what the model sees in it, and the model, which may change under the user's
// hands.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "programs/live/refit.h"
#include "programs/live/source.h"
#include "programs/live/statistics.h"
#include "programs/live/view.h"
#include "skinmask/detect/adapt_stream.h"
#include "skinmask/detect/frame_posterior.h"
#include "skinmask/detect/region.h"

namespace skinmask::live {

// What adapts a model to frames; null where nothing does.
using AdapterMaker = std::function<std::shared_ptr<const Adapter>(const Model&)>;

class Scene {
 public:
  // With `mirror` pictures are flipped from left to right before anybody sees them.
  Scene(const Model& model, bool mirror, AdapterMaker make_adapter = nullptr);

  // A new frame. Its times go to `statistics`.
  void Process(LiveFrame&& frame, Statistics& statistics);
  // The frame in view again, where the model changed since.
  void Reprocess();
  bool empty() const { return !frame_; }
  const LiveFrame& frame() const { return *frame_; }

  const Observation& observation() const { return observation_; }
  // With the picture itself.
  const Observation& ObservationWithBgr();
  // What `view` is drawn from.
  const Observation& ObservationFor(View view);

  // One region is followed, beginning in `start` or with the largest; or the whole frame counts.
  void Track(std::optional<cv::Rect> start) { tracker_.emplace(start); }
  void TrackNothing() { tracker_.reset(); }
  bool tracking() const { return tracker_.has_value(); }

  const Model& model() const { return model_; }
  double threshold() const { return model().decision.threshold; }
  double prior() const { return model().positive().prior; }
  void SetThreshold(double threshold);
  void SetPrior(double prior);  // above 0, below 1

  // Pixels of the frame in view, by hand.
  const Refit& samples() const { return refit_; }
  void AddSamples(const cv::Rect& where, bool positive);
  void ClearSamples();

 private:
  cv::Mat Mirrored(const cv::Mat& upright) const;
  void SetModel(const Model& model);
  void UpdateModel();
  void AdaptTo(const Model& model);
  // What the model sees in the frame in view.
  Maps MapsAsDecoded();
  Maps MapsAdapted();
  void Classify(Statistics& statistics);

  bool mirror_;
  Refit refit_;
  Model model_;
  std::optional<FramePosterior> posterior_;
  AdapterMaker make_adapter_;
  std::shared_ptr<const Adapter> adapter_;  // null: the same model for every frame
  double adapter_prior_ = 0;                // of the model that it was made for
  std::optional<StreamAdapter> stream_;
  // To the frame in view; null: no skin was shown yet.
  std::shared_ptr<const Adaptation> adaptation_;
  std::optional<RegionTracker> tracker_;
  std::optional<LiveFrame> frame_;
  Observation observation_;
};

}  // namespace skinmask::live
