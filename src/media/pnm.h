// Reads the headers of PNM (Netpbm's P1 to P6), and scales values that OpenCV would take as they
// are.
#pragma once

#include <string>
#include <string_view>

#include "media/image_codec.h"

namespace skinmask {

// True for "P1" to "P6" and white space.
bool IsPnm(std::string_view bytes);
// The codec's function (media/image_codec.h).
ImageHeader PnmHeader(std::string_view bytes, std::string_view subject);

// The file with its values scaled to the whole range of their type; empty if OpenCV decodes it
// correctly as it is. OpenCV ignores the greatest value in the header, except for text with values
// up to 255, so other pictures would be too dark. Two cases keep the stored values: labels of
// ground truth of one byte, and labels up to 255 in files of a greatest value of 512 or more, where
// scaling would map all of them below the middle. Throws Error for text that OpenCV cannot decode.
std::string ScaledPnm(std::string_view bytes, std::string_view subject,
                      const DecodeOptions& options);

}  // namespace skinmask
