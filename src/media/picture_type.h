// Checks pictures from callers, and scales pictures down.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <opencv2/core.hpp>
#include <string_view>

#include "skinmask/base/scratch.h"
#include "skinmask/media/video.h"

namespace skinmask {

// Throws Error, with the subject `name`, for a matrix that is empty, has none of these types, or is
// not two-dimensional. Nothing is converted, because only the caller knows the meaning of a fourth
// channel or of grey levels.
void RequireType(const cv::Mat& picture, std::initializer_list<int> types, std::string_view name);
void RequireType(const cv::Mat& picture, int type, std::string_view name);
// The same for a picture that must have the size of another.
void RequirePicture(const cv::Mat& picture, int type, const cv::Size& size, std::string_view name);
// Throws Error for a quality that is not 1 to 100.
void RequireQuality(int quality);
// Throws Error unless this is a probability from 0 to 1.
void RequireThreshold(double threshold);

// The planes of a layout for a frame of this size; empty where it has none, and for kOther.
struct PlaneShape {
  std::int64_t row_bytes = 0, rows = 0;
};
std::array<PlaneShape, 3> PlaneShapes(VideoFrame::Layout layout, const cv::Size& size);
// Throws Error for a frame that is empty, lacks a plane of its layout, or has a wrong rotation.
void RequirePlanes(const VideoFrame& frame);

// Allocates a picture, in the buffer if there is one.
cv::Mat Allocate(int rows, int cols, int type, Scratch* buffer);

// Throws Error for a scale that is not 1, 2, 4 or 8.
void RequireScale(int scale);
// A length divided by 1, 2, 4 or 8, rounded up, as libjpeg does.
inline int Scaled(int length, int scale) { return (length + scale - 1) / scale; }
// A size multiplied by `scale`, at least one pixel.
inline cv::Size SizeTimes(const cv::Size& size, double scale) {
  return {std::max(1, cvRound(size.width * scale)), std::max(1, cvRound(size.height * scale))};
}
// The picture at 1/scale of its width and height, averaged over areas. The picture itself if scale
// is 1.
cv::Mat ScaledDown(const cv::Mat& picture, int scale);

}  // namespace skinmask
