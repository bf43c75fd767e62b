#include "detect/adapt/opencv_net.h"

#include "media/late_module.h"

namespace skinmask {

std::unique_ptr<Net> ReadOnnx(std::string_view bytes) {
  static auto* const read = reinterpret_cast<decltype(&skinmask_read_onnx)>(
      FindInModule("skinmask-dnn.so", "skinmask_read_onnx"));
  std::unique_ptr<Net> net;
  read(bytes, net);
  return net;
}

}  // namespace skinmask
