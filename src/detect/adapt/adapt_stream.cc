#include "skinmask/detect/adapt_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "detect/adapt/image_decision.h"
#include "detect/adapt/image_fit.h"
#include "detect/adapt/seed_priors.h"
#include "detect/adapt/steady.h"
#include "detect/adapt/stream_observer.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

// The time constant of smoothing if AdaptOptions::steady is 1.
constexpr double kSteadySeconds = 1;
// Adaptation::slack for a time constant of one second. With 25 frames a second of 640x480 pixels
// and noise of 2 grey levels, half of the flickering pixels are within log-odds of 1.
constexpr double kSlackPerSecond = 2;
constexpr double kUsualRate = 25, kMaxRate = 1000;  // frames a second

}  // namespace

class StreamAdapter::State {
 public:
  State(std::shared_ptr<const Adapter> adapter, const StreamOptions& options)
      : adapter_(std::move(adapter)), observer_(adapter_, options), filter_(FramesOf(kUsualRate)) {}

  void SetRate(double frames_per_second) {
    const bool is_known = frames_per_second > 0 && frames_per_second <= kMaxRate;
    filter_.SetTimeConstant(FramesOf(is_known ? frames_per_second : kUsualRate));
  }

  Observation Observe(const cv::Mat& bgr) { return observer_.Observe(bgr); }

  std::shared_ptr<const Adaptation> AdaptTo(const Observation& observation) {
    if (observation.is_cut) BeginAnew();
    still_ = observation.is_same ? still_ + 1 : 0;
    if (observation.has_news) Update(observation);
    std::shared_ptr<const Adaptation> steady = Steady(observation.frame);
    last_grey_ = observation.frame.small_grey;
    return steady;
  }

 private:
  // The time constant of smoothing, in frames.
  double FramesOf(double rate) const { return adapter_->options().steady * kSteadySeconds * rate; }

  // current_ after smoothing. While the picture stands still, a change of current_ is used at once,
  // because there is nothing to smooth.
  std::shared_ptr<const Adaptation> Steady(const TrackingFrame& now) {
    using By = AdaptationSummary::By;
    constexpr int kStill = 3;  // equal frames; fewer are one frame that was sent again
    if (still_ > 0 && current_ == smoothed_) return steady_;
    if (still_ >= kStill || !current_ || current_->summary.by == By::kNobody) filter_.Clear();
    smoothed_ = steady_ = current_;
    if (!filter_.enabled() || !current_ || current_->summary.by == By::kNobody) return steady_;
    const BlockMotion motion =
        filter_.has_past() ? MotionTo(last_grey_, now.small_grey) : BlockMotion();
    const cv::Mat gain =
        filter_.Add(now.small_bgr, adapter_->EvidenceOf(now.small_bgr, *current_), motion);
    if (gain.empty()) return steady_;
    Adaptation steady = *current_;
    // Converted to a new matrix: assigning the sum would overwrite memory that others share.
    steady.offset = cv::Mat(current_->offset + gain);
    steady.expected = filter_.log_odds();
    steady.slack = kSlackPerSecond * adapter_->options().steady;
    return steady_ = std::make_shared<const Adaptation>(std::move(steady));
  }

  void BeginAnew() {
    model_.reset();
    past_ = {};
    current_.reset();
    filter_.Clear();
  }

  void Update(const Observation& observation) {
    const bool had_model = model_.has_value();
    UpdateBySeeds(observation);
    if (model_) {
      past_ = {};
      return;
    }
    if (had_model) current_.reset();
    if (adapter_->options().image.enabled) UpdateByImage(observation);
  }

  // For a frame without seeds: as for a photograph, but its light and histogram are smoothed over
  // frames.
  void UpdateByImage(const Observation& observation) {
    const TrackingFrame& now = observation.frame;
    if (!past_.is_new && !image_fit_.IsTimeForNext(now, observation.number)) return;
    const double rate = past_.is_new ? 1 : image_fit_.Rate(now);
    SetCurrent(adapter_->AdaptToImage(now.small_bgr, now.is_monochrome, past_, rate), now);
    image_fit_.Note(now, observation.number);
  }

  void UpdateBySeeds(const Observation& observation) {
    if (observation.color_priors.empty()) {
      model_.reset();
      return;
    }
    const AdaptOptions& options = adapter_->options();
    const cv::Mat& small = observation.frame.small_bgr;
    const cv::Size image = observation.frame.size;
    const cv::Mat prior = SpatialPrior(small.size(), image, observation.seeds, options.prior);
    Evidence evidence{observation.global, prior,
                      MiddleFaceSize(observation.seeds, image, small.size())};
    if (observation.fits_anew || !model_) {
      evidence.hair =
          HairOf(small, image, observation.seeds, options.fit.background_covariance_floor);
      model_ = FitToImage(small,
                          SkinPriors(observation.color_priors,
                                     static_cast<std::size_t>(options.skin.max_components)),
                          evidence, options);
    } else {
      model_->message = MessageOf(*model_, small, evidence, options);
    }
    if (model_)
      SetCurrent(adapter_->AdaptedToSeeds(*model_, prior, observation.faces), observation.frame);
  }

  void SetCurrent(Adaptation&& adaptation, const TrackingFrame& now) {
    adaptation.summary.monochrome = now.is_monochrome;
    current_ = adapter_->IsGlobal(adaptation)
                   ? nullptr
                   : std::make_shared<const Adaptation>(std::move(adaptation));
  }

  std::shared_ptr<const Adapter> adapter_;
  Observer observer_;
  int still_ = 0;      // how many of the last frames in a row equal the frame before them
  cv::Mat last_grey_;  // the small image of the frame before
  std::optional<ImageModel> model_;
  ImagePast past_;  // of frames without seeds
  LastFit image_fit_;
  std::shared_ptr<const Adaptation> current_;
  SteadyFilter filter_;
  // The last current_ that was smoothed, and the result.
  std::shared_ptr<const Adaptation> smoothed_, steady_;
};

StreamAdapter::StreamAdapter(std::shared_ptr<const Adapter> adapter, const StreamOptions& options) {
  if (!adapter) throw Error("stream", "needs an adapter");
  const auto check = [](const char* option, int value, int least) {
    if (value < least)
      throw Error(fmt::format("stream option {}", option),
                  fmt::format("{} is out of range ({} or more)", value, least));
  };
  check("search_every_frames", options.search_every_frames, 1);
  check("search_lag_frames", options.search_lag_frames, 0);
  state_ = std::make_unique<State>(std::move(adapter), options);
}
StreamAdapter::~StreamAdapter() = default;
StreamAdapter::StreamAdapter(StreamAdapter&&) noexcept = default;
StreamAdapter& StreamAdapter::operator=(StreamAdapter&&) noexcept = default;

void StreamAdapter::SetRate(double frames_per_second) { state_->SetRate(frames_per_second); }

std::shared_ptr<const StreamAdapter::Observation> StreamAdapter::Observe(const cv::Mat& bgr) {
  RequireType(bgr, CV_8UC3, "frame");
  return std::make_shared<const Observation>(state_->Observe(bgr));
}

std::shared_ptr<const Adaptation> StreamAdapter::AdaptTo(const Observation& observation) {
  return state_->AdaptTo(observation);
}

}  // namespace skinmask
