// A picture in its original form, and a detector's answers for it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "skinmask/detect/adapt.h"
#include "skinmask/detect/measure.h"
#include "skinmask/media/video.h"

namespace [[gnu::visibility("default")]] skinmask {

class Detector;

// A picture to be classified. Adaptation and drawing need its B G R pixels; a model that is a
// quadratic classifies YUV planes directly. So both forms are made when they are first needed, and
// then kept. For one thread at a time.
class Picture {
 public:
  using MakeBgr = std::function<cv::Mat()>;
  using MakePlanes = std::function<std::optional<VideoFrame>()>;

  // CV_8UC3, channels B G R, upright. The pixels are shared, not copied: they must stay as they are
  // until the last map of the last Judgement of this picture is made.
  Picture(cv::Mat bgr) : bgr_(std::move(bgr)) {}
  // A frame, which may be rotated. `bgr` makes its upright B G R; null: VideoFrame::Bgr does.
  explicit Picture(VideoFrame frame, MakeBgr bgr = nullptr)
      : make_bgr_(std::move(bgr)), planes_(std::move(frame)) {}
  // An encoded picture, which is decoded when it is known whether planes or B G R are needed.
  // `planes` may return none.
  Picture(MakePlanes planes, MakeBgr bgr)
      : make_bgr_(std::move(bgr)), make_planes_(std::move(planes)) {}

  const cv::Mat& Bgr() const {
    if (bgr_.empty() && make_bgr_) bgr_ = make_bgr_();
    if (bgr_.empty() && planes_) bgr_ = planes_->Bgr();
    return bgr_;
  }
  // Null if the picture has no planes.
  const VideoFrame* Planes() const {
    if (make_planes_) planes_ = std::exchange(make_planes_, nullptr)();
    return planes_ ? &*planes_ : nullptr;
  }

 private:
  MakeBgr make_bgr_;
  mutable MakePlanes make_planes_;  // null after its call
  mutable cv::Mat bgr_;
  mutable std::optional<VideoFrame> planes_;
};

// Maps of the picture's pixels, upright. Each is made when it is first requested, and then kept;
// its bytes do not depend on earlier requests. The returned map is the kept one: clone it before
// changing it. Rows are computed in parallel; a Judgement is for one thread at a time. Errors are
// those of the picture and of the adapter.
class Judgement {
 public:
  // The values of Uncertainty other than 0.
  static constexpr std::uint8_t kUnsure = 128, kUnexplained = 255;

  // Without `adaptation` the picture is adapted to when that is first needed. With it, it was made
  // by a StreamAdapter, for instance, or is null. The detector must outlive the Judgement.
  Judgement(const Detector& detector, Picture picture)
      : detector_(&detector), picture_(std::move(picture)) {}
  Judgement(const Detector& detector, Picture picture, std::shared_ptr<const Adaptation> adaptation)
      : detector_(&detector), picture_(std::move(picture)), adaptation_(std::move(adaptation)) {}

  // Memory for the mask, CV_8UC1 of judged_size; used if the mask is not rotated afterwards.
  void SetMaskMemory(const cv::Mat& memory) { mask_memory_ = memory; }
  // Makes the mask and, if they will be needed, the 8-bit probabilities or the log-odds in the same
  // pass over an adapted picture.
  void MakeMask(bool probability, bool log_odds);

  cv::Mat Bgr();  // CV_8UC3
  // The picture that overlays and cut-outs show, if its colours differ from those that are
  // classified.
  cv::Mat Shown() { return shown_.empty() ? Bgr() : shown_; }
  void SetShown(const cv::Mat& shown) { shown_ = shown; }
  cv::Mat Mask();  // CV_8UC1: 255 where P(skin) is above the threshold, else 0
  // P(skin): for 8 bits round(255 P), CV_8UC1; for 16 round(65535 P), CV_16UC1; for 32 P, CV_32FC1.
  // Other numbers of bits are an Error. `memory` is used for 8 bits if it fits.
  cv::Mat Probability(int bits = 8, const cv::Mat& memory = {});
  cv::Mat LogOdds();  // log(P / (1 - P)), CV_32FC1; without adaptation rounded from double
  // CV_8UC1: index of the likeliest of Model::classes, with costs of the cheapest; never adapted.
  cv::Mat Classes();
  // CV_8UC1: kUnexplained where no class explains the colour, else kUnsure where P(skin) is in the
  // interval of DetectorOptions::abstain, else 0. Costs two masks and the distances of Outliers.
  cv::Mat Uncertainty();
  // CV_8UC1: 255 where P(skin) is above the interval of DetectorOptions::abstain, kUnsure where it
  // is in the interval or where the colour is not explained (DetectorOptions::outlier), else 0.
  cv::Mat AbstainingMask();

  // The colours of the pixels of Mask and of the faces in it, with DetectorOptions::erode; for a
  // picture of planes, of its B G R.
  const Measurement& Measured();

  // Null: the model is not adapted.
  const Adaptation* adaptation();
  AdaptationSummary summary() { return adaptation() ? adaptation()->summary : AdaptationSummary(); }
  // The faces that the model was adapted to, in pixels of this picture.
  std::vector<Face> Faces();
  const Detector& detector() const { return *detector_; }
  const Picture& picture() const { return picture_; }
  // The size of the classified pixels: for planes, that before the rotation.
  cv::Size judged_size();

  // The same for a smaller picture, for a screen: each of its maps is the map of this Judgement,
  // reduced. This Judgement must outlive it. Throws Error for an empty size.
  Judgement Smaller(const cv::Size& size);

 private:
  // The planes by which the picture is classified; null if it is classified by B G R.
  const VideoFrame* JudgedPlanes();
  cv::Mat Shrunk(const cv::Mat& map, bool is_of_levels) const;
  cv::Mat AdaptedMask(double threshold);
  // Masks at both ends of the abstaining interval, and of the unexplained colours (may be empty).
  struct Levels {
    cv::Mat above_low, above_high, unexplained;
  };
  Levels LevelsOf(bool masks);

  const Detector* detector_;
  Picture picture_;
  // Absent until it is needed.
  std::optional<std::shared_ptr<const Adaptation>> adaptation_;
  cv::Mat mask_memory_, shown_;
  cv::Mat mask_, log_odds_, classes_, uncertainty_, abstaining_;
  std::array<cv::Mat, 3> probability_;  // 8, 16 and 32 bits
  std::optional<Measurement> measured_;
  Judgement* whole_ = nullptr;  // null, or the Judgement whose maps are reduced
  cv::Size smaller_;
};

}  // namespace skinmask
