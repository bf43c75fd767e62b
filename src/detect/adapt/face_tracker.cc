#include "detect/adapt/face_tracker.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "detect/adapt/seed_priors.h"
#include "detect/adapt/small_image.h"

namespace skinmask {
namespace {

constexpr double kSearchRadius = 0.25;   // how far a face may have moved, in face sizes
constexpr int kMinSearchRadius = 3;      // and in pixels of the small image
constexpr double kMinCorrelation = 0.5;  // below it a face is not where it should be: lost
constexpr double kMinGain = 0.01;        // in correlation, that is worth a move
constexpr double kIouToMatch = 0.25;     // of a track and a detection of the same face
constexpr double kIouToStay = 0.7;       // of two, as a search jitters on a still face
constexpr int kMaxMissedSearches = 8;    // in a row, after which a track is dropped
constexpr int kMaxMissedWhileLost = 5;   // likewise, of a face that is lost

bool IsLost(const Track& track) { return track.correlation < kMinCorrelation; }

double IntersectionOverUnion(const cv::Rect& a, const cv::Rect& b) {
  const double both = (a & b).area();
  return both / (a.area() + b.area() - both);
}

// The middle of a box of the whole frame, in the small image: what is compared.
cv::Rect TemplateBox(const cv::Rect& box, const TrackingFrame& frame) {
  const double x = static_cast<double>(frame.small_grey.cols) / frame.size.width;
  const double y = static_cast<double>(frame.small_grey.rows) / frame.size.height;
  const cv::Rect middle(
      cvRound((box.x + box.width / 4.) * x), cvRound((box.y + box.height / 4.) * y),
      std::max(2, cvRound(box.width / 2. * x)), std::max(2, cvRound(box.height / 2. * y)));
  return middle & cv::Rect({}, frame.small_grey.size());
}

// Moves the face to where the template correlates best, near its middle; returns that correlation.
double MatchTemplate(const cv::Mat& face_template, const TrackingFrame& now, Seed& seed) {
  const int width = face_template.cols, height = face_template.rows;
  const cv::Rect middle = TemplateBox(seed.box, now);
  const int radius = std::max(kMinSearchRadius, cvRound(2 * kSearchRadius * width));
  const cv::Rect around =
      cv::Rect(middle.x - radius, middle.y - radius, width + 2 * radius, height + 2 * radius) &
      cv::Rect({}, now.small_grey.size());
  if (around.width < width || around.height < height) return 0;
  cv::Mat correlation;
  cv::matchTemplate(now.small_grey(around), face_template, correlation, cv::TM_CCOEFF_NORMED);
  double best = 0;
  cv::Point at;
  cv::minMaxLoc(correlation, nullptr, &best, nullptr, &at);
  const cv::Point still = middle.tl() - around.tl();
  if (cv::Rect({}, correlation.size()).contains(still)) {
    const double there = static_cast<double>(correlation.at<float>(still));
    if (best < there + kMinGain) return there;
  }
  const cv::Point step = at - still;
  FaceFrame moved = *seed.face;
  moved.centre +=
      cv::Point2d(cvRound(step.x * static_cast<double>(now.size.width) / now.small_grey.cols),
                  cvRound(step.y * static_cast<double>(now.size.height) / now.small_grey.rows));
  const cv::Rect box = moved.Box(now.size);
  if (!box.empty()) {
    seed.face = moved;
    seed.box = box;
  }
  return best;
}

// Of a detection in the frame `searched`, followed to the frame `now`.
Track TrackOf(const Seed& detection, const TrackingFrame& searched, const TrackingFrame& now) {
  Track track{detection, true, 0, {}, 1, {}, 0};
  if (!detection.face) return track;
  track.face_template = searched.small_grey(TemplateBox(detection.box, searched));
  // Of a face at the very border nothing may be left in the small image.
  track.correlation =
      track.face_template.empty() ? 0 : MatchTemplate(track.face_template, now, track.seed);
  return track;
}

// As the face is now; if it could not be followed here, it stays as it was found.
void UpdateTemplate(Track& track, const TrackingFrame& now) {
  if (!track.seed.face) return;
  track.face_template =
      (IsLost(track) ? track.face_template : now.small_grey(TemplateBox(track.seed.box, now)))
          .clone();
}

}  // namespace

TrackingFrame TrackingFrameOf(const cv::Mat& bgr, int small_pixels) {
  TrackingFrame frame{bgr.size(), SmallImage(bgr, small_pixels), {}};
  cv::extractChannel(frame.small_bgr, frame.small_grey, 1);
  return frame;
}

void FaceTracker::Follow(const TrackingFrame& now) {
  for (Track& track : tracks_)
    if (track.seed.face && !track.face_template.empty())
      track.correlation = MatchTemplate(track.face_template, now, track.seed);
}

bool FaceTracker::UpdateWithDetections(const std::vector<Seed>& detections,
                                       const TrackingFrame& searched, const TrackingFrame& now) {
  for (Track& track : tracks_) track.confirmed = false;
  bool others = false;
  for (const Seed& detection : detections) {
    Track found = TrackOf(detection, searched, now);
    const auto known = std::ranges::find_if(tracks_, [&](const Track& t) {
      return !t.confirmed && IntersectionOverUnion(t.seed.box, found.seed.box) > kIouToMatch;
    });
    if (known != tracks_.end()) {
      if (IntersectionOverUnion(known->seed.box, found.seed.box) > kIouToStay)
        found.seed = known->seed;
      found.color_prior = known->color_prior;
      found.id = known->id;
      *known = std::move(found);
      UpdateTemplate(*known, now);
    } else if (tracks_.size() < kMaxSeeds) {
      found.id = ++last_id_;
      tracks_.push_back(std::move(found));
      UpdateTemplate(tracks_.back(), now);
      others = true;
    }
  }
  for (Track& track : tracks_)
    if (!track.confirmed) ++track.searches_missed;
  const auto dropped = std::erase_if(tracks_, [](const Track& t) {
    return !t.confirmed &&
           t.searches_missed > (IsLost(t) ? kMaxMissedWhileLost : kMaxMissedSearches);
  });
  return others || dropped > 0;
}

void FaceTracker::UpdateColorPriors(const TrackingFrame& now, const cv::Mat& log_odds,
                                    double rate) {
  for (Track& track : tracks_) {
    if (track.color_prior && (!track.confirmed || IsLost(track) || rate == 0)) continue;
    const Seed scaled = Scaled(track.seed, now.size, now.small_grey.size());
    const auto measured = ColorPriorOf(now.small_bgr, scaled, log_odds, options_);
    if (measured && track.color_prior)
      Blend(*track.color_prior, *measured, rate);
    else if (measured)
      track.color_prior = measured;
  }
  std::erase_if(tracks_, [](const Track& t) { return !t.color_prior; });
}

bool FaceTracker::AllConfirmed() const { return std::ranges::all_of(tracks_, &Track::confirmed); }

bool FaceTracker::AnyLost() const { return std::ranges::any_of(tracks_, IsLost); }

std::vector<Seed> FaceTracker::seeds() const {
  std::vector<Seed> seeds;
  for (const Track& track : tracks_) seeds.push_back(track.seed);
  return seeds;
}

std::vector<Face> FaceTracker::faces() const {
  std::vector<Face> faces;
  for (const Track& track : tracks_)
    if (track.seed.face) faces.push_back({track.id, track.seed.box, *track.seed.face});
  return faces;
}

std::vector<ColorGaussian> FaceTracker::color_priors() const {
  std::vector<ColorGaussian> color_priors;
  for (const Track& track : tracks_) color_priors.push_back(*track.color_prior);
  return color_priors;
}

}  // namespace skinmask
