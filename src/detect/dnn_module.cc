// The module skinmask-dnn.
#include <opencv2/dnn.hpp>

#include "detect/adapt/opencv_net.h"

namespace skinmask {
namespace {

class OpenCvNet : public Net {
 public:
  explicit OpenCvNet(std::string_view bytes)
      : net_(cv::dnn::readNetFromONNX(bytes.data(), bytes.size())) {
    net_.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);  // not another installed one
    net_.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
  }

  std::vector<cv::Mat> Forward(const cv::Mat& bgr,
                               const std::vector<std::string>& outputs) override {
    net_.setInput(cv::dnn::blobFromImage(bgr));
    std::vector<cv::Mat> blobs;
    net_.forward(blobs, outputs);
    // The network overwrites its memory in the next call.
    for (cv::Mat& blob : blobs) blob = blob.clone();
    return blobs;
  }

 private:
  cv::dnn::Net net_;
};

}  // namespace
}  // namespace skinmask

void skinmask_read_onnx(std::string_view bytes, std::unique_ptr<skinmask::Net>& net) {
  net = std::make_unique<skinmask::OpenCvNet>(bytes);
}
