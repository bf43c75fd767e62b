#include "media/video_seek.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "media/video_input.h"

namespace skinmask {
namespace {

// The file, its other streams left aside; null where it has no packets that tell of frames.
InputPtr Open(const SearchedVideo& video) {
  int result = 0;
  InputPtr format = OpenFile(video.address, result);
  if (!format) return nullptr;
  const std::string_view name = format->iformat->name;
  if (!name.starts_with("mov") && !name.starts_with("matroska")) return nullptr;
  if (static_cast<unsigned>(video.stream) >= format->nb_streams) return nullptr;
  DiscardOthers(format.get(), video.stream);
  return format;
}

class KeyFrameSearch {
 public:
  KeyFrameSearch(const SearchedVideo& video, const VideoTime& moment)
      : video_(video), moment_(moment) {}

  // Takes the next packet; false when no more are needed, or of use.
  bool Take(const AVPacket& packet) {
    if (packet.stream_index != video_.stream || (packet.flags & AV_PKT_FLAG_DISCARD)) return true;
    if (packet.pts == AV_NOPTS_VALUE) {
      times_.clear();
      return false;
    }
    if (packet.flags & AV_PKT_FLAG_KEY) {
      if (!keys_.empty() && IsBeyond(keys_.back())) return false;
      const std::int64_t decoded = packet.dts == AV_NOPTS_VALUE ? packet.pts : packet.dts;
      keys_.push_back(
          {packet.pts, static_cast<std::int64_t>(times_.size()), std::min(packet.pts, decoded)});
    }
    times_.push_back(packet.pts);
    return true;
  }

  std::optional<KeyFrame> Result() {
    std::ranges::sort(times_);
    if (times_.empty() || times_.front() != video_.first_pts) return std::nullopt;
    const std::int64_t wanted = times_[Wanted()];
    std::optional<KeyFrame> last;
    for (const KeyFrame& key : keys_)
      if (key.pts <= wanted && (!last || key.pts > last->pts)) last = key;
    if (!last) return std::nullopt;
    last->index = std::ranges::lower_bound(times_, last->pts) - times_.begin();
    if (last->index == 0) return std::nullopt;
    return last;
  }

 private:
  std::int64_t TimeOf(std::int64_t pts) const {
    return MicrosecondsOf(static_cast<double>(pts - video_.first_pts) * video_.time_base.Value());
  }
  // Between a key frame and the next one come all pictures that are shown before the first: when
  // the next one comes, what is before the first is complete. Until then its index is that among
  // the packets.
  bool IsBeyond(const KeyFrame& key) const {
    return (moment_.unit == VideoTime::Unit::kFrames ? key.index : TimeOf(key.pts)) > moment_.value;
  }
  // The place in the sorted times.
  std::size_t Wanted() const {
    const auto last = static_cast<std::int64_t>(times_.size()) - 1;
    if (moment_.unit == VideoTime::Unit::kFrames)
      return static_cast<std::size_t>(std::min(moment_.value, last));
    const auto found = std::ranges::lower_bound(times_, moment_.value, {},
                                                [this](std::int64_t pts) { return TimeOf(pts); });
    return static_cast<std::size_t>(std::min<std::int64_t>(found - times_.begin(), last));
  }

  const SearchedVideo& video_;
  const VideoTime& moment_;
  std::vector<std::int64_t> times_;
  std::vector<KeyFrame> keys_;
};

}  // namespace

std::optional<KeyFrame> KeyFrameBefore(const SearchedVideo& video, const VideoTime& moment) {
  const Ffmpeg& av = Ffmpeg::Get();
  const InputPtr format = Open(video);
  if (!format) return std::nullopt;
  KeyFrameSearch search(video, moment);
  const PacketPtr packet(av.av_packet_alloc());
  while (av.av_read_frame(format.get(), packet.get()) >= 0) {
    const bool more = search.Take(*packet) && !(video.stop && video.stop->load());
    av.av_packet_unref(packet.get());
    if (!more) break;
  }
  return search.Result();
}

}  // namespace skinmask
