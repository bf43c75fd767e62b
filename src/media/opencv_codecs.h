// OpenCV's image decoders, in a module that is loaded when first needed.
#pragma once

#include <opencv2/core.hpp>
#include <string_view>

namespace skinmask {

// cv::imdecode of bytes. OpenCV's imgcodecs pulls in some 120 shared libraries, which take longer
// to load than most runs take altogether; JPEG and PNG, which are most files, do without them
// (docs/decisions/0007-late-codecs.md). Throws Error when the module cannot be loaded,
// cv::Exception as imdecode does; empty for what is no image.
cv::Mat DecodeByOpenCv(std::string_view bytes, int flags);

}  // namespace skinmask

// What the module skinmask-imgcodecs has: the same, into `image`.
extern "C" void skinmask_imdecode(std::string_view bytes, int flags, cv::Mat& image);
