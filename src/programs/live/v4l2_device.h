// Cameras by OpenCV's videoio, in a module that is loaded when the first camera is opened
// (docs/decisions/0007-late-codecs.md).
#pragma once

#include <memory>
#include <opencv2/videoio.hpp>
#include <string>

namespace skinmask::live {

// Opens a Video4Linux device, which returns the driver's bytes unchanged; null if OpenCV cannot
// open it. The functions of cv::VideoCapture are virtual, so callers need not link the library.
// Throws Error if the module cannot be loaded.
std::shared_ptr<cv::VideoCapture> OpenV4l2Device(const std::string& device);

}  // namespace skinmask::live

// The function of the module live-videoio: the same, with the result in `opened`.
extern "C" void skinmask_open_v4l2(const std::string& device,
                                   std::shared_ptr<cv::VideoCapture>& opened);
