// OpenCV's dnn runs networks, in a module that is loaded when it is first needed.
#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace skinmask {

// One network, for one thread at a time. Its calls are virtual and need no library.
class Net {
 public:
  virtual ~Net() = default;
  // The outputs of these names for an image, CV_8UC3, whose bytes go in as they are (N = 1, planes
  // of B, G and R). Throws cv::Exception where the network has no such output, or takes no image.
  virtual std::vector<cv::Mat> Forward(const cv::Mat& bgr,
                                       const std::vector<std::string>& outputs) = 0;
};

// The network of an ONNX file's bytes. dnn takes long to load, so it is loaded only for this
// (docs/decisions/0007-late-codecs.md). Throws Error when the module cannot be loaded,
// cv::Exception for bytes that are no network.
std::unique_ptr<Net> ReadOnnx(std::string_view bytes);

}  // namespace skinmask

// What the module skinmask-dnn has: the same, into `net`.
extern "C" void skinmask_read_onnx(std::string_view bytes, std::unique_ptr<skinmask::Net>& net);
