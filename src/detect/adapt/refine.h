// Neighbouring pixels help each other, but not across edges.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "skinmask/detect/adapt_options.h"

namespace skinmask {

// Means over the pixels of a plane that are within `radius` of each column and row. A plane of the
// small image has some 39,000 pixels: plain loops over its rows, which the compiler makes vectors
// of. No sum's order depends on them, so that every CPU gives the same bits.
class BoxMean {
 public:
  BoxMean(const cv::Mat1f& plane, int radius);

  // Of row 0, then of row 1, and so on.
  void NextRow(float* out);

 private:
  void AddRow(int y, float sign);  // 1, or -1 to take it away again
  void SumWindows(float* out);

  const cv::Mat1f& plane_;
  int radius_, next_ = 0;
  std::vector<float> columns_;         // sums over the rows of the window, between zeros
  std::vector<float> fours_;           // sums of four of these
  std::vector<float> inverse_counts_;  // of the columns that are in each window
};

// He, Sun, Tang: Guided image filtering, ECCV 2010: in every window the output is slope * guide +
// offset, by least squares; both averaged over the windows that hold a pixel.
class GuidedFilter {
 public:
  GuidedFilter(const cv::Mat1f& guide, int radius, double epsilon);

  // The slope and offset of each pixel into the last two; `input` and guide times input.
  void Fit(const cv::Mat1f& input, const cv::Mat1f& guide_input, cv::Mat1f& slope,
           cv::Mat1f& offset);

 private:
  void FitRow(const float* input, const float* guide_input, int y);

  int radius_;
  cv::Mat1f mean_, inverse_variance_;  // of the guide, in each window
  cv::Mat1f slope_, offset_;           // of each window
};

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

  // Begins anew, without a message.
  void Reset() { has_message_ = false; }
  // So many more rounds, with these log-odds of the pixels alone (CV_32FC1 of its size). About 0.2
  // ms each.
  void Run(const cv::Mat& log_odds, int rounds);
  // Of the last round.
  Message message() const { return {weight_ * slope_, weight_ * offset_}; }
  // The same for each pixel of the small image.
  void AddMessage(cv::Mat& log_odds) const;

 private:
  void AddMessageTo(float* z, int y) const;
  void LabelRow(const float* z, int y);

  float weight_;
  cv::Mat1f grey_;
  GuidedFilter filter_;
  cv::Mat1f label_, grey_label_;  // of each pixel, -1 to 1, and times grey
  cv::Mat1f slope_, offset_;      // of the message, over the weight
  bool has_message_ = false;
};

}  // namespace skinmask
