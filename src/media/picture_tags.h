// Metadata of image files: orientation, colour profile and resolution.
#pragma once

#include <string>
#include <string_view>

#include "media/image_codec.h"
#include "skinmask/media/image.h"

namespace [[gnu::visibility("default")]] skinmask {

// Reads the tags of a JPEG, PNG, WebP or TIFF. Empty for other formats and damaged data.
PictureTags ReadTags(std::string_view bytes);

// The orientation by EXIF; the default without EXIF. Takes a JPEG, or EXIF data with or without
// "Exif\0\0".
Orientation ExifOrientation(std::string_view bytes);

// True if colours of that profile are not converted, that is, if InSrgb returns the picture itself.
bool IsTakenAsSrgb(const std::string& icc);

}  // namespace skinmask
