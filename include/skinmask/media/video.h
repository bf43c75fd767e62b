// Reads video files and streams as decoded frames, in the pixel layout of the decoder, and writes
// videos. FFmpeg's libraries do the work. They are loaded when the first video is opened. That
// silences FFmpeg's log and sets a log callback. A program may set its own callback later, but then
// damage that FFmpeg reports only in its log is not noticed.
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "skinmask/base/file.h"
#include "skinmask/data/yuv_encoding.h"
#include "skinmask/media/image.h"
#include "skinmask/media/isolation.h"

namespace [[gnu::visibility("default")]] skinmask {

struct Rational {
  int num = 0, den = 1;
  double Value() const { return static_cast<double>(num) / den; }
};

// One decoded frame, or the planes of a JPEG. The frame owns the planes (shared, never written to),
// which are as the decoder stores them: before rotation.
struct VideoFrame {
  enum class Layout {
    kBgr,    // planes[0], 3 bytes a pixel
    kI420,   // planes Y, U, V
    kI422,   // the same, chroma at full vertical resolution
    kI444,   // chroma at full resolution
    kNv12,   // planes Y, UV
    kYuyv,   // planes[0], 4 bytes for two pixels, also for the last one of an odd width
    kOther,  // layouts without kernels; use Bgr()
  };
  Layout layout = Layout::kBgr;
  YuvEncoding encoding;  // of the YUV layouts; BT.601 and limited range if the video is untagged
  cv::Size size;         // of the stored picture
  std::array<const std::uint8_t*, 3> planes{};
  std::array<std::ptrdiff_t, 3> strides{};  // bytes from row to row; of chroma 0 repeats one row
  int rotation = 0;       // degrees clockwise by which the picture must be turned: 0, 90, 180, 270
  bool mirrored = false;  // the picture must be flipped from left to right before that
  std::int64_t pts = 0;   // in VideoInfo::time_base
  // How long it is shown, by the container (GIF, MP4, ...), likewise; 0 if that does not say. Not
  // later than the end of the range of a VideoClip.
  std::int64_t duration = 0;
  double seconds = 0;      // the time since the first frame of the video
  std::int64_t index = 0;  // its number in the video, from 0
  std::shared_ptr<const void> owner;

  // The stored picture as CV_8UC3, converted by swscale with the frame's own encoding exactly as
  // the program ffmpeg converts (-pix_fmt bgr24 with its default flags). Rows may have padding. For
  // kOther `owner` is the AVFrame. Thread-safe.
  cv::Mat StoredBgr() const;
  cv::Mat Bgr() const { return Upright(StoredBgr()); }
  // Mirrors and turns any picture of the stored size for display.
  cv::Mat Upright(const cv::Mat& stored) const;
};

struct VideoInfo {
  cv::Size size;  // as stored; transposed for display if rotation is 90 or 270
  Rational rate;  // frames per second by the container; 0/1 when unknown
  Rational time_base;
  std::optional<std::int64_t> frames;  // by the container, or estimated from its duration
  std::optional<double> seconds;       // likewise
  int rotation = 0;                    // see VideoFrame
  bool mirrored = false;               // likewise
  Rational pixel_aspect{1, 1};         // width of a stored pixel to its height
  bool sound = false;
  bool has_end = true;       // false for a stream that does not state its length
  bool in_segments = false;  // HLS or DASH: frames come many at once
  std::string codec;         // "h264"
};

// A raw video: frames without any header, one after the other.
struct RawVideo {
  cv::Size size;
  std::string pixel_format;  // FFmpeg's name: bgr24, yuv420p, nv12, ...
  Rational rate{25, 1};
};

struct VideoOpenOptions {
  // The time limit to open a stream and to receive a frame of it. Files have no limit.
  double timeout_seconds = 3;
  const std::atomic<bool>* stop = nullptr;  // when true, a waiting call returns early
  int threads = 0;                          // of the decoder; 0: one for each core
  bool addresses = true;                    // false: a name with :// is also the name of a file
  // For a pipe whose frames arrive in real time: the first frame is returned after one second of
  // frames instead of when the frame rate is certain. (No effect with isolation.)
  bool current = false;
  std::optional<RawVideo> raw{};  // the file is a raw video, not a container
  // The limit for a frame: a quarter of that of an image, because decoders keep many frames. An 8K
  // frame has half of this limit.
  std::int64_t max_pixels = kMaxPixels / 4;
  // A file is decoded in a separate process if this setting (or, if absent, that of IsolateBy) is
  // kAll. Its time limit is that of one frame.
  std::optional<Isolation> isolation{};
};

// A time since the first frame, or the number of a frame.
struct VideoTime {
  enum class Unit { kMicroseconds, kFrames };
  Unit unit = Unit::kMicroseconds;
  std::int64_t value = 0;  // frames count from 0
  // The number of the frame at this moment if the rate, in frames a second, is constant.
  std::int64_t FrameAt(const Rational& rate) const {
    return unit == Unit::kFrames ? value : std::llround(double(value) * 1e-6 * rate.Value());
  }
};

// "12.5" (seconds), "1:02:03.5" or "02:03" (hours, minutes, seconds), "120f" (a frame). Times are
// rounded to microseconds. Throws Error, which names it as `subject`, for anything else, and for
// what lies before the start.
VideoTime VideoTimeFromText(std::string_view text, std::string_view subject = "time");
std::string TextOf(const VideoTime& time);  // "12.5 s", "frame 120"

// The frames with from <= t < to. Times of frames are rounded to microseconds before the
// comparison, so that a printed time selects its frame again.
struct VideoRange {
  std::optional<VideoTime> from, to;
  bool whole() const { return !from && !to; }
  // True if no video can have a frame in the range.
  bool empty() const {
    if (to && to->value == 0) return true;
    return from && to && from->unit == to->unit && from->value >= to->value;
  }
};

class VideoSource;

// Frames in display order. Not safe from several threads.
class VideoReader {
 public:
  // Opens a file whose container holds its own data (docs/formats.md has the list; playlists are
  // refused), or a URL of any protocol of FFmpeg. Throws Error if it does not exist, has no video,
  // needs an unknown decoder, has frames that are too large, or delivers nothing within the
  // timeout.
  explicit VideoReader(const std::string& path_or_url, const VideoOpenOptions& options = {});
  ~VideoReader();
  VideoReader(VideoReader&&) noexcept;
  VideoReader& operator=(VideoReader&&) noexcept;

  const VideoInfo& info() const;
  // Returns the next frame; absent at the end, or after a stop. If a file is damaged or truncated,
  // throws Error ('stops at frame N') after all frames before the damage; throws Error, too, if a
  // stream stalls. Frames that were returned stay valid. Damage in streams is ignored.
  std::optional<VideoFrame> Read();
  // Skips frames before `moment` as far as that is possible without decoding. The next frame is
  // then at `moment` or before it (or absent, if all frames are before it). Times count from the
  // first frame, so the first frame must have been read. Does nothing for streams, pipes and
  // containers other than MP4 and Matroska.
  void SkipTowards(const VideoTime& moment);

 private:
  std::unique_ptr<VideoSource> source_;
};

// A VideoReader for a part of a file. Times and numbers of frames are those of the whole video. If
// the part begins in the middle of a file, MP4 and Matroska are decoded from the key frame before
// it if their packets tell the numbers of frames, and all else from the start; the frames are the
// same.
class VideoClip {
 public:
  // Throws Error as VideoReader does.
  VideoClip(const std::string& path_or_url, const VideoOpenOptions& options,
            const VideoRange& range);

  // Returns the next frame of the range; absent at the end of the range or of the video. Throws
  // Error as VideoReader::Read does, if the video ends before the range begins, and for a frame of
  // another size than the first.
  std::optional<VideoFrame> Read();
  // Returns the next frame before the range, from the first one of the file on; absent when the
  // next frame is the first of the range, when the video has ended, and after Read. For callers who
  // need what earlier frames teach; without these calls Read skips such frames. Throws Error as
  // Read.
  std::optional<VideoFrame> ReadBefore();
  // The info of the video. After the first frame, `frames` is the number in the range.
  const VideoInfo& info() const { return info_; }
  // Set after the last frame if the video ended before the range: "ends at 4 s, before 9 s".
  const std::string& shortfall() const { return shortfall_; }

 private:
  std::optional<VideoFrame> First();
  void Note(const VideoFrame& frame);
  void RequireSize(const VideoFrame& frame);
  void SetExpected(const VideoFrame& first);
  void NoteEnd();
  bool Stopped() const { return stop_ && stop_->load(); }

  const std::string name_;
  const std::atomic<bool>* const stop_;
  const VideoRange range_;
  VideoReader reader_;
  VideoInfo info_;
  std::string shortfall_;
  cv::Size size_;                    // of the first frame that was returned
  std::optional<VideoFrame> first_;  // of the range, if ReadBefore has met it
  bool started_ = false, ended_ = false;
  std::int64_t last_index_ = -1;  // of the last frame that was read, inside or outside of the range
  double last_seconds_ = 0, last_duration_ = 0;
};

// The sound of a video file, to be copied to another one.
struct VideoSound {
  std::filesystem::path file;
  // The timestamp in the file that becomes 0 in the other one; sound before it is dropped. Absent:
  // timestamps are kept.
  std::optional<std::int64_t> start{};
  Rational time_base;  // of `start`
};

struct VideoWriteOptions {
  // FFmpeg's name of an encoder, or of a codec; empty: ffv1 for Matroska, VP9 for WebM,
  // libx264 where the container takes H.264, else the container's own.
  std::string codec{};
  // FFmpeg's name of the container; empty: by the path's extension. "yuv4mpegpipe" and "rawvideo"
  // have codecs of their own, and store frames at a constant rate without timestamps.
  std::string container{};
  // 1 to 100 (best). Absent: 90, which is mapped to each encoder's scale (crf 18 of libx264).
  // Throws Error for other values, and for encoders without a quality.
  std::optional<int> quality{};
  Rational rate{30, 1};
  Rational time_base{0, 1};  // of the timestamps given to Write; 0: 1 / rate
  Rational pixel_aspect{1, 1};
  bool live = false;  // faster H.264: less than half the time, files about 2.5 times as large
  // Copied without re-encoding, up to the end of the last frame.
  std::optional<VideoSound> sound{};
  IfExists if_exists = IfExists::kReplace;
};

// Writes a video to a temporary file, which Finish renames; without Finish the file is removed.
class VideoWriter {
 public:
  // Frames of `size` are CV_8UC1 (masks; ffv1 stores them losslessly as grey), CV_16UC1 (likewise,
  // ffv1 only), CV_8UC3 (BGR) or CV_8UC4 (BGR and alpha, for codecs with alpha). Codecs with 4:2:0
  // chroma need even sizes: the last row or column of odd sizes is doubled. Throws Error if there
  // is no such codec, if it does not accept such pixels, if the container does not accept the codec
  // or the sound, or if the file cannot be created. An existing file is replaced, or refused, by
  // Finish and not before.
  VideoWriter(const std::filesystem::path& path, cv::Size size, int type,
              const VideoWriteOptions& options);
  ~VideoWriter();  // does not throw; removes an unfinished file
  VideoWriter(VideoWriter&&) noexcept;
  VideoWriter& operator=(VideoWriter&&) noexcept;

  // Throws Error if timestamps do not increase. The time base of the file may be coarser. If the
  // first one is below 0, the video begins at 0 (and copied sound needs `start` to stay beside it).
  // `duration` is how long the frame is shown if it is the last one (others are shown until the
  // next), in the same unit; 0 is that of one frame at the rate.
  void Write(const cv::Mat& frame, std::int64_t pts, std::int64_t duration = 0);
  std::int64_t frames() const;
  std::uintmax_t bytes() const;  // of the file until now, before Finish; 0 for a pipe
  // After Finish: why the sound ends before the pictures; empty if it does not.
  std::string sound_problem() const;
  // True if frames were not evenly spaced in time, and the container does not store times.
  bool loses_times() const;
  // Flushes and closes the file, counts its frames and renames it. Throws Error if there is no
  // frame, the number of frames differs, the disk is full, or Finish was called before. Write
  // throws Error after Finish.
  void Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Throw Error for an encoder (or codec) of videos, or a pixel format, that FFmpeg does not have
// here, with the most similar name, or if FFmpeg's libraries are missing.
void RequireVideoEncoder(const std::string& name);
void RequirePixelFormat(const std::string& name);

// True for a file that FFmpeg opens as a video. False, too, if FFmpeg's libraries are missing.
bool OpensAsVideo(const std::filesystem::path& path,
                  const std::optional<Isolation>& isolation = {});

}  // namespace skinmask
