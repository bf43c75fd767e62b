#include "media/sound_track.h"

#include <sys/stat.h>

#include "media/demuxer_options.h"
#include "skinmask/base/error.h"
#include "skinmask/media/video.h"

namespace skinmask {

SoundTrack::SoundTrack(const std::string& path) : packet_(Ffmpeg::Get().av_packet_alloc()) {
  const Ffmpeg& av = Ffmpeg::Get();
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw Error("a pipe", "cannot be read a second time");
  DemuxerOptions options(false);
  int result = av.avformat_open_input(&format_, ("file:" + path).c_str(), nullptr, options.get());
  if (result >= 0) result = FindStreamInfo(format_, VideoOpenOptions().max_pixels);
  if (result >= 0)
    result = index_ = av.av_find_best_stream(format_, AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0);
  if (result < 0) {
    av.avformat_close_input(&format_);
    throw Error("its sound", "cannot be read: " + av.Message(result));
  }
  for (unsigned i = 0; i < format_->nb_streams; ++i)
    if (static_cast<int>(i) != index_) format_->streams[i]->discard = AVDISCARD_ALL;
  Next();
}

// What cannot be read is the end: that the file is damaged, its pictures tell.
void SoundTrack::Next() {
  const Ffmpeg& av = Ffmpeg::Get();
  do {
    av.av_packet_unref(packet_.get());
    at_end_ = at_end_ || av.av_read_frame(format_, packet_.get()) < 0;
  } while (!at_end_ && packet_->stream_index != index_);
  if (at_end_) return;
  if (packet_->dts == AV_NOPTS_VALUE) packet_->dts = packet_->pts;
  if (packet_->pts == AV_NOPTS_VALUE) packet_->pts = packet_->dts;
}

}  // namespace skinmask
