// YuvEncoding describes how the frames of a video store colours.
#pragma once

namespace [[gnu::visibility("default")]] skinmask {

// How the bytes (Y, U, V) encode colours (ITU-R BT.601 and BT.709): the matrix, and the range. In
// the limited range, black to white is Y = 16..235 and chroma is 16..240; in the full range (as in
// JPEG) both are 0..255.
struct YuvEncoding {
  enum class Matrix { kBt601, kBt709 };
  enum class Range { kLimited, kFull };
  Matrix matrix = Matrix::kBt601;
  Range range = Range::kLimited;
};

}  // namespace skinmask
