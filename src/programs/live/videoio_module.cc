// The module live-videoio.
#include "programs/live/v4l2_device.h"

void skinmask_open_v4l2(const std::string& device, std::shared_ptr<cv::VideoCapture>& opened) {
  opened = std::make_shared<cv::VideoCapture>();
  if (!opened->open(device, cv::CAP_V4L2, {cv::CAP_PROP_CONVERT_RGB, 0})) opened.reset();
}
