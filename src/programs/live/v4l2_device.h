// Cameras by OpenCV's videoio, in a module that is loaded when the first camera is opened
// (docs/decisions/0007-late-codecs.md).
#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <string>

namespace skinmask::live {

// A Video4Linux device, for one thread at a time: the functions of cv::VideoCapture, with its
// property numbers. The functions are virtual, so callers need not link the library.
class V4l2Device {
 public:
  virtual ~V4l2Device() = default;
  virtual bool IsOpened() const = 0;
  virtual double Get(int property) const = 0;
  virtual void Set(int property, double value) = 0;
  virtual bool Grab() = 0;
  virtual bool Retrieve(cv::Mat& pixels) = 0;
};

// Opens a device, which returns the driver's bytes unchanged; null if OpenCV cannot open it. Throws
// Error if the module cannot be loaded.
std::unique_ptr<V4l2Device> OpenV4l2Device(const std::string& device);

}  // namespace skinmask::live

// The function of the module live-videoio: the same, with the result in `opened`.
extern "C" void skinmask_open_v4l2(const std::string& device,
                                   std::unique_ptr<skinmask::live::V4l2Device>& opened);
