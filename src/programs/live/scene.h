// The current frame, its classification, and the model, which the user can change.
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

// A model that learns from pixels that the user selects.
//
// The model as trained counts as kTrainedPixels pixels of each class, with the class's mean and
// covariance; the selected pixels are added by their exact moments. Priors, threshold and
// calibration stay, because a rectangle shows how skin looks, but not how frequent it is.
class Refit {
 public:
  static constexpr double kTrainedPixels = 5000;

  explicit Refit(Model trained) : trained_(std::move(trained)) {}

  // Throws Error for models other than two Gaussians. `bgr` is CV_8UC3.
  void Add(const cv::Mat& bgr, bool positive);
  void Undo();  // removes the last added rectangle
  void Clear();

  std::size_t rectangles() const { return before_.size(); }
  bool empty() const { return skin_.n + other_.n == 0; }
  std::uint64_t skin_pixels() const { return skin_.n; }
  std::uint64_t other_pixels() const { return other_.n; }

  // The trained model if nothing was added. Otherwise the model card lists the additions, and has
  // no scores, because those are of the trained model.
  Model Fitted() const;

 private:
  Model trained_;
  Moments skin_, other_;
  std::vector<std::pair<Moments, Moments>> before_;  // skin_ and other_ before each rectangle
};

DetectorOptions WithoutAdaptation(DetectorOptions options);

class Scene {
 public:
  // With `mirror` pictures are flipped from left to right first. `if_asked` are the options for
  // adaptation when the user switches it on.
  Scene(const Model& made, bool mirror, const DetectorOptions& options,
        const DetectorOptions& if_asked);
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  // Processes a new frame. Its times go to `statistics`.
  void Process(LiveFrame&& frame, Statistics& statistics);
  // Classifies the current frame again if a setting changed since it was classified.
  void Reprocess();
  bool empty() const { return !seen_; }
  cv::Size frame_size() { return seen_->Mask().size(); }  // upright

  // Requires a current frame.
  Judgement& judgement() { return *seen_; }
  // The ellipse of the mask: of the whole mask, or of the followed region.
  std::optional<Region> ellipse();
  // The same for the probability map. If it was requested for the last frame, this frame's
  // probabilities were computed together with its mask.
  std::optional<Region> region(Statistics& statistics);
  double skin_fraction() const { return skin_fraction_; }
  // Sets the background of cut-outs; before the first call, the blurred frame.
  void SetBackdrop(const Backdrop& backdrop) { backdrop_ = backdrop; }
  // The background of the current frame in `view`; empty if it has none.
  cv::Mat Behind(View view);

  // Follows one region, which begins in `start` or, if absent, is the largest one. Without tracking
  // the whole frame counts.
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
  double prior() const { return model().PriorOfLogOdds(); }
  // Absent: the model's own.
  void SetThreshold(std::optional<double> p) { Set(&DetectorOptions::threshold, p); }
  void SetPrior(std::optional<double> p) { Set(&DetectorOptions::prior, p); }  // above 0, below 1

  // True if the model is adapted to frames; adapted() describes the adaptation to the current
  // frame.
  bool adapting() const { return stream_->detector().adapter() != nullptr; }
  void SetAdapting(bool adapting);
  // The number of frames per second; 0: unknown.
  void SetRate(double frames_per_second) { stream_->SetRate(rate_ = frames_per_second); }
  AdaptationSummary adapted() const {
    return adaptation_ ? adaptation_->summary : AdaptationSummary();
  }

  // Pixels of the current frame that the user selected.
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
  // If this throws, nothing has changed.
  void BeginStream(const DetectorOptions& options);
  void Set(std::optional<double> DetectorOptions::*option, std::optional<double> value);
  void Judge(const Picture& picture, Statistics& statistics);

  bool mirror_;
  bool stale_ = false;  // the current observation is outdated
  Refit refit_;
  const DetectorOptions if_asked_;
  DetectorOptions options_;
  double rate_ = 0;
  std::optional<Stream> stream_;
  // For the current frame; null: no skin was shown yet.
  std::shared_ptr<const Adaptation> adaptation_;
  std::optional<RegionTracker> tracker_;
  Backdrop backdrop_;
  std::optional<Judgement> seen_;
  cv::Mat behind_;  // of its cut-out; empty until it is needed
  double skin_fraction_ = 0;
  std::optional<std::optional<Region>> ellipse_, region_;  // outer absent: not computed yet
};

}  // namespace skinmask::live
