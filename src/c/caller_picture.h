// Callers' pixels, before they are taken for what they are not.
#pragma once

#include <skinmask.h>

#include <opencv2/core.hpp>

#include "skinmask/media/video.h"

namespace skinmask::c {

// The picture with its planes as they are. Throws BadArgument for what no picture can be.
VideoFrame FrameOf(const skinmask_picture& picture);

// Its BGR: the caller's own bytes where they are that already.
cv::Mat BgrOf(const skinmask_picture& picture, const VideoFrame& frame);

// Whether colours go out as R G B.
bool IsRgb(const skinmask_picture& picture);

// The caller's room for the result, CV_8UC(channels). Throws BadArgument where its rows are too
// short, or a byte of it may be the picture's.
cv::Mat RoomFor(const skinmask_picture& picture, int channels, std::uint8_t* out,
                std::size_t stride);

}  // namespace skinmask::c
