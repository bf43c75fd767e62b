#include "skinmask/detect/judgement.h"

#include <fmt/format.h>

#include <opencv2/imgproc.hpp>

#include "detect/judged_rows.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/detect/detector.h"

namespace skinmask {
namespace {

// 255 where no class explains the colour, else 0; empty if all colours are explained. An image that
// mixtures were fitted to has densities of its own.
cv::Mat Unexplained(const Posterior& posterior, const cv::Mat& bgr, const Outliers* of_model,
                    double share, const Adaptation* adaptation) {
  if (!of_model) return {};
  std::optional<Outliers> own;
  if (adaptation && !adaptation->distances.empty()) own.emplace(adaptation->distances, share);
  const Outliers& outliers = own ? *own : *of_model;
  cv::Mat unexplained(bgr.size(), CV_8UC1);
  ForJudgedRows(posterior, bgr.size(), [&](int y) {
    const std::uint8_t* const row =
        adaptation ? adaptation->InLight(bgr.ptr(y), bgr.cols) : bgr.ptr(y);
    outliers.Row(row, static_cast<std::size_t>(bgr.cols), unexplained.ptr(y));
  });
  return unexplained;
}

}  // namespace

const Adaptation* Judgement::adaptation() {
  if (whole_) return whole_->adaptation();
  if (!adaptation_) adaptation_ = detector_->Adapt(picture_);
  return adaptation_->get();
}

const VideoFrame* Judgement::JudgedPlanes() {
  const FramePosterior& posterior = detector_->posterior();
  if (!posterior.TakesYuv() || adaptation()) return nullptr;
  const VideoFrame* const planes = picture_.Planes();
  return planes && posterior.TakesYuv(*planes) ? planes : nullptr;
}

cv::Size Judgement::judged_size() {
  if (whole_) return smaller_;
  const VideoFrame* const planes = JudgedPlanes();
  return planes ? planes->size : Bgr().size();
}

Judgement Judgement::Smaller(const cv::Size& size) {
  if (size.width < 1 || size.height < 1)
    throw Error("size", fmt::format("of {} x {} has no pixels", size.width, size.height));
  Judgement smaller(*detector_, cv::Mat());
  smaller.whole_ = this;
  smaller.smaller_ = size;
  return smaller;
}

// Area means are slow for small reductions, where they hardly differ from interpolation.
cv::Mat Judgement::Shrunk(const cv::Mat& map, bool is_of_levels) const {
  const int mean = 2 * smaller_.width <= map.cols ? cv::INTER_AREA : cv::INTER_LINEAR;
  cv::Mat small;
  cv::resize(map, small, smaller_, 0, 0, is_of_levels ? cv::INTER_NEAREST : mean);
  return small;
}

cv::Mat Judgement::Bgr() {
  if (!whole_) return picture_.Bgr();
  if (picture_.Bgr().empty()) {
    RequireType(whole_->Bgr(), CV_8UC3, "image");
    picture_ = Shrunk(whole_->Bgr(), false);
  }
  return picture_.Bgr();
}

void Judgement::MakeMask(bool probability, bool log_odds) {
  const bool in_one = !whole_ && adaptation() && detector_->prior_shift() == 0 && mask_.empty();
  if (in_one && log_odds) {
    LogOdds();
  } else if (in_one && probability && probability_[0].empty()) {
    cv::Mat mask = mask_memory_, of_skin;
    detector_->adapter()->MaskAndProbability(Bgr(), *adaptation(), detector_->threshold(), mask,
                                             of_skin);
    mask_ = mask;
    probability_[0] = of_skin;
  }
  Mask();
}

cv::Mat Judgement::Mask() {
  if (!mask_.empty()) return mask_;
  if (whole_) return mask_ = Shrunk(whole_->Mask(), true);
  const FramePosterior& posterior = detector_->posterior();
  if (adaptation() && detector_->prior_shift() == 0 && log_odds_.empty()) {
    mask_ = detector_->adapter()->Mask(Bgr(), *adaptation(), detector_->threshold(), mask_memory_);
  } else if (adaptation()) {
    mask_ = MaskOf(LogOdds(), detector_->threshold(), mask_memory_);
  } else if (const VideoFrame* const planes = JudgedPlanes()) {
    mask_ = planes->Upright(posterior.Mask(*planes, mask_memory_));
  } else {
    mask_ = DetectMask(posterior.posterior(), Bgr(), mask_memory_);
  }
  return mask_;
}

cv::Mat Judgement::AdaptedMask(double threshold) {
  if (detector_->prior_shift() != 0 || !log_odds_.empty()) return MaskOf(LogOdds(), threshold);
  return detector_->adapter()->Mask(Bgr(), *adaptation(), threshold);
}

cv::Mat Judgement::Probability(int bits, const cv::Mat& memory) {
  if (bits != 8 && bits != 16 && bits != 32)
    throw Error("probabilities", fmt::format("have {} bits (8, 16 and 32 are known)", bits));
  cv::Mat& kept = probability_[static_cast<std::size_t>(bits == 8 ? 0 : bits == 16 ? 1 : 2)];
  if (!kept.empty()) return kept;
  if (whole_) return kept = Shrunk(whole_->Probability(bits), false);
  if (bits == 16) return kept = DeepProbabilityOf(LogOdds());
  const FramePosterior& posterior = detector_->posterior();
  const VideoFrame* const planes = JudgedPlanes();  // null if the picture is adapted to
  if (bits == 32)
    return kept = adaptation() || planes ? FloatProbabilityOf(LogOdds())
                                         : DetectFloatProbability(posterior.posterior(), Bgr());
  if (adaptation())
    return kept = detector_->prior_shift() == 0 && log_odds_.empty()
                      ? detector_->adapter()->Probability(Bgr(), *adaptation(), memory)
                      : ProbabilityOf(LogOdds(), memory);
  return kept = planes ? planes->Upright(posterior.Probability(*planes, memory))
                       : DetectProbability(posterior.posterior(), Bgr(), memory);
}

cv::Mat Judgement::LogOdds() {
  if (!log_odds_.empty()) return log_odds_;
  if (whole_) return log_odds_ = Shrunk(whole_->LogOdds(), false);
  const FramePosterior& posterior = detector_->posterior();
  if (adaptation()) {
    log_odds_ = detector_->adapter()->LogOdds(Bgr(), *adaptation());
    if (detector_->prior_shift() != 0) log_odds_ += cv::Scalar(detector_->prior_shift());
  } else if (const VideoFrame* const planes = JudgedPlanes()) {
    log_odds_ = planes->Upright(posterior.LogOdds(*planes));
  } else {
    log_odds_ = DetectLogOdds(posterior.posterior(), Bgr());
  }
  return log_odds_;
}

cv::Mat Judgement::Classes() {
  if (classes_.empty())
    classes_ = whole_ ? Shrunk(whole_->Classes(), true)
                      : DetectClasses(detector_->posterior().posterior(), Bgr());
  return classes_;
}

Judgement::Levels Judgement::LevelsOf(bool masks) {
  const Detector::Interval& interval = detector_->interval();
  const auto [low, high] = interval.ends;
  const cv::Mat bgr = Bgr();
  RequireType(bgr, CV_8UC3, "image");
  Levels levels;
  levels.above_low = adaptation() ? AdaptedMask(low) : DetectMask(interval.low, bgr);
  levels.above_high = adaptation() ? AdaptedMask(high) : DetectMask(interval.high, bgr);
  levels.unexplained = Unexplained(interval.low, bgr, detector_->OutliersOf(masks),
                                   detector_->ExplainedShare(masks), adaptation());
  return levels;
}

cv::Mat Judgement::Uncertainty() {
  if (!uncertainty_.empty()) return uncertainty_;
  if (whole_) return uncertainty_ = Shrunk(whole_->Uncertainty(), true);
  const Levels levels = LevelsOf(false);
  uncertainty_ = (levels.above_low ^ levels.above_high) & kUnsure;
  if (!levels.unexplained.empty()) uncertainty_.setTo(kUnexplained, levels.unexplained);
  return uncertainty_;
}

cv::Mat Judgement::AbstainingMask() {
  if (!abstaining_.empty()) return abstaining_;
  if (whole_) return abstaining_ = Shrunk(whole_->AbstainingMask(), true);
  const Levels levels = LevelsOf(true);
  abstaining_ = levels.above_high | (levels.above_low & kUnsure);
  if (!levels.unexplained.empty()) abstaining_.setTo(kUnsure, levels.unexplained);
  return abstaining_;
}

const Measurement& Judgement::Measured() {
  if (whole_) return whole_->Measured();
  if (!measured_)
    measured_ = Measure(Bgr(), Mask(), Faces(), detector_->options().erode.value_or(kUsualErosion));
  return *measured_;
}

std::vector<Face> Judgement::Faces() {
  const Adaptation* const adapted = adaptation();
  std::vector<Face> faces = adapted ? adapted->faces : std::vector<Face>();
  if (!whole_) return faces;
  const cv::Size size = whole_->Bgr().size();
  const double x = static_cast<double>(smaller_.width) / size.width;
  const double y = static_cast<double>(smaller_.height) / size.height;
  for (Face& face : faces) {
    face.frame.centre = {x * face.frame.centre.x, y * face.frame.centre.y};
    face.frame.size *= x;
    face.box = cv::Rect(cvRound(x * face.box.x), cvRound(y * face.box.y),
                        cvRound(x * face.box.width), cvRound(y * face.box.height)) &
               cv::Rect({}, smaller_);
  }
  return faces;
}

}  // namespace skinmask
