// The module live-videoio.
#include <opencv2/videoio.hpp>

#include "programs/live/v4l2_device.h"

namespace skinmask::live {
namespace {

class OpenCvDevice : public V4l2Device {
 public:
  explicit OpenCvDevice(const std::string& device) {
    capture_.open(device, cv::CAP_V4L2, {cv::CAP_PROP_CONVERT_RGB, 0});
  }
  bool IsOpened() const override { return capture_.isOpened(); }
  double Get(int property) const override { return capture_.get(property); }
  void Set(int property, double value) override { capture_.set(property, value); }
  bool Grab() override { return capture_.grab(); }
  bool Retrieve(cv::Mat& pixels) override { return capture_.retrieve(pixels); }

 private:
  cv::VideoCapture capture_;
};

}  // namespace
}  // namespace skinmask::live

void skinmask_open_v4l2(const std::string& device,
                        std::unique_ptr<skinmask::live::V4l2Device>& opened) {
  opened = std::make_unique<skinmask::live::OpenCvDevice>(device);
  if (!opened->IsOpened()) opened.reset();
}
