// The cameras of this machine, and why one of them cannot be opened.
#pragma once

#include <string>

namespace skinmask::live {

// "cameras here: /dev/video0 'Integrated Webcam', ...", or that there are none.
std::string CamerasHere();

// Throws Error when `device` is missing, forbidden, or no camera. What says only later that it is
// busy gets its line from BusyError.
void CheckCamera(const std::string& device);

// What to say of a camera that is there and does not start: who has it open, as far as one may see.
std::string WhyBusy(const std::string& device);

}  // namespace skinmask::live
