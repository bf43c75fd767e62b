// OpenCV's videoio reads cameras, in a module that is loaded when the first one is opened
// (docs/decisions/0007-late-codecs.md).
#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <string>

namespace skinmask::live {

// A device of Video4Linux, for one thread at a time: what a cv::VideoCapture does, with its numbers
// of properties. Its calls are virtual and need no library.
class V4l2Device {
 public:
  virtual ~V4l2Device() = default;
  virtual bool IsOpened() const = 0;
  virtual double Get(int property) const = 0;
  virtual void Set(int property, double value) = 0;
  virtual bool Grab() = 0;
  virtual bool Retrieve(cv::Mat& pixels) = 0;
};

// The device, which gives the driver's bytes as they are; null where OpenCV does not open it.
// Throws Error when the module cannot be loaded.
std::unique_ptr<V4l2Device> OpenV4l2Device(const std::string& device);

}  // namespace skinmask::live

// What the module live-videoio has: the same, into `opened`.
extern "C" void skinmask_open_v4l2(const std::string& device,
                                   std::unique_ptr<skinmask::live::V4l2Device>& opened);
