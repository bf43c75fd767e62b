// Neighbouring pixels help each other, but not across edges.
#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <vector>

#include "skinmask/detect/adapt_options.h"

namespace skinmask {

// What neighbours add to a pixel's log-odds:  slope grey + offset,  grey being its green, 0 to 1.
// CV_32FC1 of the small image's size: smooth where the image is not, so they can be enlarged (He,
// Sun: Fast guided filter, 2015).
struct Message {
  cv::Mat slope, offset;
};

// Means over the pixels of a plane that are within `radius` of each column and row. A plane of the
// small image has some 39,000 pixels: plain loops over its rows, which the compiler makes vectors
// of. No sum's order depends on them, so that every CPU gives the same bits.
class BoxMean {
 public:
  BoxMean(const cv::Mat1f& plane, int radius);

  // Of row 0, then of row 1, and so on.
  void NextRow(float* out);

 private:
  void AddRow(int y);
  void TakeRow(int y);
  void SumWindows(float* out);

  const cv::Mat1f& plane_;
  int radius_, next_ = 0;
  std::vector<float> columns_;         // sums over the rows of the window, between zeros
  std::vector<float> fours_;           // sums of four of these
  std::vector<float> inverse_counts_;  // of the columns that are in each window
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
