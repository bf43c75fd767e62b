// Lists the cameras of this machine and what they offer, and says why one of them cannot be opened.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace skinmask::live {

struct Device {
  int error = 0;        // of opening it
  bool camera = false;  // it delivers pictures
  std::string name;
};

// The devices there are, by their paths.
std::map<std::string, Device> Devices();

struct CameraFormat {
  std::string code;  // "MJPG"
  int width = 0, height = 0;
  double rate = 0;  // the highest, frames a second; 0 where the driver does not say
};

struct CameraInfo {
  std::string path, name;
  std::vector<CameraFormat> formats;
};

// The cameras that may be opened, and what they offer. May take a while: drivers are asked.
std::vector<CameraInfo> Cameras();

// "cameras here: /dev/video0 'Integrated Webcam', ...", or that there are none.
std::string CamerasHere();

// Throws Error when `device` is missing, forbidden, or no camera. What says only later that it is
// busy gets its line from BusyError.
void CheckCamera(const std::string& device);

// What to say of a camera that is there and does not start: who has it open, as far as one may see.
std::string WhyBusy(const std::string& device);

}  // namespace skinmask::live
