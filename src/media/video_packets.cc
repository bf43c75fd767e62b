#include "media/video_packets.h"

#include <string_view>
#include <utility>

#include "media/damage_log.h"

namespace skinmask {

VideoPackets::VideoPackets(bool strict, bool ahead)
    : strict_(strict),
      ahead_(ahead),
      packet_(Ffmpeg::Get().av_packet_alloc()),
      waiting_(Ffmpeg::Get().av_packet_alloc()) {}

AVPacket* VideoPackets::Next(AVFormatContext* format, int index, const std::atomic<bool>* stop) {
  const Ffmpeg& av = Ffmpeg::Get();
  av.av_packet_unref(packet_.get());
  while (!end_ && !(stop && stop->load())) {
    if (!Read(format, index)) continue;
    if (!ahead_) return packet_.get();
    std::swap(packet_, waiting_);
    if (packet_->buf) return packet_.get();
  }
  if (!end_) return nullptr;
  av.av_packet_unref(packet_.get());
  std::swap(packet_, waiting_);
  return packet_->buf ? packet_.get() : nullptr;
}

// False for what is not to be decoded, or is nothing.
bool VideoPackets::Read(AVFormatContext* format, int index) {
  const Ffmpeg& av = Ffmpeg::Get();
  const DamageLog log;
  const int result = av.av_read_frame(format, packet_.get());
  if (log.container && strict_) {
    av.av_packet_unref(waiting_.get());
    end_ = AVERROR_INVALIDDATA;
  }
  if (result < 0) end_ = result == AVERROR_EOF ? end_.value_or(result) : result;
  const bool ours = result >= 0 && packet_->stream_index == index;
  // In a transport stream FFmpeg marks the packet before the one that a gap follows: it is whole.
  const bool corrupt = ours && strict_ && (packet_->flags & AV_PKT_FLAG_CORRUPT);
  const bool whole = std::string_view(format->iformat->name) == "mpegts";
  const bool taken = ours && !end_ && (!corrupt || whole);
  if (corrupt) end_ = AVERROR_INVALIDDATA;
  if (taken) {
    ++count_;
    return true;
  }
  av.av_packet_unref(packet_.get());
  return false;
}

void VideoPackets::Drop() {
  Ffmpeg::Get().av_packet_unref(packet_.get());
  Ffmpeg::Get().av_packet_unref(waiting_.get());
  end_.reset();
}

}  // namespace skinmask
