// YuvEncoding says how the frames of a video store colours.
#pragma once

namespace [[gnu::visibility("default")]] skinmask {

// How bytes (Y, U, V) mean colours (ITU-R BT.601 and BT.709): the matrix, and whether black to
// white is Y = 16..235 and chroma 16..240 (limited), or both are 0..255 (full, as in JPEG).
struct YuvEncoding {
  enum class Matrix { kBt601, kBt709 };
  enum class Range { kLimited, kFull };
  Matrix matrix = Matrix::kBt601;
  Range range = Range::kLimited;
};

}  // namespace skinmask
