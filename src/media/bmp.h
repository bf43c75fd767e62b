// Reads what stands before the pixels of a BMP, and refuses what OpenCV would decode to another
// picture without a word: channels in another order, and runs that do not fit the rows.
#pragma once

#include <string_view>

#include "media/image_codec.h"

namespace skinmask {

// The codec's function (media/image_codec.h).
ImageHeader BmpHeader(std::string_view bytes, std::string_view subject);

}  // namespace skinmask
