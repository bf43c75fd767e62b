// The frame in view, what the model sees in it, and the model, which may change under the user's
// hands.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "programs/live/backdrop.h"
#include "programs/live/refit.h"
#include "programs/live/source.h"
#include "programs/live/statistics.h"
#include "programs/live/view.h"
#include "skinmask/detect/adapt_stream.h"
#include "skinmask/detect/frame_posterior.h"
#include "skinmask/detect/region.h"
#include "skinmask/detect/uncertainty.h"

namespace skinmask::live {

// What adapts a model to frames; null where nothing does, unless it was asked for in the window.
using AdapterMaker = std::function<std::shared_ptr<const Adapter>(const Model&, bool asked)>;

class Scene {
 public:
  // With `mirror` pictures are flipped from left to right before anybody sees them.
  Scene(const Model& model, bool mirror, AdapterMaker make_adapter = nullptr);
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  // A new frame. Its times go to `statistics`.
  void Process(LiveFrame&& frame, Statistics& statistics);
  // The frame in view again, where the model changed since.
  void Reprocess();
  bool empty() const { return !frame_; }
  cv::Size frame_size() const { return observation_.maps.mask.size(); }  // as it is seen

  const Observation& observation() const { return observation_; }
  // With the picture itself.
  const Observation& ObservationWithBgr();
  // What stands behind a cut-out: the frame, blurred, until now.
  void SetBackdrop(const Backdrop& backdrop) { backdrop_ = backdrop; }
  // What `view` is drawn from.
  const Observation& ObservationFor(View view);

  // One region is followed, beginning in `start` or with the largest; or the whole frame counts.
  void Track(std::optional<cv::Rect> start) { tracker_.emplace(start); }
  void TrackNothing() { tracker_.reset(); }
  bool tracking() const { return tracker_.has_value(); }

  const Model& model() const { return model_; }
  double threshold() const { return model().decision.threshold; }
  double prior() const { return model().positive().prior; }
  // Absent: the model's own again.
  void SetThreshold(std::optional<double> threshold);
  void SetPrior(std::optional<double> prior);  // above 0, below 1

  // Whether frames get a model of their own; and what was done to the frame in view, if anything.
  bool can_adapt() const { return make_adapter_ != nullptr; }
  bool adapting() const { return stream_.has_value(); }
  void SetAdapting(bool adapting);
  AdaptationSummary adapted() const {
    return adaptation_ ? adaptation_->summary : AdaptationSummary();
  }
  // The region is of something: of what is followed, or of a frame that was fitted to a face or
  // seed. That of any other frame is mostly its background.
  bool RegionCounts() const;

  // Pixels of the frame in view, by hand.
  const Refit& samples() const { return refit_; }
  void AddSamples(const cv::Rect& where, bool positive);
  void UndoSample();
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
  cv::Mat UncertaintyMap();

  bool mirror_;
  Refit refit_;
  const Decision own_decision_;
  const double own_prior_;
  Model model_;
  std::optional<FramePosterior> posterior_;
  AdapterMaker make_adapter_;
  bool asked_to_adapt_ = false;
  std::shared_ptr<const Adapter> adapter_;  // null: the same model for every frame
  double adapter_prior_ = 0;                // of the model that it was made for
  std::optional<StreamAdapter> stream_;
  // To the frame in view; null: no skin was shown yet.
  std::shared_ptr<const Adaptation> adaptation_;
  // Of the classes of the model; made when it is first looked at, since tables take their time.
  std::optional<Uncertainty> uncertainty_;
  std::optional<RegionTracker> tracker_;
  Backdrop backdrop_;
  std::optional<LiveFrame> frame_;
  Observation observation_;
};

}  // namespace skinmask::live
