// The LZW data of a picture in a GIF (CompuServe, version 89a, appendix F).
#pragma once

#include <cstdint>
#include <string_view>

namespace skinmask {

// Whether the data, from the byte of the first code's size on, hold so many pixels. FFmpeg's
// decoder leaves as they were what data that end early, or make no sense, do not say.
bool HoldsGifPixels(std::string_view data, std::int64_t pixels);

}  // namespace skinmask
