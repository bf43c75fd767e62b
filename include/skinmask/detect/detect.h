// Skin in a picture, by one call.
#pragma once

#include <opencv2/core.hpp>

namespace [[gnu::visibility("default")]] skinmask {

// The mask that `skinmask detect` makes of a picture: CV_8UC1 of its size, 255 where skin is, else
// 0, by the built-in model, adapted to the faces in the picture, or, where there is none, divided
// where its own colours divide (docs/adaptation.md). `bgr` is CV_8UC3, B G R, upright, as
// cv::imread and ReadImage give it; anything else is an Error. Safe from many threads; the same for
// any number. A photograph of a megapixel takes some 110 ms on one core, nearly all of it for
// finding faces; the first call makes the model ready, a few milliseconds more. What else there is
// to choose: Adapter (adapt.h), and DetectMask (detect_image.h), which takes a third of a
// millisecond without adaptation.
cv::Mat Detect(const cv::Mat& bgr);

}  // namespace skinmask
