// Pictures that callers hand over, before their bytes are taken for what they are not.
#pragma once

#include <opencv2/core.hpp>
#include <string_view>

namespace skinmask {

// Throws Error, led by `name`, for a matrix that is empty, has another type, or is no picture of
// rows and columns. Nothing is converted: what a fourth channel or grey levels mean, the caller
// knows.
void RequireType(const cv::Mat& picture, int type, std::string_view name);
// The same for a picture that must have the size of another.
void RequirePicture(const cv::Mat& picture, int type, const cv::Size& size, std::string_view name);
// What EncodeJpeg and EncodeWebP take: CV_8UC1 or 8UC3, and a quality of 1 to 100.
void RequireEncodable(const cv::Mat& image, int quality);

}  // namespace skinmask
