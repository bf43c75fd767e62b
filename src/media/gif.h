// Reads GIF (CompuServe, version 89a): pictures, and the packets of animations, which are videos.
// FFmpeg decodes both, but leaves pixels as they were where the data end early or make no sense; so
// it is counted here that all pixels are there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "media/image_codec.h"

namespace skinmask {

bool IsGif(std::string_view bytes);

// The blocks of a file, or of a packet of FFmpeg's demuxer, which begins with the file's header or
// with a block.
struct GifBlocks {
  std::size_t pictures = 0;  // those that are there up to the end of their data
  std::string_view first;    // of these, from its descriptor on
  std::string_view control;  // the graphic control extension before it, from its label on
  bool ended = false;        // the mark of the end was reached
};
GifBlocks WalkGif(std::string_view bytes);

// Whether the mark of the end can be reached in a file, as WalkGif does it, with no more than a
// piece of it in memory.
bool ReachesGifEnd(const std::filesystem::path& path);

// Whether a packet holds all the codes of its picture, or no picture at all but the mark of the
// end.
bool IsWholeGifPacket(std::string_view packet);

// True for a regular file of at most 64 MiB that is a GIF of one picture.
bool IsStillGif(const std::filesystem::path& path);

// The codec's functions (media/image_codec.h), for the one picture of a file.
ImageHeader GifHeader(std::string_view bytes, std::string_view subject);
StoredImage DecodeGif(std::string_view bytes, std::string_view subject, const ImageHeader& header,
                      const DecodeOptions& options);

}  // namespace skinmask
