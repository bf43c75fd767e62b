// How libheif decodes H.265 here: by libde265, like its own decoder, but into memory that was
// zeroed, no picture that is larger than announced, and none of which a part is missing.
#pragma once

#include <cstdint>

// Tells libheif, once; later calls do nothing.
void RegisterHevcDecoder();

// The most pixels that a picture of this thread may have, as coded; 0 for no limit.
void LimitHevcPictures(std::int64_t pixels);
