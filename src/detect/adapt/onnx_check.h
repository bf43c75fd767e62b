// Checks whether a network may be given to OpenCV's importer. The importer trusts the file: an
// unknown name, or a tensor that is shorter than its dimensions, ends the process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] skinmask {

// True for an ONNX file (onnx.proto, IR version 3 and later) with one graph of YuNet's operators
// only, whose inputs are all defined earlier, whose tensors are complete, whose numbers fit these,
// and which computes `outputs`.
bool IsSoundOnnx(std::string_view bytes, const std::vector<std::string>& outputs);

}  // namespace skinmask
