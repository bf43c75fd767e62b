// Reads GIF (CompuServe, version 89a): pictures, and the packets of animations, which are videos.
// FFmpeg decodes both, but leaves pixels unchanged where the data are truncated or invalid.
// Therefore this code counts the pixels of the data.
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
  std::size_t pictures = 0;  // the number of complete pictures
  std::string_view first;    // the first of these, from its descriptor on
  std::string_view control;  // the graphic control extension before it, from its label on
  bool ended = false;        // the trailer was reached
  bool cut = false;          // the bytes end within a block
};
GifBlocks WalkGif(std::string_view bytes);

// True if walking the blocks of a file as WalkGif does reaches the trailer. Reads the file piece by
// piece.
bool ReachesGifEnd(const std::filesystem::path& path);

// True if a packet has all codes of its picture, or has no picture but the trailer.
bool IsWholeGifPacket(std::string_view packet);

// True for a regular file of at most 64 MiB that is a GIF of one picture. One that ends within a
// further block was an animation, or is damaged: the reading as a video tells.
bool IsStillGif(const std::filesystem::path& path);

// The codec's functions (media/image_codec.h), for the one picture of a file.
ImageHeader GifHeader(std::string_view bytes, std::string_view subject);
StoredImage DecodeGif(std::string_view bytes, std::string_view subject, const ImageHeader& header,
                      const DecodeOptions& options);

}  // namespace skinmask
