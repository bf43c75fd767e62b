#include "detect/adapt/face_tracker.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "detect/adapt/adapt_steps.h"

namespace skinmask {
namespace {

constexpr double kReach = 0.25;       // how far a face may have moved, in face sizes
constexpr int kLeastReach = 3;        // and in pixels of the small picture
constexpr double kLost = 0.5;         // likeness under which a face is not where it should be
constexpr double kNearlyThere = 0.7;  // overlap of two boxes, as a search jitters on a still face
constexpr double kSamePerson = 0.25;  // overlap
constexpr int kMostMissed = 8;        // searches in a row, after which a face is forgotten
constexpr int kMostLost = 5;          // likewise, of one that is not where it should be either
constexpr double kBetter = 0.01;      // likeness that is worth a move

double Overlap(const cv::Rect& a, const cv::Rect& b) {
  const double both = (a & b).area();
  return both / (a.area() + b.area() - both);
}

// The middle of a box of the whole picture, in the small one: what is compared.
cv::Rect MiddleOf(const cv::Rect& box, const Sight& sight) {
  const double x = static_cast<double>(sight.small_grey.cols) / sight.whole.width;
  const double y = static_cast<double>(sight.small_grey.rows) / sight.whole.height;
  const cv::Rect middle(
      cvRound((box.x + box.width / 4.) * x), cvRound((box.y + box.height / 4.) * y),
      std::max(2, cvRound(box.width / 2. * x)), std::max(2, cvRound(box.height / 2. * y)));
  return middle & cv::Rect({}, sight.small_grey.size());
}

// Where the looks are found near the middle of the box; the box moves there.
double Follow(const cv::Mat& looks, const Sight& now, cv::Rect& box) {
  const cv::Rect middle = MiddleOf(box, now);
  const int reach = std::max(kLeastReach, cvRound(2 * kReach * looks.cols));
  const cv::Rect around =
      cv::Rect(middle.x - reach, middle.y - reach, looks.cols + 2 * reach, looks.rows + 2 * reach) &
      cv::Rect({}, now.small_grey.size());
  if (around.width < looks.cols || around.height < looks.rows) return 0;
  cv::Mat likeness;
  cv::matchTemplate(now.small_grey(around), looks, likeness, cv::TM_CCOEFF_NORMED);
  double best = 0;
  cv::Point at;
  cv::minMaxLoc(likeness, nullptr, &best, nullptr, &at);
  const cv::Point still = middle.tl() - around.tl();
  if (cv::Rect({}, likeness.size()).contains(still)) {
    const double there = static_cast<double>(likeness.at<float>(still));
    if (best < there + kBetter) return there;
  }
  const cv::Point step = at - still;
  const cv::Rect moved =
      (box +
       cv::Point(cvRound(step.x * static_cast<double>(now.whole.width) / now.small_grey.cols),
                 cvRound(step.y * static_cast<double>(now.whole.height) / now.small_grey.rows))) &
      cv::Rect({}, now.whole);
  if (!moved.empty()) box = moved;
  return best;
}

// Remembers how the face looks now; if it could not be followed here, it stays as it was found.
void Look(Person& person, const Sight& now) {
  if (person.seed.face)
    person.looks =
        (person.likeness < kLost ? person.looks : now.small_grey(MiddleOf(person.seed.box, now)))
            .clone();
}

}  // namespace

Sight SightOf(const cv::Mat& bgr) {
  Sight sight{bgr.size(), SmallPicture(bgr), {}};
  cv::extractChannel(sight.small_bgr, sight.small_grey, 1);
  return sight;
}

void People::Track(const Sight& now) {
  for (Person& person : people_)
    if (person.seed.face && !person.looks.empty())
      person.likeness = Follow(person.looks, now, person.seed.box);
}

bool People::Meet(std::vector<Seed> found, const Sight& then, const Sight& now,
                  const cv::Mat& log_odds) {
  for (Person& person : people_) person.confirmed = false;
  bool others = false;
  for (Seed& seed : found) {
    Person met{seed, true, 0, {}, 1, {}};
    if (seed.face) {
      met.looks = then.small_grey(MiddleOf(seed.box, then));
      met.likeness = Follow(met.looks, now, met.seed.box);
    }
    const auto known = std::ranges::find_if(people_, [&](const Person& p) {
      return !p.confirmed && Overlap(p.seed.box, met.seed.box) > kSamePerson;
    });
    if (known != people_.end()) {
      if (Overlap(known->seed.box, met.seed.box) > kNearlyThere) met.seed.box = known->seed.box;
      met.anchor = known->anchor;
      *known = std::move(met);
      Look(*known, now);
    } else if (people_.size() < kMostSeeds &&
               IsVerified(Scaled(met.seed, now.whole, now.small_grey.size()), log_odds)) {
      people_.push_back(std::move(met));
      Look(people_.back(), now);
      others = true;
    }
  }
  for (Person& person : people_)
    if (!person.confirmed) ++person.searches_missed;
  others |=
      std::erase_if(people_, [](const Person& p) {
        return !p.confirmed && p.searches_missed > (p.likeness < kLost ? kMostLost : kMostMissed);
      }) > 0;
  return others;
}

void People::Measure(const Sight& now, const cv::Mat& log_odds, double rate) {
  for (Person& person : people_) {
    if (person.anchor && (!person.confirmed || person.likeness < kLost || rate == 0)) continue;
    const auto measured =
        AnchorOf(now.small_bgr, Scaled(person.seed, now.whole, now.small_grey.size()), log_odds);
    if (measured && person.anchor)
      MoveTowards(*person.anchor, *measured, rate);
    else if (measured)
      person.anchor = measured;
  }
  std::erase_if(people_, [](const Person& p) { return !p.anchor; });
}

bool People::AnyLost() const {
  return std::ranges::any_of(people_, [](const Person& p) { return p.likeness < kLost; });
}

std::vector<Seed> People::seeds() const {
  std::vector<Seed> seeds;
  for (const Person& person : people_) seeds.push_back(person.seed);
  return seeds;
}

std::vector<ColorGaussian> People::anchors() const {
  std::vector<ColorGaussian> anchors;
  for (const Person& person : people_) anchors.push_back(*person.anchor);
  return anchors;
}

}  // namespace skinmask
