// What FFmpeg's libraries tell of a file, in the process of the test: the program ffprobe, which
// asks the same functions, needs a tenth of a second to start.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "media/ffmpeg.h"
#include "support/files.h"

namespace skinmask::testing {

struct ProbedPacket {
  double time;  // when it is shown or heard, in seconds; NaN if nothing says so
  std::string bytes;
  std::int64_t position;  // in the file
};

struct Probed {
  double seconds = 0;  // the file says that it lasts so long
  // Of the moving picture:
  std::string codec, pix_fmt, rate, average_rate, pixel_aspect;  // a rate is "30000/1001"
  int width = 0, height = 0;
  std::int64_t frames = 0;                    // the container says that there are so many
  std::vector<ProbedPacket> pictures, sound;  // in the order of the file
  // When the pictures are shown, in the order of these times.
  std::vector<double> Times() const {
    std::vector<double> times;
    for (const ProbedPacket& picture : pictures) times.push_back(picture.time);
    std::ranges::sort(times);
    return times;
  }
};

inline Probed Probe(const fs::path& file) {
  const Ffmpeg& ffmpeg = Ffmpeg::Get();
  Probed probed;
  AVFormatContext* opened = nullptr;
  if (ffmpeg.avformat_open_input(&opened, file.c_str(), nullptr, nullptr) < 0) {
    ADD_FAILURE() << file << " cannot be read";
    return probed;
  }
  const InputPtr input(opened);
  EXPECT_GE(ffmpeg.avformat_find_stream_info(opened, nullptr), 0) << file;
  const auto best = [&](AVMediaType type) {
    return ffmpeg.av_find_best_stream(opened, type, -1, -1, nullptr, 0);
  };
  const int picture = best(AVMEDIA_TYPE_VIDEO), sound = best(AVMEDIA_TYPE_AUDIO);
  const auto words = [](AVRational value) { return fmt::format("{}/{}", value.num, value.den); };
  probed.seconds = static_cast<double>(opened->duration) / AV_TIME_BASE;
  if (picture >= 0) {
    AVStream* const stream = opened->streams[picture];
    const auto* format =
        ffmpeg.av_pix_fmt_desc_get(static_cast<AVPixelFormat>(stream->codecpar->format));
    probed.codec = ffmpeg.avcodec_get_name(stream->codecpar->codec_id);
    probed.pix_fmt = format ? format->name : "";
    probed.rate = words(stream->r_frame_rate);
    probed.average_rate = words(stream->avg_frame_rate);
    probed.pixel_aspect = words(ffmpeg.av_guess_sample_aspect_ratio(opened, stream, nullptr));
    probed.width = stream->codecpar->width;
    probed.height = stream->codecpar->height;
    probed.frames = stream->nb_frames;
  }
  const PacketPtr packet(ffmpeg.av_packet_alloc());
  for (; ffmpeg.av_read_frame(opened, packet.get()) >= 0; ffmpeg.av_packet_unref(packet.get())) {
    const int index = packet->stream_index;
    // Pictures that are not to be shown are none; sound that is not to be heard is in the file.
    if ((index != picture || packet->flags & AV_PKT_FLAG_DISCARD) && index != sound) continue;
    const AVRational unit = opened->streams[index]->time_base;
    const double time = packet->pts == AV_NOPTS_VALUE
                            ? std::numeric_limits<double>::quiet_NaN()
                            : static_cast<double>(packet->pts) * unit.num / unit.den;
    (index == picture ? probed.pictures : probed.sound)
        .push_back(
            {time,
             {reinterpret_cast<const char*>(packet->data), static_cast<std::size_t>(packet->size)},
             packet->pos});
  }
  return probed;
}

}  // namespace skinmask::testing
