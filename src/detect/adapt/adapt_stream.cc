#include <algorithm>
#include <future>

#include "detect/adapt/adapt_steps.h"
#include "detect/adapt/face_tracker.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/adapt_stream.h"

namespace skinmask {
namespace {

// Mean difference of two small pictures, in grey levels: from which on nothing of the model is
// carried, and from which on it is another scene.
constexpr double kAllNew = 12, kOtherScene = 40;
constexpr int kLeastGap = 3;  // frames between searches for a lost face

}  // namespace

class StreamAdapter::State {
 public:
  State(std::shared_ptr<const Adapter> adapter, const StreamOptions& options)
      : adapter_(std::move(adapter)), options_(options) {}

  const Adapter& adapter() const { return *adapter_; }

  std::shared_ptr<const Adaptation> Follow(const cv::Mat& bgr) {
    Sight now = SightOf(bgr);
    const double change = ChangeTo(now);
    if (change > kOtherScene) BeginAnew();
    if (change > 0) people_.Track(now);
    ++frame_;
    const std::optional<Search> search = SearchAt(bgr, now);
    if (change > 0 || search) Update(search, now, std::min(1., change / kAllNew));
    last_ = std::move(now);
    return current_;
  }

 private:
  struct Search {
    std::vector<Seed> found;
    Sight then;
  };

  double ChangeTo(const Sight& now) const {
    if (last_.whole != now.whole) return 256;
    return cv::norm(now.small_bgr, last_.small_bgr, cv::NORM_L1) /
           static_cast<double>(3 * now.small_bgr.total());
  }

  void BeginAnew() {
    is_stale_ = pending_.valid();
    next_search_ = 0;
    people_.Forget();
    model_.reset();
    current_.reset();
  }

  // What is known of a search by now, and the beginning of the next one when it is time.
  std::optional<Search> SearchAt(const cv::Mat& bgr, const Sight& now) {
    std::optional<Search> done;
    if (pending_.valid() && frame_ >= due_) {
      std::vector<Seed> found = pending_.get();
      if (!is_stale_) done = Search{std::move(found), searched_};
      is_stale_ = false;
    }
    if (people_.AnyLost()) next_search_ = std::min(next_search_, began_ + kLeastGap);
    if (pending_.valid() || frame_ < next_search_) return done;
    began_ = frame_;
    next_search_ = frame_ + options_.search_every_frames;
    if (options_.search_lag_frames == 0) return Search{adapter_->FindSeeds(bgr), now};
    due_ = frame_ + options_.search_lag_frames;
    searched_ = now;
    pending_ = std::async(std::launch::async, [adapter = adapter_, frame = bgr.clone()] {
      return adapter->FindSeeds(frame);
    });
    return done;
  }

  void Update(const std::optional<Search>& search, const Sight& now, double rate) {
    if (people_.empty() && (!search || search->found.empty())) return;
    const cv::Mat global = adapter_->GlobalLogOdds(now.small_bgr);
    bool others = false;
    if (search) others = people_.Meet(search->found, search->then, now, global);
    people_.Measure(now, global, rate);
    const std::vector<ColorGaussian> anchors = people_.anchors();
    const cv::Mat place = PlaceLogOdds(now.small_bgr.size(), now.whole, people_.seeds());
    if (others || !model_ || model_->skin.size() != anchors.size())
      model_ = FitToImage(now.small_bgr, anchors, global, place);
    else if (rate > 0)
      Renew(*model_, now.small_bgr, anchors, global, place, rate);
    current_ = model_ ? std::make_shared<const Adaptation>(Adaptation{
                            CompiledMixture(Components(*model_), 0), now.small_bgr, place})
                      : nullptr;
  }

  std::shared_ptr<const Adapter> adapter_;
  StreamOptions options_;
  std::int64_t frame_ = 0, next_search_ = 0, began_ = 0, due_ = 0;
  Sight last_, searched_;
  std::future<std::vector<Seed>> pending_;
  bool is_stale_ = false;  // what is pending is of another scene
  People people_;
  std::optional<ImageModel> model_;
  std::shared_ptr<const Adaptation> current_;
};

StreamAdapter::StreamAdapter(std::shared_ptr<const Adapter> adapter, const StreamOptions& options) {
  if (options.search_every_frames < 1 || options.search_lag_frames < 0)
    throw Error("StreamOptions",
                "are out of range (a search every 1 or more frames, 0 or more late)");
  state_ = std::make_unique<State>(std::move(adapter), options);
}
StreamAdapter::~StreamAdapter() = default;
StreamAdapter::StreamAdapter(StreamAdapter&&) noexcept = default;
StreamAdapter& StreamAdapter::operator=(StreamAdapter&&) noexcept = default;

std::shared_ptr<const Adaptation> StreamAdapter::Follow(const cv::Mat& bgr) {
  return state_->Follow(bgr);
}

cv::Mat StreamAdapter::LogOdds(const cv::Mat& bgr) {
  const std::shared_ptr<const Adaptation> adaptation = Follow(bgr);
  return adaptation ? state_->adapter().LogOdds(bgr, *adaptation) : cv::Mat();
}

}  // namespace skinmask
