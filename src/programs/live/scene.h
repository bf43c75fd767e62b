// The frame in view, what the model sees in it, and the model, which may change under the user's
// hands.
#pragma once

#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "programs/live/source.h"
#include "programs/live/statistics.h"
#include "programs/live/view.h"
#include "skinmask/data/moments.h"
#include "skinmask/detect/detector.h"
#include "skinmask/detect/region.h"
#include "skinmask/model/model.h"

namespace skinmask::live {

// A model that learns from pixels that the user points at.
//
// The model as trained counts as kTrainedPixels pixels of each class, with that class's mean and
// covariance; the labelled ones are added to them, by their exact moments. Priors, threshold and
// calibration stay: a rectangle says how skin looks, not how much of it there is.
class Refit {
 public:
  static constexpr double kTrainedPixels = 5000;

  explicit Refit(Model trained) : trained_(std::move(trained)) {}

  // Throws Error for models that are not two Gaussians, and for rectangles without pixels. `bgr` is
  // CV_8UC3.
  void Add(const cv::Mat& bgr, bool positive);
  void Undo();  // the last that was added
  void Clear();

  std::size_t rectangles() const { return before_.size(); }
  bool empty() const { return skin_.n + other_.n == 0; }
  std::uint64_t skin_pixels() const { return skin_.n; }
  std::uint64_t other_pixels() const { return other_.n; }

  // The trained model where nothing was added. Its card says what was added, and has no scores,
  // which would be another model's.
  Model Fitted() const;

 private:
  Model trained_;
  Moments skin_, other_;
  std::vector<std::pair<Moments, Moments>> before_;  // each rectangle: what both were
};

DetectorOptions WithoutAdaptation(DetectorOptions options);

class Scene {
 public:
  // With `mirror` pictures are flipped from left to right before anybody sees them. `if_asked` are
  // the options that adapt to frames after the user asked for that.
  Scene(const Model& made, bool mirror, const DetectorOptions& options,
        const DetectorOptions& if_asked);
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  // A new frame. Its times go to `statistics`.
  void Process(LiveFrame&& frame, Statistics& statistics);
  // The frame in view again, where something was changed since that decides what is seen in it.
  void Reprocess();
  bool empty() const { return !seen_; }
  cv::Size frame_size() { return seen_->judgement.Mask().size(); }  // as it is seen

  // Of a frame in view.
  Observation& observation() { return *seen_; }
  // Of the mask: all of it, or what is followed.
  std::optional<Region> ellipse();
  // Of the probabilities, likewise. Where the last frame's was asked for, this frame's
  // probabilities were made with its mask.
  std::optional<Region> region(Statistics& statistics);
  double skin_fraction() const { return seen_ ? seen_->skin_fraction : 0; }
  // What stands behind a cut-out: the frame, blurred, until now.
  void SetBackdrop(const Backdrop& backdrop) { backdrop_ = backdrop; }
  // The same with what `view` is drawn from beside the judgement.
  Observation& ObservationFor(View view);

  // One region is followed, beginning in `start` or with the largest; or the whole frame counts.
  void Track(std::optional<cv::Rect> start) {
    tracker_.emplace(start);
    stale_ = true;
  }
  void TrackNothing() {
    tracker_.reset();
    stale_ = true;
  }
  bool tracking() const { return tracker_.has_value(); }

  const Model& model() const { return stream_->detector().model(); }
  double threshold() const { return model().decision.threshold; }
  double prior() const { return model().positive().prior; }
  // Absent: the one at the start again.
  void SetThreshold(std::optional<double> p) { Set(&DetectorOptions::threshold, p); }
  void SetPrior(std::optional<double> p) { Set(&DetectorOptions::prior, p); }  // above 0, below 1

  // Whether frames get a model of their own; and what was done to the frame in view.
  bool adapting() const { return stream_->detector().adapter() != nullptr; }
  void SetAdapting(bool adapting);
  // How many frames a second there are; 0: unknown.
  void SetRate(double frames_per_second) { stream_->SetRate(rate_ = frames_per_second); }
  AdaptationSummary adapted() const {
    return adaptation_ ? adaptation_->summary : AdaptationSummary();
  }

  // Pixels of the frame in view, by hand.
  const Refit& samples() const { return refit_; }
  void AddSamples(const cv::Rect& where, bool positive);
  void UndoSample() {
    refit_.Undo();
    BeginStream(options_);
  }
  void ClearSamples() {
    refit_.Clear();
    BeginStream(options_);
  }

 private:
  // Where that throws, all is as it was.
  void BeginStream(const DetectorOptions& options);
  void Set(std::optional<double> DetectorOptions::*option, std::optional<double> value);
  void Judge(const Picture& picture, Statistics& statistics);

  bool mirror_;
  bool stale_ = false;  // what was seen in the frame in view is not what would be seen now
  Refit refit_;
  const DetectorOptions at_start_, if_asked_;
  DetectorOptions options_;
  double rate_ = 0;
  std::optional<Stream> stream_;
  // To the frame in view; null: no skin was shown yet.
  std::shared_ptr<const Adaptation> adaptation_;
  std::optional<RegionTracker> tracker_;
  Backdrop backdrop_;
  std::optional<Observation> seen_;
  std::optional<std::optional<Region>> ellipse_, region_;  // absent until they are asked for
};

}  // namespace skinmask::live
