// Pictures in memory: what callers hand over is checked before it is used, and smaller pictures are
// made.
#pragma once

#include <algorithm>
#include <opencv2/core.hpp>
#include <string_view>

#include "skinmask/base/scratch.h"
#include "skinmask/media/video.h"

namespace skinmask {

// Throws Error, led by `name`, for a matrix that is empty, has another type, or is no picture of
// rows and columns. Nothing is converted: what a fourth channel or grey levels mean, the caller
// knows.
void RequireType(const cv::Mat& picture, int type, std::string_view name);
// The same for a picture that must have the size of another.
void RequirePicture(const cv::Mat& picture, int type, const cv::Size& size, std::string_view name);
// Throws Error for a quality that is not 1 to 100.
void RequireQuality(int quality);
// What EncodeJpeg and EncodeWebP take: CV_8UC1 or 8UC3 (or, `transparent`, 8UC4), and a quality of
// 1 to 100.
void RequireEncodable(const cv::Mat& image, int quality, bool transparent = false);

// Throws Error for a frame that is empty, or lacks a plane of its layout.
void RequirePlanes(const VideoFrame& frame);

// A picture, in the buffer if there is one.
cv::Mat Allocate(int rows, int cols, int type, Scratch* buffer);

// Throws Error for what is not 1, 2, 4 or 8.
void RequireScale(int scale);
// A length divided by 1, 2, 4 or 8, rounded up, as libjpeg does.
inline int Scaled(int length, int scale) { return (length + scale - 1) / scale; }
// A size `scale` times as large, and at least one pixel.
inline cv::Size SizeTimes(const cv::Size& size, double scale) {
  return {std::max(1, cvRound(size.width * scale)), std::max(1, cvRound(size.height * scale))};
}
// The picture at 1/scale of its width and height: averages over areas. Itself where scale is 1.
cv::Mat ScaledDown(const cv::Mat& picture, int scale);

}  // namespace skinmask
