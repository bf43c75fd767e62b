#include "skinmask/detect/adapt_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <future>
#include <utility>

#include "detect/adapt/face_tracker.h"
#include "detect/adapt/image_decision.h"
#include "detect/adapt/image_fit.h"
#include "detect/adapt/seed_priors.h"
#include "detect/adapt/steady.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

// Mean differences of two coarse images, in grey levels. Where the picture is that far from the one
// that was last fitted to, its colours are fitted to anew, but not sooner than so many frames later
// unless it is much farther.
constexpr double kFitChange = 1, kFitAtOnceChange = 8;
constexpr int kMinFitGap = 3;
// From which on a frame says all of the colours of faces and of its own decision; one that is
// nearly the last one says as little as it differs.
constexpr double kFullRateChange = 4;
// The time constant of smoothing where AdaptOptions::steady is 1.
constexpr double kSteadySeconds = 1;
// By how much a pixel's log-odds may be moved to what its surroundings have said in these seconds:
// at 25 frames of 640x480 pixels with noise of 2 grey levels, half of what flickers is within 1.
constexpr double kSlackPerSecond = 2;
constexpr double kUsualRate = 25, kMaxRate = 1000;  // frames a second
constexpr int kMinSearchGap = 3;                    // frames between searches for a lost face
// Where the last search told nothing new and the picture is still like the one that it saw (by so
// many grey levels: somebody who comes in changes more), the next one comes after so many times the
// usual gap. Where it is that very picture, there is none.
constexpr int kQuietGaps = 8;
constexpr double kQuietChange = 2;

// Mean, in grey levels.
double DifferenceOf(const cv::Mat& a, const cv::Mat& b) {
  return cv::norm(a, b, cv::NORM_L1) / static_cast<double>(3 * a.total());
}
bool AreSame(const TrackingFrame& a, const TrackingFrame& b) {
  return a.size == b.size && cv::norm(a.small_bgr, b.small_bgr, cv::NORM_INF) == 0;
}

}  // namespace

class StreamAdapter::State {
 public:
  State(std::shared_ptr<const Adapter> adapter, const StreamOptions& options)
      : adapter_(std::move(adapter)),
        options_(options),
        tracker_(adapter_->options().skin),
        filter_(FramesOf(kUsualRate)) {}

  void SetRate(double frames_per_second) {
    const bool is_known = frames_per_second > 0 && frames_per_second <= kMaxRate;
    filter_.SetTimeConstant(FramesOf(is_known ? frames_per_second : kUsualRate));
  }

  const Adapter& adapter() const { return *adapter_; }

  std::shared_ptr<const Adaptation> Follow(const cv::Mat& bgr) {
    TrackingFrame now = TrackingFrameOf(bgr, adapter_->options().fit.pixels);
    if (IsCut(last_, now)) BeginAnew();
    const bool is_same = AreSame(last_, now);
    still_ = is_same ? still_ + 1 : 0;
    if (!is_same) tracker_.Follow(now);
    ++frame_;
    const std::optional<Search> search = SearchAt(bgr, now);
    if (!is_same || search) Update(search, now);
    std::shared_ptr<const Adaptation> steady = Steady(now);
    last_ = std::move(now);
    return steady;
  }

 private:
  struct Search {
    std::vector<Seed> found;
    TrackingFrame searched;
  };

  // The time constant of smoothing.
  double FramesOf(double rate) const { return adapter_->options().steady * kSteadySeconds * rate; }

  // current_, held still. What is learnt of a picture that stands still counts at once: there is
  // nothing to smooth.
  std::shared_ptr<const Adaptation> Steady(const TrackingFrame& now) {
    using By = AdaptationSummary::By;
    constexpr int kStill = 3;  // frames; fewer that are the same are one that was sent again
    if (still_ > 0 && current_ == smoothed_) return steady_;
    if (still_ >= kStill || !current_ || current_->summary.by == By::kNobody) filter_.Clear();
    smoothed_ = steady_ = current_;
    if (!filter_.enabled() || !current_ || current_->summary.by == By::kNobody) return steady_;
    const BlockMotion motion =
        filter_.has_past() ? MotionTo(last_.small_grey, now.small_grey) : BlockMotion();
    const cv::Mat gain =
        filter_.Add(now.small_bgr, adapter_->EvidenceOf(now.small_bgr, *current_), motion);
    if (gain.empty()) return steady_;
    Adaptation steady = *current_;
    // Memory of its own: the sum alone would be written over what others hold.
    steady.offset = cv::Mat(current_->offset + gain);
    steady.expected = filter_.log_odds();
    steady.slack = kSlackPerSecond * adapter_->options().steady;
    return steady_ = std::make_shared<const Adaptation>(std::move(steady));
  }

  void BeginAnew() {
    is_stale_ = pending_.valid();
    next_search_ = 0;
    is_quiet_ = false;
    searched_ = fitted_ = {};
    tracker_.Clear();
    model_.reset();
    divided_.reset();
    own_model_.reset();
    current_.reset();
    filter_.Clear();
  }

  // What is known of a search by now, and the beginning of the next one when it is time.
  std::optional<Search> SearchAt(const cv::Mat& bgr, const TrackingFrame& now) {
    std::optional<Search> done;
    if (pending_.valid() && frame_ >= due_) {
      const bool is_stale = std::exchange(is_stale_, false);
      std::vector<Seed> found = pending_.get();
      if (!is_stale) done = Search{std::move(found), searched_};
    }
    if (tracker_.AnyLost()) next_search_ = std::min(next_search_, began_ + kMinSearchGap);
    if (pending_.valid() || frame_ < next_search_ || CanWait(now)) return done;
    began_ = frame_;
    next_search_ = frame_ + options_.search_every_frames;
    searched_ = now;
    if (options_.search_lag_frames == 0) return Search{adapter_->FindSeeds(bgr), now};
    due_ = frame_ + options_.search_lag_frames;
    pending_ = std::async(std::launch::async, [adapter = adapter_, frame = bgr.clone()] {
      return adapter->FindSeeds(frame);
    });
    return done;
  }

  bool CanWait(const TrackingFrame& now) const {
    if (searched_.size != now.size || tracker_.AnyLost()) return false;
    if (AreSame(searched_, now)) return true;
    return is_quiet_ && frame_ < began_ + kQuietGaps * std::int64_t{options_.search_every_frames} &&
           DifferenceOf(now.coarse, searched_.coarse) < kQuietChange;
  }

  // How far the picture is from the one that was last fitted to; without one as far as can be.
  double Unfitted(const TrackingFrame& now) const {
    return fitted_.size == now.size ? DifferenceOf(now.coarse, fitted_.coarse) : 256;
  }
  bool IsTimeToFit(const TrackingFrame& now) const {
    const double change = Unfitted(now);
    return change > kFitAtOnceChange ||
           (change > kFitChange && frame_ >= fitted_frame_ + kMinFitGap);
  }
  void NoteFit(const TrackingFrame& now) {
    fitted_ = now;
    fitted_frame_ = frame_;
  }

  void Update(const std::optional<Search>& search, const TrackingFrame& now) {
    const bool had_model = model_.has_value();
    if (search) is_quiet_ = tracker_.empty() && search->found.empty();
    if (!tracker_.empty() || (search && !search->found.empty())) UpdateBySeeds(search, now);
    if (model_) {
      divided_.reset();
      own_model_.reset();
      return;
    }
    if (had_model) {
      current_.reset();
      fitted_ = {};
    }
    if (adapter_->options().image.enabled) UpdateByImage(now);
  }

  // Of an image without seeds: as a photograph, but its light and histogram are those of more than
  // this frame.
  void UpdateByImage(const TrackingFrame& now) {
    if (divided_ && !IsTimeToFit(now)) return;
    const ImageDecisionOptions& options = adapter_->options().image;
    const double rate = divided_ ? std::min(1., Unfitted(now) / kFullRateChange) : 1;
    const double stops = StopsOf(now.small_bgr, options);
    const double light = divided_ ? divided_->stops + rate * (stops - divided_->stops) : stops;
    const cv::Mat small = InLight(now.small_bgr, LightTable(light));
    const ImageHistogram histogram(adapter_->GlobalLogOdds(small, options.max_global_log_odds));
    if (!divided_) divided_ = Divided{light, histogram};
    divided_->histogram.Blend(histogram, rate);
    divided_->stops = light;
    const Division division = DivisionOf(divided_->histogram, options);
    own_model_ = FitToSides(
        small, adapter_->GlobalLogOdds(small, options.max_global_log_odds, division.log_odds),
        adapter_->image_options_);
    NoteFit(now);
    std::optional<Adaptation> adaptation =
        adapter_->AdaptedToImage(small, own_model_, division, light);
    current_ = adaptation ? std::make_shared<const Adaptation>(*std::move(adaptation)) : nullptr;
  }

  void UpdateBySeeds(const std::optional<Search>& search, const TrackingFrame& now) {
    const AdaptOptions& options = adapter_->options();
    const cv::Mat& small = now.small_bgr;
    const cv::Mat global = adapter_->GlobalLogOdds(small, options.max_global_log_odds);
    const bool others =
        search && tracker_.UpdateWithDetections(search->found, search->searched, now);
    if (search) is_quiet_ = !others && tracker_.AllConfirmed();
    const bool is_new = others || !model_ || IsTimeToFit(now);
    tracker_.UpdateColorPriors(now, global,
                               is_new ? std::min(1., Unfitted(now) / kFullRateChange) : 0);
    std::vector<ColorGaussian> color_priors = tracker_.color_priors();
    if (color_priors.empty()) {
      model_.reset();
      return;
    }
    const std::vector<Seed> seeds = tracker_.seeds();
    const cv::Mat prior = SpatialPrior(small.size(), now.size, seeds, options.prior);
    Evidence evidence{global, prior, MiddleFaceSize(seeds, now.size, small.size())};
    if (is_new) {
      evidence.hair = HairOf(small, now.size, seeds, options.fit.background_covariance_floor);
      color_priors = SkinPriors(std::move(color_priors),
                                static_cast<std::size_t>(options.skin.max_components));
      model_ = FitToImage(small, color_priors, evidence, options);
      if (model_) NoteFit(now);  // where nothing fits, the image alone is looked at
    } else {
      model_->message = MessageOf(*model_, small, evidence, options);
    }
    if (model_)
      current_ = std::make_shared<const Adaptation>(
          adapter_->AdaptedToSeeds(*model_, prior, tracker_.faces()));
  }

  std::shared_ptr<const Adapter> adapter_;
  StreamOptions options_;
  int still_ = 0;  // frames that were as the one before each, the last ones in a row
  std::int64_t frame_ = 0, next_search_ = 0, began_ = 0, due_ = 0, fitted_frame_ = 0;
  TrackingFrame last_, searched_, fitted_;
  std::future<std::vector<Seed>> pending_;
  bool is_stale_ = false;  // what is pending is of another scene
  bool is_quiet_ = false;  // the last search found what was followed, and nothing else
  FaceTracker tracker_;
  std::optional<ImageModel> model_;
  // Of frames without seeds.
  struct Divided {
    double stops;
    ImageHistogram histogram;
  };
  std::optional<Divided> divided_;
  std::optional<ImageModel> own_model_;
  std::shared_ptr<const Adaptation> current_;
  SteadyFilter filter_;
  std::shared_ptr<const Adaptation> smoothed_, steady_;  // the last one, and what became of it
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

std::shared_ptr<const Adaptation> StreamAdapter::Follow(const cv::Mat& bgr) {
  RequireType(bgr, CV_8UC3, "frame");
  return state_->Follow(bgr);
}

cv::Mat StreamAdapter::LogOdds(const cv::Mat& bgr) {
  const std::shared_ptr<const Adaptation> adaptation = Follow(bgr);
  return adaptation ? state_->adapter().LogOdds(bgr, *adaptation) : cv::Mat();
}

}  // namespace skinmask
