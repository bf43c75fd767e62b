// Pictures for the window and the recording.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skinmask/detect/region.h"

namespace skinmask::live {

enum class View { kOverlay, kMask, kProbability, kBoth };
constexpr int kViewCount = 4;
std::string_view ViewName(View view);      // "overlay", "mask", "probability", "both"
View ViewFromName(std::string_view name);  // throws Error
bool NeedsBgr(View view);                  // it shows the frame itself

struct Maps {
  cv::Mat mask, probability;  // CV_8UC1, as the picture is to be seen
};

// What is known of one frame.
struct Observation {
  cv::Mat bgr;  // CV_8UC3; empty where nobody needed it
  Maps maps;
  double skin_fraction = 0;
  std::optional<Region> region;
};

// CV_8UC3, or CV_8UC1 for the mask. kBoth is overlay and probability beside each other, each at
// half the size. With `with_region` the region's ellipse and axis are drawn in.
cv::Mat Draw(View view, const Observation& observation, bool with_region);

// Where a point of the drawn picture lies in the frame.
cv::Point InFrame(View view, const cv::Size& frame, const cv::Point& point);

// Lines of text in the upper left corner, light on a darkened ground.
void DrawText(cv::Mat& bgr, const std::vector<std::string>& lines);

}  // namespace skinmask::live
