// OpenCV's functions for files of images, as a module has them that is opened when the first of
// them is called. Behind them stand more than a hundred libraries, which would cost each test that
// is started 65 ms; most tests call none.
#pragma once

#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

namespace skinmask::testing {

struct Imgcodecs {
  cv::Mat (*imread)(const cv::String& file, int flags);
  cv::Mat (*imdecode)(cv::InputArray bytes, int flags);
  bool (*imwrite)(const cv::String& file, cv::InputArray image, const std::vector<int>& options);
  bool (*imencode)(const cv::String& extension, cv::InputArray image, std::vector<uchar>& bytes,
                   const std::vector<int>& options);
};

}  // namespace skinmask::testing

extern "C" const skinmask::testing::Imgcodecs* skinmask_imgcodecs();
