// Runs networks by OpenCV's dnn, in a module that is loaded when it is first needed.
#pragma once

#include <functional>
#include <opencv2/core.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace skinmask {

// One network, for one thread at a time, as a function: the named outputs for an image, CV_8UC3,
// whose bytes are the input without any scaling (N = 1, planes of B, G and R). It throws
// cv::Exception if the network has no such output, or does not take an image.
using Net = std::function<std::vector<cv::Mat>(const cv::Mat& bgr,
                                               const std::vector<std::string>& outputs)>;

// The network in an ONNX file's bytes. dnn takes long to load, so its module is loaded by this call
// alone (docs/decisions/0007-late-codecs.md). Throws Error if the module cannot be loaded, and
// cv::Exception for bytes that are no network.
Net ReadOnnx(std::string_view bytes);

// Whether a network may be given to OpenCV's importer. The importer trusts the file: an unknown
// name, or a tensor that is shorter than its dimensions, ends the process. True for an ONNX file
// (onnx.proto, IR version 3 and later) with one graph of YuNet's operators only, whose inputs are
// all defined earlier, whose tensors are complete, whose numbers fit these, and which computes
// `outputs`.
[[gnu::visibility("default")]] bool IsSoundOnnx(std::string_view bytes,
                                                const std::vector<std::string>& outputs);

}  // namespace skinmask

// The function of the module skinmask-dnn: the same, into `net`.
extern "C" void skinmask_read_onnx(std::string_view bytes, skinmask::Net& net);
