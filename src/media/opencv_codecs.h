// Image codecs of OpenCV, libtiff and libwebp, in a module that is loaded when first needed.
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <string_view>

#include "media/image_format.h"

namespace skinmask {

// What libtiff or libwebp make of a file's head.
struct ImageHeader {
  PictureSize size;
  PictureSize tile;              // of TIFFs in tiles, each of which is decoded whole
  std::int64_t pixel_bytes = 3;  // as decoded
  std::string exif;              // WebP's chunk of that name
  std::string problem;           // why the file cannot be taken; empty: nothing was found
};

// The header of a TIFF, all of whose strips or tiles lie within the file, or a WebP that is whole
// and no animation. Throws Error when the module cannot be loaded.
ImageHeader ReadHeaderInModule(ImageFormat format, std::string_view bytes);

// A file of that format, whose first bytes are such that OpenCV picks no decoder but the one for
// it: cv::imdecode, but for WebP, which OpenCV would know by more than its first bytes. OpenCV's
// imgcodecs pulls in some 120 shared libraries, which take longer to load than most runs take
// altogether; JPEG and PNG, which are most files, do without them
// (docs/decisions/0007-late-codecs.md). Throws Error when the module cannot be loaded,
// cv::Exception as imdecode does; empty for what is no image.
cv::Mat DecodeInModule(ImageFormat format, std::string_view bytes, int flags);

// The same way back, as EncodeWebP.
std::string EncodeWebPInModule(const cv::Mat& image, int quality);

}  // namespace skinmask

// What the module skinmask-imgcodecs has: the same, into the last argument.
extern "C" void skinmask_read_header(skinmask::ImageFormat format, std::string_view bytes,
                                     skinmask::ImageHeader& header);
extern "C" void skinmask_decode(skinmask::ImageFormat format, std::string_view bytes, int flags,
                                cv::Mat& image);
extern "C" void skinmask_encode_webp(const cv::Mat& image, int quality, std::string& bytes);
