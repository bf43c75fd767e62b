// This check says whether a network may be given to OpenCV's importer, which trusts what a file
// says: a name that nothing has, or a tensor that is shorter than its dimensions, ends the process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] skinmask {

// Of an ONNX file (onnx.proto, IR version 3 and later): one graph of the operators that YuNet is
// made of, which names nothing but what is there before, with tensors that are all there, and
// numbers that fit them; it makes `outputs`.
bool IsSoundOnnx(std::string_view bytes, const std::vector<std::string>& outputs);

}  // namespace skinmask
