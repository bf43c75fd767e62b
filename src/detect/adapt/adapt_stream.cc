#include "skinmask/detect/adapt_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "detect/adapt/adapted_rows.h"
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
// The spatial prior where colours are remembered of faces whose places are not known.
constexpr double kWithoutPlace = -0.5;

// Frames of which no pixel is skin, whatever its colour, are no past for others: skin that is seen
// after them would only appear slowly.
bool HasEvidence(const AdaptationSummary& summary) {
  return summary.by != AdaptationSummary::By::kNobody && !summary.unclear;
}

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

  // current_ after smoothing. Once the picture stands still, it is used as it is, because there is
  // nothing to smooth.
  std::shared_ptr<const Adaptation> Steady(const TrackingFrame& now) {
    // Equal frames. Fewer than kStill are one frame that was sent again, and fewer than kSettled
    // may be a video of another rate.
    constexpr int kStill = 3, kSettled = 8;
    if (still_ > 0 && still_ != kSettled && current_ == smoothed_) return steady_;
    const bool has_evidence = current_ && HasEvidence(current_->summary);
    if (still_ >= kStill || !has_evidence) filter_.Clear();
    smoothed_ = steady_ = current_;
    if (!current_) return nullptr;
    cv::Mat evidence = adapter_->EvidenceOf(now.small_bgr, *current_);
    Adaptation steady = *current_;
    if (filter_.enabled() && has_evidence) {
      const BlockMotion motion =
          filter_.has_past() ? MotionTo(last_grey_, now.small_grey) : BlockMotion();
      const cv::Mat gain = filter_.Add(now.small_bgr, evidence, motion);
      if (!gain.empty()) {
        // Converted to a new matrix: assigning the sum would overwrite memory that others share.
        steady.offset = cv::Mat(current_->offset + gain);
        evidence = steady.expected = filter_.log_odds();
        steady.slack = kSlackPerSecond * adapter_->options().steady;
      }
    }
    steady.far = FarCells(evidence);
    return steady_ = std::make_shared<const Adaptation>(std::move(steady));
  }

  void BeginAnew() {
    model_.reset();
    memory_ = {};
    past_ = {};
    by_image_.reset();
    current_.reset();
    filter_.Clear();
    saw_several_ = false;
  }

  void Update(const Observation& observation) {
    const bool has_seeds = !observation.seeds.empty();
    if (has_seeds) memory_ = {};
    std::optional<Adaptation> fitted = FitToColors(observation);
    if (fitted && has_seeds) {
      past_ = {};
      by_image_.reset();
      current_ = Shared(std::move(*fitted), observation.frame);
      return;
    }
    if (adapter_->options().image.enabled) UpdateByImage(observation);
    if (fitted && IsBetterByMemory(*fitted, observation))
      current_ = Shared(std::move(*fitted), observation.frame);
    else
      current_ = by_image_;
  }

  // Whether a frame without seeds shows more by the colours of the faces that have left than by its
  // own, as a portrait does if the camera turns to shoulders and hands.
  bool IsBetterByMemory(const Adaptation& fitted, const Observation& observation) {
    const cv::Mat& small = observation.frame.small_bgr;
    const auto skin_of = [&](const Adaptation* adaptation) {
      const cv::Mat z = adaptation ? adapter_->EvidenceOf(small, *adaptation) : observation.global;
      return cv::countNonZero(z > 0) / static_cast<double>(small.total());
    };
    const double skin = skin_of(&fitted);
    memory_.most_skin = std::max(memory_.most_skin, skin);
    memory_.is_over = 2 * skin < memory_.most_skin;
    if (memory_.is_over) return false;
    if (!adapter_->options().image.enabled) return true;
    return memory_.shows_more.Decide(2 * skin_of(by_image_.get()) < skin, 1);
  }

  // For a frame without seeds: as for a photograph, but its light and histogram are smoothed over
  // frames.
  void UpdateByImage(const Observation& observation) {
    const TrackingFrame& now = observation.frame;
    if (!past_.is_new && !image_fit_.IsTimeForNext(now, observation.number)) return;
    const double rate = past_.is_new ? 1 : image_fit_.Rate(now);
    by_image_ = Shared(adapter_->AdaptToImage(now.small_bgr, now.is_monochrome, past_, rate), now);
    image_fit_.Note(now, observation.number);
  }

  // Fits to the colours of the seeds, or to the remembered ones.
  std::optional<Adaptation> FitToColors(const Observation& observation) {
    const AdaptOptions& options = adapter_->options();
    const bool is_memory = observation.seeds.empty();
    if (observation.color_priors.empty() ||
        (is_memory && (memory_.is_over || options.image.require_face))) {
      model_.reset();
      return std::nullopt;
    }
    const cv::Mat& small = observation.frame.small_bgr;
    const cv::Size image = observation.frame.size;
    SpatialPriorOptions places = options.prior;
    saw_several_ |= observation.seeds.size() > 1;
    if (saw_several_)
      places.alone = 0;  // a face that is lost for a while is of somebody still there
    const cv::Mat prior = is_memory ? cv::Mat(small.size(), CV_32FC1, cv::Scalar(kWithoutPlace))
                                    : SpatialPrior(small.size(), image, observation.seeds, places);
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
    if (!model_) return std::nullopt;
    return adapter_->AdaptedToSeeds(*model_, prior, observation.faces, observation.seeds.size());
  }

  // Null if the frame is judged by the global model.
  std::shared_ptr<const Adaptation> Shared(Adaptation&& adaptation,
                                           const TrackingFrame& now) const {
    adaptation.summary.monochrome = now.is_monochrome;
    if (adapter_->IsGlobal(adaptation)) return nullptr;
    return std::make_shared<const Adaptation>(std::move(adaptation));
  }

  // Of the colours of faces that have left.
  struct Memory {
    double most_skin = 0;  // the greatest share of skin by them since the faces left
    bool is_over = false;  // it has halved since: the body has left, too
    SteadyDecision shows_more;
  };

  std::shared_ptr<const Adapter> adapter_;
  Observer observer_;
  int still_ = 0;      // how many of the last frames in a row equal the frame before them
  cv::Mat last_grey_;  // the small image of the frame before
  std::optional<ImageModel> model_;  // of seeds, or of remembered colours
  bool saw_several_ = false;         // seeds at once, since the last cut
  Memory memory_;
  ImagePast past_;  // of frames without seeds
  LastFit image_fit_;
  std::shared_ptr<const Adaptation> by_image_;  // the last of frames without seeds
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
