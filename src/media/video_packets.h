// The packets of an open input, up to the end or to damage.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "media/ffmpeg.h"

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
  std::int64_t count() const { return count_; }  // of those that came
  void Drop();                                   // before reading elsewhere

 private:
  bool Read(AVFormatContext* format, int index);

  const bool strict_, ahead_;
  PacketPtr packet_, waiting_;
  std::optional<int> end_;
  std::int64_t count_ = 0;
};

}  // namespace skinmask
