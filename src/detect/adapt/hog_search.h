// The face search by histograms of oriented gradients: a fast implementation of dlib's detector
// (King: Max-Margin Object Detection, 2015) with its templates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "detect/adapt/hog_boxes.h"
#include "detect/adapt/hog_pyramid.h"

namespace skinmask {

// For one thread at a time. Its memory is used again for the next picture.
class HogSearch {
 public:
  // All windows with a score of at least min_score, the best first: many for each face. `grey` is
  // CV_8UC1. Faces that are smaller than least_size, or than min_relative_size times the largest
  // with a score of at least `certain`, are left out; 0: none is.
  std::vector<HogFace> Find(const cv::Mat& grey, double min_score, double min_relative_size = 0,
                            double certain = 0, double least_size = 0);

 private:
  struct Window {
    int pattern, row, column;
    auto operator<=>(const Window&) const = default;
  };
  struct Scored {
    Window window;
    double score;
  };
  struct Part;

  void AddLevels(std::size_t l, double min_score, std::vector<HogFace>& faces);
  std::vector<Scored> Scan(const HogLevel& level, double enough);
  void FindCandidates(const HogLevel& level);
  static double Score(const HogLevel& level, const Window& window);
  // Scores the doubtful windows and their neighbours by computed features. False if they are so
  // many that computing the whole level costs less.
  bool Verify(const cv::Mat1b& picture, const std::vector<Scored>& doubtful, double min_score,
              std::vector<Scored>& found);
  static std::vector<Part> Parts(const std::vector<Scored>& doubtful);

  HogPyramid pyramid_;
  HogLevel level_, between_, part_;
  std::vector<std::int16_t> halves_;
  std::vector<HogCandidate> candidates_;
};

}  // namespace skinmask
