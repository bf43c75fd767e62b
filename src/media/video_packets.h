// Reads the packets of an open input up to its end or to damage; checks whether the end is where it
// should be, and finds where decoding can start for a moment in the middle of a video.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "media/ffmpeg.h"
#include "skinmask/media/video.h"

namespace skinmask {

// Made anew after seeking.
class VideoPackets {
 public:
  // `strict`: damage ends the input. `ahead`: each packet is held until the next one is read,
  // because damage that a demuxer skips before the next packet is mostly in the held one.
  VideoPackets(bool strict, bool ahead) : strict_(strict), ahead_(ahead) {}

  // The next packet of the stream `index`, valid until the next call; null at the end, and after
  // `stop`.
  AVPacket* Next(AVFormatContext* format, int index, const std::atomic<bool>* stop);
  // The reason for the end: FFmpeg's result, or AVERROR_INVALIDDATA for damage. Absent before the
  // end.
  std::optional<int> end() const { return end_; }
  std::int64_t count() const { return count_; }    // number of packets
  std::int64_t behind() const { return behind_; }  // offset in the file after the last packet

 private:
  bool Read(AVFormatContext* format, int index);

  const bool strict_, ahead_;
  PacketPtr packet_{Ffmpeg::Get().av_packet_alloc()}, waiting_{Ffmpeg::Get().av_packet_alloc()};
  std::optional<int> end_;
  std::int64_t count_ = 0, behind_ = 0;
};

// The problem of the end of a file whose stream `index` was read to its end by `packets`; empty if
// there is none. Problems: the container refers to data after the end of the file; an AVI's index
// has more pictures than were read; a GIF's blocks do not reach the trailer; a Y4M has data after
// its last whole frame. For a pipe, `piped` are its first bytes.
std::string WrongEnd(const AVFormatContext& format, int index, const std::string& path,
                     const std::string& piped, const VideoPackets& packets);

// The end of a Matroska file by its first bytes: the end of its segment (RFC 8794: an ID, a length
// of one to eight bytes whose number of leading zeros gives its size, the data). 0 if unknown.
std::int64_t MatroskaEnd(std::string_view head);

// The time of a frame, `seconds` after the first one, in the form that is compared with a
// VideoTime.
inline std::int64_t MicrosecondsOf(double seconds) { return std::llround(seconds * 1e6); }

// A key frame: its timestamp, its number in the video, and the timestamp to seek to.
struct KeyFrame {
  std::int64_t pts = 0, index = 0, seek_to = 0;
};

struct SearchedVideo {
  std::string address;  // FFmpeg's address of a file that can be read a second time
  int stream = 0;
  Rational time_base;
  std::int64_t first_pts = 0;  // of the first frame
  const std::atomic<bool>* stop = nullptr;
};

// The last key frame that is not after `moment` (or the last one of all, if `moment` is after the
// end). Reads the packets from the start, without decoding, which takes as long as reading the file
// up to there. Absent if it is the first frame, because nothing is gained, and for containers other
// than MP4 and Matroska, in which a frame can have several packets or no timestamp, so packets do
// not give the number of a frame. Absent, too, where they do not in these two: H.264 with open
// groups of pictures, joined parts that overlap in time, equal times.
std::optional<KeyFrame> KeyFrameBefore(const SearchedVideo& video, const VideoTime& moment);

// The number of pictures that a finished file shows, by its packets; 0 if it cannot be read.
std::int64_t CountPictures(const std::string& path);

}  // namespace skinmask
