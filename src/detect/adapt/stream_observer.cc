#include "detect/adapt/stream_observer.h"

#include <algorithm>
#include <utility>

namespace skinmask {
namespace {

// Mean differences of two coarse images, in grey levels. Colours are fitted again when the frame
// differs by kFitChange from the last fitted one, but at least kMinFitGap frames later, unless it
// differs by kFitAtOnceChange.
constexpr double kFitChange = 1, kFitAtOnceChange = 8;
constexpr int kMinFitGap = 3;
// From this difference on, a new frame alone determines the colours of faces and its own division.
constexpr double kFullRateChange = 4;
constexpr int kMinSearchGap = 3;  // frames between searches while a face is lost
// A face that one frame does not show well enough is often found in one of the next. So while none
// is known, one more search comes between two usual ones, until so many have found none.
constexpr int kEagerSearches = 8;
// If the last search found nothing new and the picture has changed by less than kQuietChange since
// (a person who enters changes it more), the next search comes after kQuietGaps times the usual
// gap. If the picture is the same, there is none.
constexpr int kQuietGaps = 8;
constexpr double kQuietChange = 2;

// The mean difference, in grey levels.
double DifferenceOf(const cv::Mat& a, const cv::Mat& b) {
  return cv::norm(a, b, cv::NORM_L1) / static_cast<double>(3 * a.total());
}
bool AreSame(const TrackingFrame& a, const TrackingFrame& b) {
  return a.size == b.size && cv::norm(a.small_bgr, b.small_bgr, cv::NORM_INF) == 0;
}

}  // namespace

void LastFit::Note(const TrackingFrame& now, std::int64_t number) {
  fitted_ = now;
  number_ = number;
}

double LastFit::Change(const TrackingFrame& now) const {
  // A fit to colours does not apply to greys, nor the reverse, however near they are.
  if (fitted_.size != now.size || fitted_.is_monochrome != now.is_monochrome) return 256;
  return DifferenceOf(now.coarse, fitted_.coarse);
}

bool LastFit::IsTimeForNext(const TrackingFrame& now, std::int64_t number) const {
  const double change = Change(now);
  return change > kFitAtOnceChange || (change > kFitChange && number >= number_ + kMinFitGap);
}

double LastFit::Rate(const TrackingFrame& now) const {
  return std::min(1., Change(now) / kFullRateChange);
}

StreamAdapter::Observer::Observer(std::shared_ptr<const Adapter> adapter,
                                  const StreamOptions& options)
    : adapter_(std::move(adapter)), options_(options), tracker_(adapter_->options().skin) {}

StreamAdapter::Observation StreamAdapter::Observer::Observe(const cv::Mat& bgr) {
  Observation observation;
  observation.frame = TrackingFrameOf(bgr, adapter_->options(), last_.is_monochrome);
  const TrackingFrame& now = observation.frame;
  observation.is_cut = IsCut(last_, now);
  if (observation.is_cut) BeginAnew();
  if (observation.is_cut && now.is_monochrome)
    observation.frame = TrackingFrameOf(bgr, adapter_->options());
  observation.is_same = AreSame(last_, now);
  if (!observation.is_same) tracker_.Follow(now);
  observation.number = ++frame_;
  const std::optional<Search> search = SearchAt(bgr, now);
  observation.has_news = !observation.is_same || search;
  if (search) NoteWhetherEmpty(*search);
  if (observation.has_news && (!tracker_.empty() || (search && !search->found.empty())))
    FollowSeeds(search, observation);
  last_ = now;
  return observation;
}

void StreamAdapter::Observer::BeginAnew() {
  is_stale_ = pending_.valid();
  next_search_ = 0;
  is_quiet_ = false;
  empty_searches_ = 0;
  has_colors_ = false;
  searched_ = {};
  fit_.Clear();
  tracker_.Clear();
}

void StreamAdapter::Observer::NoteWhetherEmpty(const Search& search) {
  const bool is_empty = tracker_.empty() && search.found.empty();
  empty_searches_ = is_empty ? std::min(empty_searches_ + 1, kEagerSearches) : 0;
  is_quiet_ = empty_searches_ == kEagerSearches;
}

bool StreamAdapter::Observer::IsTime() const {
  if (frame_ >= next_search_) return true;
  // Half-way to the next usual one, which its result must not delay.
  const int every = options_.search_every_frames;
  const bool is_eager = tracker_.empty() && empty_searches_ < kEagerSearches;
  return is_eager && next_search_ == began_ + every && frame_ >= began_ + (every + 1) / 2 &&
         frame_ + options_.search_lag_frames <= next_search_;
}

// Returns the search whose result is due, and starts the next one when it is time.
std::optional<StreamAdapter::Observer::Search> StreamAdapter::Observer::SearchAt(
    const cv::Mat& bgr, const TrackingFrame& now) {
  std::optional<Search> done;
  if (pending_.valid() && frame_ >= due_) {
    if (std::exchange(is_stale_, false)) {
      pending_ = {};  // what it found, or why it failed, is of an earlier scene
    } else {
      const TrackingFrame searched = std::exchange(searched_, {});
      done = Search{pending_.get(), searched};
      searched_ = searched;
    }
  }
  if (tracker_.AnyLost()) next_search_ = std::min(next_search_, began_ + kMinSearchGap);
  if (pending_.valid() || !IsTime() || CanWait(now)) return done;
  began_ = frame_;
  if (frame_ >= next_search_) next_search_ = frame_ + options_.search_every_frames;
  searched_ = {};  // also after a search that failed, so that another one follows
  if (options_.search_lag_frames == 0) done = Search{adapter_->FindSeeds(bgr), now};
  searched_ = now;
  if (options_.search_lag_frames == 0) return done;
  due_ = frame_ + options_.search_lag_frames;
  // If no more threads can be made, the search runs when it is due, and that frame waits for it.
  // (`search` is const, and so copied: libstdc++ moves from its argument before it finds that it
  // cannot make a thread.)
  const auto search = [adapter = adapter_, frame = bgr.clone()] {
    return adapter->FindSeeds(frame);
  };
  pending_ = std::async(std::launch::async | std::launch::deferred, search);
  return done;
}

bool StreamAdapter::Observer::CanWait(const TrackingFrame& now) const {
  if (searched_.size != now.size || tracker_.AnyLost()) return false;
  if (AreSame(searched_, now)) return tracker_.AllConfirmed();
  return is_quiet_ && frame_ < began_ + kQuietGaps * std::int64_t{options_.search_every_frames} &&
         DifferenceOf(now.coarse, searched_.coarse) < kQuietChange;
}

// Finds the seeds' places in this frame, and their colours.
void StreamAdapter::Observer::FollowSeeds(const std::optional<Search>& search,
                                          Observation& observation) {
  const TrackingFrame& now = observation.frame;
  observation.global =
      adapter_->GlobalLogOdds(now.small_bgr, adapter_->options().max_global_log_odds);
  const bool others = search && tracker_.UpdateWithDetections(search->found, search->searched, now);
  if (search) is_quiet_ = !others && tracker_.AllConfirmed();
  observation.fits_anew = others || !has_colors_ || fit_.IsTimeForNext(now, frame_);
  tracker_.UpdateColorPriors(now, observation.global, observation.fits_anew ? fit_.Rate(now) : 0);
  observation.seeds = tracker_.seeds();
  observation.faces = tracker_.faces();
  observation.color_priors = tracker_.color_priors();
  has_colors_ = !observation.color_priors.empty();
  if (!has_colors_)
    fit_.Clear();
  else if (observation.fits_anew)
    fit_.Note(now, frame_);
}

}  // namespace skinmask
