// Reads the packets of an open input, up to its end or to damage; tells whether the end is where it
// should be, and where decoding can begin for a moment in the middle of a video.
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

class VideoPackets {
 public:
  // `strict`: damage is an end. `ahead`: a packet waits until the next one has come, since damage
  // that a demuxer passes over before that mostly begins in it.
  VideoPackets(bool strict, bool ahead);

  // The next one of the stream `index`, valid until the next call; null at the end, and after
  // `stop`.
  AVPacket* Next(AVFormatContext* format, int index, const std::atomic<bool>* stop);
  // Why there are no more: what FFmpeg returned, or AVERROR_INVALIDDATA for damage. Absent where
  // there may be more.
  std::optional<int> end() const { return end_; }
  std::int64_t count() const { return count_; }    // of those that came
  std::int64_t behind() const { return behind_; }  // the place in the file behind the last of them
  void Drop();                                     // before reading elsewhere

 private:
  bool Read(AVFormatContext* format, int index);

  const bool strict_, ahead_;
  PacketPtr packet_, waiting_;
  std::optional<int> end_;
  std::int64_t count_ = 0, behind_ = 0;
};

// What is wrong with the end of an open file, which was read to its end by `packets`, of its stream
// `index`; empty where nothing is: its container names data that lie behind the end of the file; an
// AVI's index has more pictures than came; a GIF's blocks do not lead to the mark of its end; a Y4M
// goes on behind its last whole frame. Of a pipe, `piped` are the first bytes that came.
std::string WrongEnd(const AVFormatContext& format, int index, const std::string& path,
                     const std::string& piped, const VideoPackets& packets);

// Where a Matroska file with this beginning says that it ends: behind its segment (RFC 8794: an ID,
// a length of one to eight bytes whose leading zeros tell how many, the data). 0 where it does not
// say.
std::int64_t MatroskaEnd(std::string_view head);

// The time of a frame, `seconds` after the first, as it is compared with a VideoTime.
inline std::int64_t MicrosecondsOf(double seconds) { return std::llround(seconds * 1e6); }

// A key frame: its timestamp, its number in the video, and the timestamp to seek to.
struct KeyFrame {
  std::int64_t pts = 0, index = 0, seek_to = 0;
};

// A video file that is to be searched.
struct SearchedVideo {
  std::string address;  // as FFmpeg takes it; a file that can be read a second time
  int stream = 0;
  Rational time_base;
  std::int64_t first_pts = 0;  // of the first frame
  const std::atomic<bool>* stop = nullptr;
};

// The last key frame that is not after `moment` (or, where that is after the end, the last of all).
// It goes through the packets from the start, which takes as long as reading the file up to there,
// and decodes nothing. Absent where nothing is gained (it is the first frame), and where packets do
// not tell the number of a frame: in containers other than MP4 and Matroska, a frame may have
// several, or none that says when it is shown.
std::optional<KeyFrame> KeyFrameBefore(const SearchedVideo& video, const VideoTime& moment);

}  // namespace skinmask
