#include "media/video_packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <utility>
#include <vector>

#include "media/file_bytes.h"
#include "media/gif.h"
#include "media/video_input.h"

namespace skinmask {
namespace {

// Like MatroskaEnd for an AVI: the end of its first chunk (RIFF: an ID, a little-endian length of
// four bytes, the data). Streams that were written to a pipe have a length of 0 or the greatest
// one.
std::int64_t AviEnd(std::string_view head) {
  if (head.size() < 8) return 0;
  const auto size = static_cast<std::int64_t>(LittleEndian(head.substr(4, 4)));
  return size >= 0xffffff00 ? 0 : size;  // some writers include the ID and the length
}

// How far the last page of an Ogg file reaches past the end of the file (RFC 3533: 26 bytes, the
// number of segments, the length of each, the data).
std::int64_t BehindOggPage(const std::string& path, std::int64_t file_size) {
  constexpr std::int64_t kHeader = 27, kMaxPage = kHeader + 255 + 255 * 255;
  std::string tail(static_cast<std::size_t>(std::min(file_size, kMaxPage)), '\0');
  std::ifstream file(path, std::ios::binary);
  file.seekg(file_size - static_cast<std::int64_t>(tail.size()));
  if (!file.read(tail.data(), static_cast<std::streamsize>(tail.size()))) return 0;
  const std::size_t at = tail.rfind("OggS");
  if (at == tail.npos) return 0;
  const std::string_view page = std::string_view(tail).substr(at);
  if (page.size() < kHeader) return 1;
  const auto segments = static_cast<std::uint8_t>(page[kHeader - 1]);
  std::int64_t size = kHeader + segments;
  for (const char length : page.substr(kHeader, segments))
    size += static_cast<std::uint8_t>(length);
  return size - static_cast<std::int64_t>(page.size());
}

// The number of bytes of a pipe, which is read to its end.
std::int64_t SizeOfPipe(AVIOContext& pipe) {
  unsigned char rest[4096];
  while (Ffmpeg::Get().avio_read(&pipe, rest, sizeof rest) > 0) {
  }
  return pipe.pos;
}

// Opens the file with only the searched stream; null if its packets do not give the numbers of
// frames.
InputPtr OpenForSearch(const SearchedVideo& video) {
  InputPtr format;
  if (OpenFile(format, video.address) < 0) return nullptr;
  const std::string_view name = format->iformat->name;
  if (!name.starts_with("mov") && !name.starts_with("matroska")) return nullptr;
  if (static_cast<unsigned>(video.stream) >= format->nb_streams) return nullptr;
  DiscardOthers(format.get(), video.stream);
  return format;
}

// True if a packet of H.264 has an IDR picture, after which no earlier picture is needed. (In MP4
// and Matroska each NAL unit comes after its length; ISO/IEC 14496-15, 5.3.)
bool HasIdr(const AVPacket& packet, const AVCodecParameters& codec) {
  if (codec.extradata_size < 5 || codec.extradata[0] != 1) return false;
  const int bytes = (codec.extradata[4] & 3) + 1;
  for (std::int64_t at = 0; at + bytes < packet.size;) {
    std::int64_t length = 0;
    for (int i = 0; i < bytes; ++i) length = length << 8 | packet.data[at++];
    constexpr int kType = 31, kIdr = 5;
    if ((packet.data[at] & kType) == kIdr) return true;
    at += length;
  }
  return false;
}

// True for a packet of VP8 whose picture is only a reference of later ones (RFC 6386, 9.1: bit 4 of
// the first byte is show_frame). VP9 and AV1 keep such pictures in the packet of a shown one.
bool IsHidden(const AVPacket& packet, const AVCodecParameters& codec) {
  constexpr int kShowFrame = 1 << 4;
  return codec.codec_id == AV_CODEC_ID_VP8 && packet.size > 0 && !(packet.data[0] & kShowFrame);
}

// Finds nothing, and decoding then starts with the first frame, wherever the packets may not tell
// which pictures the decoder returns: parts that were joined may overlap in time, frames may have
// equal times, and of joined H.264 with open groups of pictures some are not shown.
class KeyFrameSearch {
 public:
  KeyFrameSearch(const SearchedVideo& video, const AVCodecParameters& codec,
                 const VideoTime& moment)
      : video_(video), codec_(codec), moment_(moment) {}

  // Processes the next packet; returns false when no more packets are needed or useful.
  bool Take(const AVPacket& packet) {
    if (packet.stream_index != video_.stream || (packet.flags & AV_PKT_FLAG_DISCARD)) return true;
    if (IsHidden(packet, codec_)) return true;
    const bool is_key = packet.flags & AV_PKT_FLAG_KEY;
    if (is_key && !keys_.empty() && IsBeyond(keys_.back())) return false;
    const bool is_open = is_key && codec_.codec_id == AV_CODEC_ID_H264 && !HasIdr(packet, codec_);
    if (packet.pts == AV_NOPTS_VALUE || is_open || (is_key && packet.pts <= latest_)) {
      times_.clear();
      return false;
    }
    if (is_key) {
      const std::int64_t decoded = packet.dts == AV_NOPTS_VALUE ? packet.pts : packet.dts;
      keys_.push_back(
          {packet.pts, static_cast<std::int64_t>(times_.size()), std::min(packet.pts, decoded)});
    }
    latest_ = std::max(latest_, packet.pts);
    times_.push_back(packet.pts);
    return true;
  }

  std::optional<KeyFrame> Result() {
    std::ranges::sort(times_);
    const auto time_of = [this](std::int64_t pts) { return TimeOf(pts); };
    if (times_.empty() || times_.front() != video_.first_pts ||
        std::ranges::adjacent_find(times_, {}, time_of) != times_.end())
      return std::nullopt;
    std::optional<KeyFrame> last;
    for (KeyFrame& key : keys_) {
      key.index = std::ranges::lower_bound(times_, key.pts) - times_.begin();
      if (key.index > 0 && !IsBeyond(key)) last = key;
    }
    return last;
  }

 private:
  std::int64_t TimeOf(std::int64_t pts) const {
    return MicrosecondsOf(static_cast<double>(pts - video_.first_pts) * video_.time_base.Value());
  }
  // True if the key frame is certainly after the moment. `index` is that among the packets until
  // the end of the search. All packets before a key frame are shown before it, and all pictures
  // that are shown before it come before the next key frame in the file.
  bool IsBeyond(const KeyFrame& key) const {
    return (moment_.unit == VideoTime::Unit::kFrames ? key.index : TimeOf(key.pts)) > moment_.value;
  }

  const SearchedVideo& video_;
  const AVCodecParameters& codec_;
  const VideoTime& moment_;
  std::vector<std::int64_t> times_;
  std::vector<KeyFrame> keys_;
  std::int64_t latest_ = AV_NOPTS_VALUE;  // the greatest of times_; below every time at first
};

}  // namespace

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

// Reads a packet. Returns false if there is none to decode.
bool VideoPackets::Read(AVFormatContext* format, int index) {
  const Ffmpeg& av = Ffmpeg::Get();
  const DamageLog log;
  const int result = av.av_read_frame(format, packet_.get());
  if (log.damage && strict_) {
    av.av_packet_unref(waiting_.get());
    end_ = AVERROR_INVALIDDATA;
  }
  if (result < 0) end_ = result == AVERROR_EOF ? end_.value_or(result) : result;
  const bool ours = result >= 0 && packet_->stream_index == index;
  // In a transport stream FFmpeg flags the packet before a gap; that packet itself is whole.
  bool corrupt = ours && strict_ && (packet_->flags & AV_PKT_FLAG_CORRUPT);
  // FFmpeg fills a DV frame that the end of the file cuts off with the frame before.
  if (ours && strict_ && format->iformat->name == std::string_view("dv"))
    corrupt |= packet_->pos + packet_->size > std::max(av.avio_size(format->pb), behind_);
  const bool whole = std::string_view(format->iformat->name) == "mpegts";
  const bool taken = ours && !end_ && (!corrupt || whole);
  if (corrupt) end_ = AVERROR_INVALIDDATA;
  if (taken) {
    ++count_;
    behind_ = packet_->pos + packet_->size;
    return true;
  }
  av.av_packet_unref(packet_.get());
  return false;
}

std::int64_t MatroskaEnd(std::string_view head) {
  constexpr std::string_view kSegment = "\x18\x53\x80\x67";
  std::size_t at = head.find(kSegment);
  if (at == head.npos || (at += kSegment.size()) == head.size()) return 0;
  const auto first = static_cast<std::uint8_t>(head[at]);
  const int length = std::countl_zero(first) + 1;
  const std::string_view coded = head.substr(at, static_cast<std::size_t>(length));
  if (length > 8 || std::ssize(coded) < length) return 0;
  const std::uint64_t mark = std::uint64_t{1} << 7 * length;  // the bit after the leading zeros
  const auto size = static_cast<std::int64_t>(BigEndian(coded) - mark);
  const bool unknown = size == static_cast<std::int64_t>(mark) - 1;
  return unknown ? 0 : static_cast<std::int64_t>(at) + length + size;
}

std::string WrongEnd(const AVFormatContext& format, int index, const std::string& path,
                     const std::string& piped, const VideoPackets& packets) {
  constexpr const char* kCut = "the file ends there";
  const auto cut = [&](bool is_cut) { return std::string(is_cut ? kCut : ""); };
  const Ffmpeg& av = Ffmpeg::Get();
  const std::string_view name = format.iformat->name;
  const bool is_matroska = name.starts_with("matroska"), is_y4m = name == "yuv4mpegpipe";
  const bool is_pipe = format.pb && !(format.pb->seekable & AVIO_SEEKABLE_NORMAL);
  if (!format.pb || (is_pipe && !is_matroska && !is_y4m && name != "avi")) return {};
  const std::int64_t size = is_pipe ? SizeOfPipe(*format.pb) : av.avio_size(format.pb);
  if (size <= 0) return {};
  const auto head = [&] {
    if (is_pipe) return piped;
    try {
      return PeekDescriptor(path, nullptr);
    } catch (const Error&) {  // the file was renamed or removed while it was read
      return std::string();
    }
  };
  if (is_matroska) return cut(MatroskaEnd(head()) > size);
  if (is_y4m) return cut(packets.behind() < size);
  constexpr std::int64_t kIvfHeader = 12;  // before each frame; FFmpeg's positions are before it
  if (name == "ivf") return cut(packets.behind() + kIvfHeader < size);
  if (name == "ogg") return cut(BehindOggPage(path, size) > 0);
  if (name == "avi" && AviEnd(head()) > size) return kCut;
  if (is_pipe) return {};
  if (name == "gif") return cut(!ReachesGifEnd(path));
  if (static_cast<unsigned>(index) >= format.nb_streams) return {};
  AVStream* const video = format.streams[index];
  const int entries = av.avformat_index_get_entries_count(video);
  if (entries == 0) return {};
  if (name == "avi" && packets.count() < entries)
    return fmt::format(
        "{} of its {} pictures are missing, and from the first of them on the numbers "
        "and times of the frames are too low",
        entries - packets.count(), entries);
  const AVIndexEntry* const last = av.avformat_index_get_entry(video, entries - 1);
  return cut(last->pos + last->size > size);
}

std::optional<KeyFrame> KeyFrameBefore(const SearchedVideo& video, const VideoTime& moment) {
  const Ffmpeg& av = Ffmpeg::Get();
  const InputPtr format = OpenForSearch(video);
  if (!format) return std::nullopt;
  KeyFrameSearch search(video, *format->streams[video.stream]->codecpar, moment);
  const PacketPtr packet(av.av_packet_alloc());
  while (av.av_read_frame(format.get(), packet.get()) >= 0) {
    const bool more = search.Take(*packet) && !(video.stop && video.stop->load());
    av.av_packet_unref(packet.get());
    if (!more) break;
  }
  return search.Result();
}

std::int64_t CountPictures(const std::string& path) {
  const Ffmpeg& av = Ffmpeg::Get();
  AVFormatContext* opened = nullptr;
  if (av.avformat_open_input(&opened, ("file:" + path).c_str(), nullptr, nullptr) < 0) return 0;
  const InputPtr format(opened);
  std::int64_t count = 0;
  for (PacketPtr packet(av.av_packet_alloc()); av.av_read_frame(opened, packet.get()) >= 0;
       av.av_packet_unref(packet.get()))
    count += packet->size > 0 &&
             opened->streams[packet->stream_index]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO &&
             !(packet->flags & AV_PKT_FLAG_DISCARD);
  return count;
}

}  // namespace skinmask
