// What files say of their pictures beside the pixels: how they are turned, profiles of colours and
// resolutions.
#pragma once

#include <string>
#include <string_view>

#include "media/image_codec.h"
#include "skinmask/media/image.h"

namespace [[gnu::visibility("default")]] skinmask {

// Of a JPEG, PNG, WebP or TIFF, by what stands before its pixels; of all else, and of what is
// damaged, nothing.
PictureTags ReadTags(std::string_view bytes);

// What EXIF says of it: as it is stored where there is none. Takes a JPEG, or EXIF data, led by
// "Exif\0\0" or not.
Orientation ExifOrientation(std::string_view bytes);

// Whether colours of that profile are taken as they are: InSrgb returns the picture itself.
bool IsTakenAsSrgb(const std::string& icc);

}  // namespace skinmask
