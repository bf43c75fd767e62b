// Refinement: smooths log-odds by neighbouring pixels, but not across edges.
#pragma once

#include <array>
#include <opencv2/core.hpp>

#include "skinmask/detect/adapt_options.h"

namespace skinmask {

// Means of the four channels over the square of `radius` pixels around each pixel. The time (0.04
// ms for the small image's 39,000 pixels) does not depend on the radius. The order of addition does
// not depend on the CPU, so every CPU gives the same bits.
void BoxMeans(const cv::Mat4f& in, int radius, cv::Mat4f& out);

// He, Sun, Tang: Guided image filtering, TPAMI 2013, section 3.5. In every window the output is
// linear in the guide's colour, fitted by ridge regression. The factors, averaged over the windows
// that contain a pixel, are those of B, G, R (0 to 1) and of 1.
class GuidedFilter {
 public:
  GuidedFilter(const cv::Mat& guide, int radius, double epsilon);  // CV_8UC3

  // B, G, R and 1 of each pixel.
  const cv::Mat4f& guide() const { return guide_; }
  // Computes the factors from the products of the input and each channel of guide().
  void Fit(const cv::Mat4f& products, cv::Mat4f& factors);

 private:
  int radius_;
  cv::Mat4f guide_;
  // The means and inverse covariances of the windows: nine vectors of four floats for every four
  // pixels of a row.
  cv::Mat4f windows_;
  cv::Mat4f of_window_;  // the factors of each window
};

// The contribution of neighbours to a pixel's log-odds:  slope . colour + offset,  per grey level
// of B, G and R. CV_32FC1 of the small image's size. Both are smooth even where the image is not,
// so they can be enlarged (He, Sun: Fast guided filter, 2015).
struct Message {
  std::array<cv::Mat, 3> slope;
  cv::Mat offset;
};

// Mean field on a small image (CV_8UC3), with messages that the image's edges guide. `face_size` is
// that of the median face in it; 0: there is none.
class MeanField {
 public:
  MeanField(const cv::Mat& small_bgr, double face_size, const RefinementOptions& options);

  // Starts again without a message.
  void Reset() { factors_.release(); }
  // Runs `rounds` more rounds, with the log-odds of the pixels alone (CV_32FC1 of its size). About
  // 0.2 ms each.
  void Run(const cv::Mat& log_odds, int rounds);
  // The message of the last round.
  Message message() const;
  // Adds that message to the log-odds of each pixel of the small image.
  void AddMessage(cv::Mat& log_odds) const;

 private:
  void AddMessageTo(float* z, int y) const;
  void LabelRow(float* z, int y);

  float weight_;
  GuidedFilter filter_;
  cv::Mat4f products_;  // each pixel's label, -1 to 1, times the guide
  cv::Mat4f factors_;   // the message divided by weight_; empty without one
};

}  // namespace skinmask
