// One picture in the form that it came in, and what a detector says of it.
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

// One picture to be judged. What is adapted to, and what is drawn in, takes B G R; a model that is
// a quadratic judges planes of YUV as they are. So each is made when it is first asked for, and
// then kept. One thread at a time.
class Picture {
 public:
  using MakeBgr = std::function<cv::Mat()>;
  using MakePlanes = std::function<std::optional<VideoFrame>()>;

  // CV_8UC3, channels B G R, upright.
  Picture(cv::Mat bgr) : bgr_(std::move(bgr)) {}
  // A frame, maybe rotated. `bgr` makes its B G R, upright; null: VideoFrame::Bgr does.
  explicit Picture(VideoFrame frame, MakeBgr bgr = nullptr)
      : make_bgr_(std::move(bgr)), planes_(std::move(frame)) {}
  // Bytes that are decoded when it is known to what: `planes` may give none.
  Picture(MakePlanes planes, MakeBgr bgr)
      : make_bgr_(std::move(bgr)), make_planes_(std::move(planes)) {}

  const cv::Mat& Bgr() const {
    if (bgr_.empty() && make_bgr_) bgr_ = make_bgr_();
    if (bgr_.empty() && planes_) bgr_ = planes_->Bgr();
    return bgr_;
  }
  // Null where it has none.
  const VideoFrame* Planes() const {
    if (make_planes_) planes_ = std::exchange(make_planes_, nullptr)();
    return planes_ ? &*planes_ : nullptr;
  }

 private:
  MakeBgr make_bgr_;
  mutable MakePlanes make_planes_;  // until it was called
  mutable cv::Mat bgr_;
  mutable std::optional<VideoFrame> planes_;
};

// Maps of the picture's pixels, upright, each made when it is first asked for, and then kept. The
// bytes do not depend on what was asked for before. What is kept is what is given: clone a map that
// is to be changed. Rows are judged in parallel; a Judgement itself is for one thread at a time.
// Errors are those of the picture and of the adapter.
class Judgement {
 public:
  // What maps of the unknown hold, where they are not 0.
  static constexpr std::uint8_t kUnsure = 128, kUnexplained = 255;

  // The picture is adapted to when that first matters; or it was already: `adaptation` is what a
  // StreamAdapter, say, made of it, or null. The detector must outlive this.
  Judgement(const Detector& detector, Picture picture)
      : detector_(&detector), picture_(std::move(picture)) {}
  Judgement(const Detector& detector, Picture picture, std::shared_ptr<const Adaptation> adaptation)
      : detector_(&detector), picture_(std::move(picture)), adaptation_(std::move(adaptation)) {}

  // Memory for the mask, if it is to be somewhere (CV_8UC1 of judged_size, to be used where nothing
  // is turned afterwards).
  void SetMaskMemory(const cv::Mat& memory) { mask_memory_ = memory; }
  // Makes the mask, and with it what else will be asked for: probabilities of 8 bits, log-odds. Of
  // an adapted picture that takes one pass in place of several.
  void MakeMask(bool probability, bool log_odds);

  cv::Mat Bgr();  // CV_8UC3
  // The picture as it is to be drawn on, where that has other colours than those that are judged.
  cv::Mat Shown() { return shown_.empty() ? Bgr() : shown_; }
  void SetShown(const cv::Mat& shown) { shown_ = shown; }
  cv::Mat Mask();  // CV_8UC1: 255 where P(skin) is above the threshold, else 0
  // P(skin): round(255 P), CV_8UC1; of 16 bits round(65535 P), CV_16UC1; of 32 as it is, CV_32FC1.
  // `memory` is used for 8 bits where it fits.
  cv::Mat Probability(int bits = 8, const cv::Mat& memory = {});
  cv::Mat LogOdds();  // log(P / (1 - P)), CV_32FC1; without adaptation in double, rounded
  cv::Mat Classes();  // CV_8UC1: index into Model::classes of the likeliest, never adapted
  // CV_8UC1: kUnexplained where no class explains the colour, elsewhere kUnsure where P(skin) is in
  // the interval of DetectorOptions::abstain, and 0 where the answer is sure. Costs two masks and
  // the distances.
  cv::Mat Uncertainty();
  // 255 where P(skin) is above that interval, kUnsure where it is in it or the colour, by
  // DetectorOptions::outlier, not explained, else 0.
  cv::Mat AbstainingMask();

  // The colours of the pixels of Mask and of the faces in it, as DetectorOptions::erode has it; of
  // a picture of planes those of its B G R.
  const Measurement& Measured();

  // Null: the model as it is.
  const Adaptation* adaptation();
  AdaptationSummary summary() { return adaptation() ? adaptation()->summary : AdaptationSummary(); }
  // That the picture was adapted to; in pixels of this one.
  std::vector<Face> Faces();
  const Detector& detector() const { return *detector_; }
  const Picture& picture() const { return picture_; }
  // Of the pixels that are judged: the picture's before its rotation where they are planes.
  cv::Size judged_size();

  // The same of a smaller picture, to be drawn for a screen: of each map that is asked for there
  // the one here, made smaller. This must outlive it. Throws Error for no pixels.
  Judgement Smaller(const cv::Size& size);

 private:
  // What the picture is judged by where it is not adapted to: its planes, or null for B G R.
  const VideoFrame* JudgedPlanes();
  cv::Mat Shrunk(const cv::Mat& map, bool is_of_levels) const;
  cv::Mat GlobalProbability(int bits, const cv::Mat& memory);
  cv::Mat AdaptedMask(double threshold);
  // Masks above both ends of what is not known, and of what is not explained, which may be empty.
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
  std::array<cv::Mat, 3> probability_;  // of 8, 16 and 32 bits
  std::optional<Measurement> measured_;
  Judgement* whole_ = nullptr;  // that this is a smaller one of
  cv::Size smaller_;
};

}  // namespace skinmask
