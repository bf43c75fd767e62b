// The module skinmask-dnn.
#include <opencv2/dnn.hpp>

#include "detect/adapt/opencv_net.h"

void skinmask_read_onnx(std::string_view bytes, skinmask::Net& net) {
  cv::dnn::Net network = cv::dnn::readNetFromONNX(bytes.data(), bytes.size());
  network.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);  // not another installed one
  network.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
  net = [network](const cv::Mat& bgr, const std::vector<std::string>& outputs) mutable {
    network.setInput(cv::dnn::blobFromImage(bgr));
    std::vector<cv::Mat> blobs;
    network.forward(blobs, outputs);
    // The network overwrites its memory in the next call.
    for (cv::Mat& blob : blobs) blob = blob.clone();
    return blobs;
  };
}
