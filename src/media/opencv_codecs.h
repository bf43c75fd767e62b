// OpenCV's image decoders, loaded when first needed.
#pragma once

#include <opencv2/core.hpp>
#include <string_view>

namespace skinmask {

// cv::imdecode of bytes. OpenCV's imgcodecs pulls in some 120 shared libraries, which take longer
// to load than most runs take altogether; JPEG and PNG, which are most files, do without them
// (docs/decisions/0007-late-codecs.md). Throws Error when the library cannot be loaded,
// cv::Exception as imdecode does; empty for what is no image.
cv::Mat DecodeByOpenCv(std::string_view bytes, int flags);

}  // namespace skinmask
