#include "skinmask/detect/adapt_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <future>
#include <utility>

#include "detect/adapt/exposure.h"
#include "detect/adapt/face_tracker.h"
#include "detect/adapt/image_decision.h"
#include "detect/adapt/image_fit.h"
#include "detect/adapt/seed_priors.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

// Mean difference of two small images, in grey levels: from which on nothing of the model is
// carried, and from which on it is another scene.
constexpr double kFullRateChange = 12, kSceneChange = 40;
// How fast the division of frames without seeds goes on: the share of the rate of change.
constexpr double kDivisionRate = 0.1;
constexpr int kMinSearchGap = 3;  // frames between searches for a lost face
// A search takes longer than all else of eight frames. Where the last one told nothing new and the
// picture is still like the one that it saw (by so many grey levels: somebody who comes in changes
// more), the next one comes after so many times the usual gap.
constexpr int kQuietGaps = 4;
constexpr double kQuietChange = 4;

// Mean, in grey levels.
double DifferenceOf(const TrackingFrame& a, const TrackingFrame& b) {
  return cv::norm(a.small_bgr, b.small_bgr, cv::NORM_L1) /
         static_cast<double>(3 * a.small_bgr.total());
}

}  // namespace

class StreamAdapter::State {
 public:
  State(std::shared_ptr<const Adapter> adapter, const StreamOptions& options)
      : adapter_(std::move(adapter)), options_(options), tracker_(adapter_->options().skin) {}

  const Adapter& adapter() const { return *adapter_; }

  std::shared_ptr<const Adaptation> Follow(const cv::Mat& bgr) {
    TrackingFrame now = TrackingFrameOf(bgr, adapter_->options().fit.pixels);
    const double change = ChangeTo(now);
    if (change > kSceneChange) BeginAnew();
    if (change > 0) tracker_.Follow(now);
    ++frame_;
    const std::optional<Search> search = SearchAt(bgr, now);
    if (change > 0 || search) Update(search, now, std::min(1., change / kFullRateChange));
    last_ = std::move(now);
    return current_;
  }

 private:
  struct Search {
    std::vector<Seed> found;
    TrackingFrame searched;
  };

  double ChangeTo(const TrackingFrame& now) const {
    return last_.size == now.size ? DifferenceOf(now, last_) : 256;
  }

  void BeginAnew() {
    is_stale_ = pending_.valid();
    next_search_ = 0;
    is_quiet_ = false;
    tracker_.Clear();
    model_.reset();
    divided_.reset();
    own_model_.reset();
    current_.reset();
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
    return is_quiet_ && !tracker_.AnyLost() &&
           frame_ < began_ + kQuietGaps * std::int64_t{options_.search_every_frames} &&
           DifferenceOf(now, searched_) < kQuietChange;
  }

  void Update(const std::optional<Search>& search, const TrackingFrame& now, double rate) {
    const bool had_model = model_.has_value();
    if (search) is_quiet_ = tracker_.empty() && search->found.empty();
    if (!tracker_.empty() || (search && !search->found.empty())) UpdateBySeeds(search, now, rate);
    if (model_) {
      divided_.reset();
      own_model_.reset();
      return;
    }
    if (had_model) current_.reset();
    if (adapter_->options().image.enabled) UpdateByImage(now, rate);
  }

  // Of an image without seeds. Its histogram and threshold go on slowly, since a mask that jumps
  // is worse than one that comes late.
  void UpdateByImage(const TrackingFrame& now, double rate) {
    if (divided_ && rate == 0) return;
    const ImageDecisionOptions& options = adapter_->options().image;
    const double slow_rate = kDivisionRate * rate, stops = StopsOf(now.small_bgr, options);
    const double light = divided_ ? divided_->stops + slow_rate * (stops - divided_->stops) : stops;
    const cv::Mat small = InLight(now.small_bgr, LightTable(light));
    const ImageHistogram histogram(adapter_->GlobalLogOdds(small, options.max_global_log_odds));
    if (divided_)
      divided_->histogram.Blend(histogram, slow_rate);
    else
      divided_ = Divided{light, histogram, DivisionOf(histogram, options)};
    divided_->stops = light;
    const Division division = DivisionOf(divided_->histogram, options);
    divided_->division.log_odds += slow_rate * (division.log_odds - divided_->division.log_odds);
    divided_->division.is_valley = division.is_valley;
    const cv::Mat log_odds =
        adapter_->GlobalLogOdds(small, options.max_global_log_odds, divided_->division.log_odds);
    const auto color_prior = PositiveSide(small, log_odds, adapter_->image_options_);
    if (!color_prior)
      own_model_.reset();
    else if (!own_model_)
      own_model_ = FitToSides(small, log_odds, adapter_->image_options_);
    else
      StepwiseUpdate(*own_model_, small, {&*color_prior, 1},
                     {log_odds, cv::Mat::zeros(small.size(), CV_32FC1)}, rate,
                     adapter_->image_options_);
    std::optional<Adaptation> adaptation =
        adapter_->AdaptedToImage(small, own_model_, divided_->division, light);
    current_ = adaptation ? std::make_shared<const Adaptation>(*std::move(adaptation)) : nullptr;
  }

  void UpdateBySeeds(const std::optional<Search>& search, const TrackingFrame& now, double rate) {
    const AdaptOptions& options = adapter_->options();
    const cv::Mat& small = now.small_bgr;
    const cv::Mat global = adapter_->GlobalLogOdds(small, options.max_global_log_odds);
    const bool others =
        search && tracker_.UpdateWithDetections(search->found, search->searched, now);
    if (search) is_quiet_ = !others && tracker_.AllConfirmed();
    tracker_.UpdateColorPriors(now, global, rate);
    std::vector<ColorGaussian> color_priors = tracker_.color_priors();
    if (color_priors.empty()) {
      model_.reset();
      return;
    }
    const auto most = static_cast<std::size_t>(options.skin.max_components);
    const bool joined = color_priors.size() > most;  // differently from frame to frame
    color_priors = Merged(std::move(color_priors), most);
    const std::vector<Seed> seeds = tracker_.seeds();
    const cv::Mat prior = SpatialPrior(small.size(), now.size, seeds, options.prior);
    const Evidence evidence{global, prior, MiddleFaceSize(seeds, now.size, small.size())};
    if (others || !model_ || model_->skin.size() != color_priors.size() || (joined && rate > 0))
      model_ = FitToImage(small, color_priors, evidence, options);
    else if (rate > 0)
      StepwiseUpdate(*model_, small, color_priors, evidence, rate, options);
    if (model_)
      current_ = std::make_shared<const Adaptation>(
          adapter_->AdaptedToSeeds(*model_, prior, tracker_.faces()));
  }

  std::shared_ptr<const Adapter> adapter_;
  StreamOptions options_;
  std::int64_t frame_ = 0, next_search_ = 0, began_ = 0, due_ = 0;
  TrackingFrame last_, searched_;
  std::future<std::vector<Seed>> pending_;
  bool is_stale_ = false;  // what is pending is of another scene
  bool is_quiet_ = false;  // the last search found what was followed, and nothing else
  FaceTracker tracker_;
  std::optional<ImageModel> model_;
  // Of frames without seeds.
  struct Divided {
    double stops;
    ImageHistogram histogram;
    Division division;
  };
  std::optional<Divided> divided_;
  std::optional<ImageModel> own_model_;
  std::shared_ptr<const Adaptation> current_;
};

StreamAdapter::StreamAdapter(std::shared_ptr<const Adapter> adapter, const StreamOptions& options) {
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

std::shared_ptr<const Adaptation> StreamAdapter::Follow(const cv::Mat& bgr) {
  RequireType(bgr, CV_8UC3, "frame");
  return state_->Follow(bgr);
}

cv::Mat StreamAdapter::LogOdds(const cv::Mat& bgr) {
  const std::shared_ptr<const Adaptation> adaptation = Follow(bgr);
  return adaptation ? state_->adapter().LogOdds(bgr, *adaptation) : cv::Mat();
}

}  // namespace skinmask
