// OpenCV's cascades of Haar features, in a module that is loaded when first needed.
#pragma once

#include <opencv2/objdetect.hpp>
#include <string>

namespace skinmask {

using Cascade = cv::Ptr<cv::BaseCascadeClassifier>;

// The cascade of a file; null for a file that OpenCV does not read. OpenCV's objdetect brings dnn
// and more with it, so it is loaded only for adaptation (docs/decisions/0007-late-codecs.md). The
// calls of a cascade are virtual and need no library. Throws Error when the module cannot be
// loaded.
Cascade ReadCascade(const std::string& file);

}  // namespace skinmask

// What the module skinmask-objdetect has: the same, into `cascade`.
extern "C" void skinmask_read_cascade(const std::string& file, skinmask::Cascade& cascade);
