// Neighbouring pixels help each other, but not across edges.
#pragma once

#include <array>
#include <opencv2/core.hpp>

#include "skinmask/detect/adapt_options.h"

namespace skinmask {

// Means of the four channels over the pixels within `radius` of each column and row. Sums that go
// on from pixel to pixel wait for each other: so four of them go side by side, and the time (0.05
// ms for the small image's 39,000 pixels) does not depend on the radius. No sum's order depends on
// the CPU, so that every one gives the same bits.
void BoxMeans(const cv::Mat4f& in, int radius, cv::Mat4f& out);

// He, Sun, Tang: Guided image filtering, TPAMI 2013, section 3.5: in every window the output is
// linear in the guide's colour, by ridge regression; its factors, averaged over the windows that
// hold a pixel, are those of B, G, R (0 to 1) and of 1.
class GuidedFilter {
 public:
  GuidedFilter(const cv::Mat& guide, int radius, double epsilon);  // CV_8UC3

  // B, G, R, 1 of each pixel.
  const cv::Mat4f& guide() const { return guide_; }
  // From the input times each of these.
  void Fit(const cv::Mat4f& products, cv::Mat4f& factors);

 private:
  int radius_;
  cv::Mat4f guide_, mean_;            // mean_ in each window
  std::array<cv::Mat4f, 3> inverse_;  // columns of that of the covariance there
  cv::Mat4f of_window_;               // the factors of each window
};

// What neighbours add to a pixel's log-odds:  slope colour + offset,  for each grey level of B, G
// and R. CV_32FC1 of the small image's size: smooth where the image is not, so they can be enlarged
// (He, Sun: Fast guided filter, 2015).
struct Message {
  std::array<cv::Mat, 3> slope;
  cv::Mat offset;
};

// Mean field on a small image (CV_8UC3), the messages guided by its edges. `face_size` is that of
// the middle one of the faces in it; 0: there are none.
class MeanField {
 public:
  MeanField(const cv::Mat& small_bgr, double face_size, const RefinementOptions& options);

  // Begins anew, without a message.
  void Reset() { has_message_ = false; }
  // So many more rounds, with these log-odds of the pixels alone (CV_32FC1 of its size). About 0.2
  // ms each.
  void Run(const cv::Mat& log_odds, int rounds);
  // Of the last round.
  Message message() const;
  // The same for each pixel of the small image.
  void AddMessage(cv::Mat& log_odds) const;

 private:
  void AddMessageTo(float* z, int y) const;
  void LabelRow(float* z, int y);

  float weight_;
  GuidedFilter filter_;
  cv::Mat4f products_;  // of each pixel's label, -1 to 1, and the guide
  cv::Mat4f factors_;   // of the message, over the weight
  bool has_message_ = false;
};

}  // namespace skinmask
