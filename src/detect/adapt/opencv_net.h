// Runs networks by OpenCV's dnn, in a module that is loaded when it is first needed.
#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace skinmask {

// One network, for one thread at a time. Its functions are virtual, so that calling them links no
// library.
class Net {
 public:
  virtual ~Net() = default;
  // The named outputs for an image, CV_8UC3, whose bytes are the input without any scaling (N = 1,
  // planes of B, G and R). Throws cv::Exception if the network has no such output, or does not take
  // an image.
  virtual std::vector<cv::Mat> Forward(const cv::Mat& bgr,
                                       const std::vector<std::string>& outputs) = 0;
};

// The network in an ONNX file's bytes. dnn takes long to load, so its module is loaded by this call
// alone (docs/decisions/0007-late-codecs.md). Throws Error if the module cannot be loaded, and
// cv::Exception for bytes that are no network.
std::unique_ptr<Net> ReadOnnx(std::string_view bytes);

}  // namespace skinmask

// The function of the module skinmask-dnn: the same, into `net`.
extern "C" void skinmask_read_onnx(std::string_view bytes, std::unique_ptr<skinmask::Net>& net);
