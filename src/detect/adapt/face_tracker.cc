#include "detect/adapt/face_tracker.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "detect/adapt/image_decision.h"
#include "detect/adapt/seed_priors.h"
#include "detect/adapt/small_image.h"

namespace skinmask {
namespace {

constexpr double kSearchRadius = 0.25;    // how far a face may move in a frame, in face sizes
constexpr int kMinSearchRadius = 3;       // the same, in pixels of the small image, at least
constexpr double kMinCorrelation = 0.5;   // a face with less is lost
constexpr double kSureCorrelation = 0.8;  // a face with more is sure, even if a search missed it
constexpr double kMinStep = 0.25;         // a smaller move is noise, in pixels of the small image
constexpr double kIouToMatch = 0.25;      // a detection with more is the track's face
constexpr double kJitter = 0.06;          // detector noise on a still face, in sizes of the face
constexpr double kTiltJitter = 0.2;       // the same for its tilt, in radians
constexpr int kMissesPerMeeting = 4;      // searches that may miss a face per search that found it
constexpr int kMaxMissedSearches = 32;    // a track that is missed more often in a row is dropped
constexpr int kMaxMissedWhileLost = 1;    // the same for a face that is lost
constexpr int kMinMeetings = 2;           // searches that found a face that is remembered
constexpr double kMaxVisible = 0.8;       // of a face that may have left the frame
constexpr int kCoarsePixels = 400;

bool IsLost(const Track& track) { return track.correlation < kMinCorrelation; }
bool IsSure(const Track& track) {
  return track.confirmed ? !IsLost(track) : track.correlation > kSureCorrelation;
}

// Whether the face was there, and has turned away or left the frame, so that its body may be there
// still. A track that correlates although searches miss it, in the middle of the frame, was no
// face.
bool HasLeft(const Track& track) {
  if (!track.seed.face || !track.color_prior || track.searches_met < kMinMeetings) return false;
  const double side = track.seed.face->size;
  return IsLost(track) || track.seed.box.area() < kMaxVisible * side * side;
}

double IntersectionOverUnion(const cv::Rect& a, const cv::Rect& b) {
  const double both = (a & b).area();
  return both / (a.area() + b.area() - both);
}

cv::Point2d SmallScale(const TrackingFrame& frame) {
  return {static_cast<double>(frame.small_grey.cols) / frame.size.width,
          static_cast<double>(frame.small_grey.rows) / frame.size.height};
}

// The middle part of a box of the whole frame, in the small image: the part that is compared.
cv::Rect TemplateBox(const cv::Rect& box, const TrackingFrame& frame) {
  const auto [x, y] = SmallScale(frame);
  const cv::Rect middle(
      cvRound((box.x + box.width / 4.) * x), cvRound((box.y + box.height / 4.) * y),
      std::max(2, cvRound(box.width / 2. * x)), std::max(2, cvRound(box.height / 2. * y)));
  return middle & cv::Rect({}, frame.small_grey.size());
}

// The offset of the vertex of a parabola through three neighbours from the middle one, rounded to
// quarters.
double TopBetween(double before, double middle, double after) {
  const double bend = 2 * middle - before - after;
  if (bend <= 0) return 0;
  return cvRound(std::clamp(2 * (after - before) / bend, -2., 2.)) / 4.;
}

// The greatest value, and its place to a quarter of a pixel.
double GreatestOf(const cv::Mat& correlation, cv::Point2d& top) {
  double best = 0;
  cv::Point at;
  cv::minMaxLoc(correlation, nullptr, &best, nullptr, &at);
  top = at;
  const auto value = [&](int x, int y) {
    return static_cast<double>(correlation.at<float>(at.y + y, at.x + x));
  };
  if (at.x > 0 && at.x + 1 < correlation.cols) top.x += TopBetween(value(-1, 0), best, value(1, 0));
  if (at.y > 0 && at.y + 1 < correlation.rows) top.y += TopBetween(value(0, -1), best, value(0, 1));
  return best;
}

// Moves the face to where its template correlates best; returns that correlation. For a face that
// leaves the frame, only the part of the template within the frame is compared. A part of one grey
// correlates equally with everything, and the face stays where it is.
double MatchTemplate(const Track& track, const TrackingFrame& now, Seed& seed) {
  const cv::Point2d scale = SmallScale(now), centre = seed.face->centre;
  const cv::Rect frame({}, now.small_grey.size());
  const cv::Rect inside(kMinSearchRadius, kMinSearchRadius, frame.width - 2 * kMinSearchRadius,
                        frame.height - 2 * kMinSearchRadius);
  const cv::Point expected(cvRound(centre.x * scale.x + track.template_at.x),
                           cvRound(centre.y * scale.y + track.template_at.y));
  const cv::Rect whole(expected, track.face_template.size());
  cv::Rect part = whole & inside;
  if (part.empty()) part = whole & frame;
  if (4 * part.area() < whole.area() || part.empty()) return 0;
  const int radius =
      std::max(kMinSearchRadius, cvRound(2 * kSearchRadius * std::min(whole.width, whole.height)));
  const cv::Rect around = cv::Rect(part.x - radius, part.y - radius, part.width + 2 * radius,
                                   part.height + 2 * radius) &
                          frame;
  const cv::Mat compared = track.face_template(part - whole.tl());
  double darkest = 0, lightest = 0;
  cv::minMaxLoc(compared, &darkest, &lightest);
  if (darkest == lightest) return track.correlation;
  cv::Mat correlation;
  cv::matchTemplate(now.small_grey(around), compared, correlation, cv::TM_CCOEFF_NORMED);
  cv::Point2d top;
  const double best = GreatestOf(correlation, top);
  const cv::Point2d corner = top + cv::Point2d(around.tl() - (part.tl() - whole.tl()));
  const cv::Point2d step =
      corner - track.template_at - cv::Point2d(centre.x * scale.x, centre.y * scale.y);
  if (std::max(std::abs(step.x), std::abs(step.y)) <= kMinStep) return best;
  FaceFrame moved = *seed.face;
  moved.centre += cv::Point2d(step.x / scale.x, step.y / scale.y);
  const cv::Rect box = moved.Box(now.size);
  if (!box.empty()) {
    seed.face = moved;
    seed.box = box;
  }
  return best;
}

// How many searches in a row may miss the track: fewer if fewer have found it.
int MayMiss(const Track& track) {
  return IsLost(track) ? kMaxMissedWhileLost
                       : std::min(kMissesPerMeeting * track.searches_met, kMaxMissedSearches);
}

// Whether two detections differ by no more than the detector's noise on a still face.
bool IsJitter(const Seed& here, const Seed& there) {
  if (!here.face || !there.face) return here.box == there.box;
  const FaceFrame &a = *here.face, &b = *there.face;
  const cv::Point2d step = b.centre - a.centre;
  return std::max({std::abs(step.x), std::abs(step.y), std::abs(b.size - a.size)}) <=
             kJitter * a.size &&
         std::abs(b.tilt - a.tilt) <= kTiltJitter;
}

void TakeTemplate(Track& track, const TrackingFrame& frame) {
  const cv::Rect box = TemplateBox(track.seed.box, frame);
  const cv::Point2d scale = SmallScale(frame), centre = track.seed.face->centre;
  track.face_template = frame.small_grey(box).clone();
  track.template_at = cv::Point2d(box.tl()) - cv::Point2d(centre.x * scale.x, centre.y * scale.y);
}

// The track of a detection in the frame `searched`, followed to the frame `now`.
Track TrackOf(const Seed& detection, const TrackingFrame& searched, const TrackingFrame& now) {
  Track track;
  track.seed = detection;
  if (!detection.face) return track;
  TakeTemplate(track, searched);
  // For a face at the border the template in the small image may be empty.
  track.correlation = track.face_template.empty() ? 0 : MatchTemplate(track, now, track.seed);
  return track;
}

// Takes the template of the current frame, if the face is there.
void UpdateTemplate(Track& track, const TrackingFrame& now) {
  if (track.seed.face && !IsLost(track)) TakeTemplate(track, now);
}

// Whether the place of a face looks as when a search last found it there. The template alone does
// not tell, because it is renewed: while one scene dissolves into another, each frame looks like
// the one before, until the face has become background.
bool LooksAsFound(const Track& track, const TrackingFrame& now) {
  const cv::Mat& found = track.found_template;
  const cv::Rect box = TemplateBox(track.seed.box, now), frame({}, now.small_grey.size());
  constexpr int r = kMinSearchRadius;
  const cv::Rect around =
      cv::Rect(box.x - r, box.y - r, box.width + 2 * r, box.height + 2 * r) & frame;
  if (found.empty() || around.width < found.cols || around.height < found.rows) return true;
  double darkest = 0, lightest = 0, best = 0;
  cv::minMaxLoc(found, &darkest, &lightest);
  if (darkest == lightest) return true;
  cv::Mat correlation;
  cv::matchTemplate(now.small_grey(around), found, correlation, cv::TM_CCOEFF_NORMED);
  cv::minMaxLoc(correlation, nullptr, &best);
  return best >= kMinCorrelation;
}

// Two frames with lower values are of two scenes. Pairs of photographs of ECU or 'groups' have at
// most 0.62 and 0.56. When a camera turns by a sixteenth of the frame's width, the shared colours
// are 0.93 or more; when a light of 0.7 stops is switched on, the correlation is 0.95 or more.
constexpr double kLeastCorrelation = 0.7, kLeastShared = 0.75;

// The correlation over all three channels, each less its mean; 0 if one image is flat. Sums of
// bytes and of their products are integers, which doubles hold exactly.
double CorrelationOf(const cv::Mat& a, const cv::Mat& b) {
  const auto count = static_cast<double>(a.total());
  const cv::Scalar sum_a = cv::sum(a), sum_b = cv::sum(b);
  const double aa = count * a.dot(a) - sum_a.dot(sum_a);
  const double bb = count * b.dot(b) - sum_b.dot(sum_b);
  const double ab = count * a.dot(b) - sum_a.dot(sum_b);
  return aa <= 0 || bb <= 0 ? 0 : ab / (std::sqrt(aa) * std::sqrt(bb));
}

// The histogram of colours in cubes of 32 levels a side.
cv::Mat CubesOf(const cv::Mat& bgr) {
  cv::Mat counts;
  cv::calcHist(std::vector<cv::Mat>{bgr}, {0, 1, 2}, cv::noArray(), counts, {8, 8, 8},
               {0, 256, 0, 256, 0, 256});
  return counts;
}

// The share of colours that both images have in common.
double SharedColors(const cv::Mat& a, const cv::Mat& b) {
  return cv::compareHist(CubesOf(a), CubesOf(b), cv::HISTCMP_INTERSECT) /
         static_cast<double>(a.total());
}

}  // namespace

TrackingFrame TrackingFrameOf(const cv::Mat& bgr, const AdaptOptions& options,
                              bool was_monochrome) {
  TrackingFrame frame{bgr.size(), SmallImage(bgr, options.fit.pixels), {}, {}};
  frame.is_monochrome = IsMonochrome(frame.small_bgr, options.image, was_monochrome);
  if (frame.is_monochrome) frame.small_bgr = InGrey(frame.small_bgr);
  frame.coarse = SmallImage(frame.small_bgr, kCoarsePixels);
  cv::extractChannel(frame.small_bgr, frame.small_grey, 1);
  return frame;
}

bool IsCut(const TrackingFrame& before, const TrackingFrame& now) {
  if (before.size != now.size) return true;
  return CorrelationOf(before.coarse, now.coarse) < kLeastCorrelation &&
         SharedColors(before.small_bgr, now.small_bgr) < kLeastShared;
}

void FaceTracker::Follow(const TrackingFrame& now) {
  for (Track& track : tracks_)
    if (track.seed.face && !track.face_template.empty())
      track.correlation = MatchTemplate(track, now, track.seed);
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
      if (IsJitter(known->seed, found.seed)) found.seed = known->seed;
      found.searches_met = known->searches_met + 1;
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
  for (Track& track : tracks_) {
    if (track.confirmed) {
      track.found_template = track.face_template;
      continue;
    }
    ++track.searches_missed;
    // A face that was found may cover it. What still correlates is then something else.
    const auto may_cover = [&](const Track& other) {
      return other.confirmed && !(other.seed.box & track.seed.box).empty();
    };
    if (std::ranges::any_of(tracks_, may_cover) || !LooksAsFound(track, now)) track.correlation = 0;
    if (IsSure(track)) UpdateTemplate(track, now);
  }
  // Not of std::ranges, whose subrange Clang 14 cannot compile.
  const auto dropped =
      std::stable_partition(tracks_.begin(), tracks_.end(), [](const Track& track) {
        return track.confirmed || track.searches_missed <= MayMiss(track);
      });
  const bool is_any_dropped = dropped != tracks_.end();
  if (others || is_any_dropped) remembered_.clear();
  if (dropped == tracks_.begin())
    for (const Track& track : tracks_)
      if (HasLeft(track)) remembered_.push_back(*track.color_prior);
  tracks_.erase(dropped, tracks_.end());
  return others || is_any_dropped;
}

void FaceTracker::UpdateColorPriors(const TrackingFrame& now, const cv::Mat& log_odds,
                                    double rate) {
  for (Track& track : tracks_) {
    if (track.color_prior && (!IsSure(track) || rate == 0)) continue;
    const Seed scaled = Scaled(track.seed, now.size, now.small_grey.size());
    const auto measured = ColorPriorOf(now.small_bgr, scaled, log_odds, options_);
    if (measured && track.color_prior)
      Blend(*track.color_prior, *measured, rate);
    else if (measured)
      track.color_prior = measured;
  }
  if (color_priors().empty()) tracks_.clear();
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
  std::vector<ColorGaussian> color_priors = remembered_;
  for (const Track& track : tracks_)
    if (track.color_prior) color_priors.push_back(*track.color_prior);
  return color_priors;
}

}  // namespace skinmask
