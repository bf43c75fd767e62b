// GIF (CompuServe, version 89a): pictures, and animations, which are videos.
#pragma once

#include <cstddef>
#include <filesystem>
#include <opencv2/core.hpp>
#include <string_view>

#include "media/image_format.h"

namespace skinmask {

// How many pictures a file holds, by its blocks; those that it does not hold whole do not count.
std::size_t CountGifPictures(std::string_view bytes);

// Whether a packet of FFmpeg's demuxer, which begins with the file's header or with a block, holds
// all the codes of its picture, or no picture at all but the mark of the end.
bool IsWholeGifPacket(std::string_view packet);

// Whether a file's blocks follow each other up to the mark of its end.
bool ReachesGifTrailer(const std::filesystem::path& path);

// True for a regular file of at most 64 MiB that is a GIF of one picture.
bool IsStillGif(const std::filesystem::path& path);

// Of the canvas; absent where the file ends before.
std::optional<PictureSize> GifSize(std::string_view bytes);

// The one picture, CV_8UC3, by FFmpeg; transparent pixels have the colour that the decoder gives
// them. Throws Error where there is none, or more than one.
cv::Mat DecodeGif(std::string_view bytes, std::string_view subject);

}  // namespace skinmask
