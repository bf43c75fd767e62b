// Pictures for the window and the recording.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skinmask/detect/judgement.h"
#include "skinmask/detect/region.h"

namespace skinmask::live {

enum class View { kOverlay, kMask, kProbability, kBoth, kSplit, kCutout, kUncertainty };
constexpr int kViewCount = 7;
// Those of the output that it shows, "both" and "split".
std::string_view ViewName(View view);
std::vector<std::string> ViewNames();
View ViewFromName(std::string_view name);  // throws Error

// What is known of one frame.
struct Observation {
  Judgement judgement;
  cv::Mat behind{};  // CV_8UC3, what stands behind its skin; empty where nobody needed it
  double skin_fraction = 0;
  std::optional<Region> region{};  // of the probabilities
};

struct DrawOptions {
  std::optional<Region> ellipse{};  // is drawn in, with its axis; kBoth has no place for it
  double divider = 0.5;             // kSplit: the share of the width that shows the frame as it is
};

// The same smaller, without its region: to be drawn for a screen. `observation` must outlive it.
Observation Shrunk(Observation& observation, const cv::Size& size);

// CV_8UC3, or CV_8UC1 for the mask. kBoth is overlay and probability beside each other, each at
// half the size; kSplit the frame to the left of the divider and the overlay to its right; kCutout
// the skin alone, on what is behind it; kUncertainty the frame in dark greys, yellow where the
// answer is near the threshold, blue where no class explains the colour.
cv::Mat Draw(View view, Observation& observation, const DrawOptions& options = {});

// Where the drawn picture shows the frame, maybe more than once and smaller.
std::vector<cv::Rect> FramePlaces(View view, const cv::Size& frame);
cv::Size DrawnSize(View view, const cv::Size& frame);
// Where a point of the drawn picture lies in the frame.
cv::Point InFrame(View view, const cv::Size& frame, const cv::Point& point);

}  // namespace skinmask::live
