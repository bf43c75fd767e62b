// Neighbouring pixels help each other, but not across edges.
#pragma once

#include <memory>
#include <opencv2/core.hpp>

#include "skinmask/detect/adapt_options.h"

namespace skinmask {

// What neighbours add to a pixel's log-odds:  slope grey + offset,  grey being its green, 0 to 1.
// CV_32FC1 of the small image's size: smooth where the image is not, so they can be enlarged (He,
// Sun: Fast guided filter, 2015).
struct Message {
  cv::Mat slope, offset;
};

// Mean field on a small image (CV_8UC3), the messages guided by its edges. `face_size` is that of
// the middle one of the faces in it; 0: there are none.
class MeanField {
 public:
  MeanField(const cv::Mat& small_bgr, double face_size, const RefinementOptions& options);
  ~MeanField();
  MeanField(const MeanField&) = delete;
  MeanField& operator=(const MeanField&) = delete;

  // Begins anew, without a message.
  void Reset();
  // So many more rounds, with these log-odds of the pixels alone (CV_32FC1 of its size). About 0.2
  // ms each.
  void Run(const cv::Mat& log_odds, int rounds);
  // Of the last round.
  Message message() const;
  // The same for each pixel of the small image.
  void AddMessage(cv::Mat& log_odds) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace skinmask
