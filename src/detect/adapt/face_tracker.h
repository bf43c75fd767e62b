// Those whose skin a stream has shown, followed from frame to frame.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "detect/adapt/image_fit.h"

namespace skinmask {

struct Person {
  Seed seed;                // where it is now, in the whole picture
  bool confirmed = true;    // by the last search
  int searches_missed = 0;  // in a row
  cv::Mat looks;            // grey, from when it was last confirmed
  double likeness = 1;      // correlation of what is there now with its looks
  std::optional<ColorGaussian> anchor;
};

// A picture with what following needs of it.
struct Sight {
  cv::Size whole;  // size of the frame
  cv::Mat small_bgr, small_grey;
};
Sight SightOf(const cv::Mat& bgr);

class People {
 public:
  // Moves every face to where the picture looks most like it.
  void Track(const Sight& now);
  // What a search in the frame `then` found. People that it found are where it says, unless that is
  // nearly where they were, and are followed to the frame `now`; others are missed, and in the end
  // forgotten. `log_odds` are the global model's in `now`. True if there are other people than
  // before.
  bool Meet(std::vector<Seed> found, const Sight& then, const Sight& now, const cv::Mat& log_odds);
  // Each one's skin goes `rate` of the way to what it is in this picture.
  void Measure(const Sight& now, const cv::Mat& log_odds, double rate);
  void Forget() { people_.clear(); }

  bool empty() const { return people_.empty(); }
  bool AnyLost() const;  // a face that is not where it should be: time for a search
  std::vector<Seed> seeds() const;
  std::vector<ColorGaussian> anchors() const;

 private:
  std::vector<Person> people_;
};

}  // namespace skinmask
