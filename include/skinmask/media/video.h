// Reads video files and streams as decoded frames, in the layout that the decoder has them in, and
// writes videos. FFmpeg's libraries do the work. They are loaded when the first video is opened,
// which makes their log quiet and sets its callback. A program may set its own later, but then
// damage that FFmpeg tells of nowhere else is passed over.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "skinmask/base/file.h"
#include "skinmask/data/yuv_encoding.h"
#include "skinmask/media/image.h"
#include "skinmask/media/isolation.h"

namespace [[gnu::visibility("default")]] skinmask {

struct Rational {
  int num = 0, den = 1;
  double Value() const { return static_cast<double>(num) / den; }
};

// One decoded frame, or a JPEG's. The planes belong to the frame (shared, never written to) and are
// as the decoder stores them: before rotation.
struct VideoFrame {
  enum class Layout {
    kBgr,    // planes[0], 3 bytes a pixel
    kI420,   // planes Y, U, V
    kI422,   // the same with chroma of every row
    kI444,   // with chroma of every pixel
    kNv12,   // planes Y, UV
    kYuyv,   // planes[0]
    kOther,  // what there are no kernels for: Bgr() shows it
  };
  Layout layout = Layout::kBgr;
  YuvEncoding encoding;  // of the YUV layouts; BT.601 and limited range where the video is untagged
  cv::Size size;         // of the stored picture
  std::array<const std::uint8_t*, 3> planes{};
  std::array<std::ptrdiff_t, 3> strides{};  // bytes from row to row
  int rotation = 0;        // degrees clockwise that the picture must be turned by: 0, 90, 180, 270
  bool mirrored = false;   // it is flipped from left to right first
  std::int64_t pts = 0;    // in VideoInfo::time_base
  double seconds = 0;      // the same since the first frame of the video
  std::int64_t index = 0;  // its number in the video, from 0
  std::shared_ptr<const void> owner;

  // CV_8UC3 as stored, converted by swscale with the frame's own encoding as the program ffmpeg
  // converts (-pix_fmt bgr24 with its default flags). Rows may have bytes after their end. For
  // kOther `owner` is the AVFrame. Safe from many threads.
  cv::Mat StoredBgr() const;
  cv::Mat Bgr() const { return Upright(StoredBgr()); }
  // Any picture of the stored size as it is to be seen: mirrored and turned.
  cv::Mat Upright(const cv::Mat& stored) const;
};

struct VideoInfo {
  cv::Size size;  // as stored; upright it is transposed for rotation 90 and 270
  Rational rate;  // frames a second as the container says; 0/1 when unknown
  Rational time_base;
  std::optional<std::int64_t> frames;  // where the container tells; else estimated from its length
  std::optional<double> seconds;       // likewise
  int rotation = 0;                    // as VideoFrame's
  bool mirrored = false;               // likewise
  Rational pixel_aspect{1, 1};         // width of a stored pixel to its height
  bool sound = false;
  std::string codec;  // "h264"
};

// Frames without a word about themselves, one after the other.
struct RawVideo {
  cv::Size size;
  std::string pixel_format;  // FFmpeg's name: bgr24, yuv420p, nv12, ...
  Rational rate{25, 1};
};

struct VideoOpenOptions {
  // To open a stream, and for it to deliver a frame; files take their time.
  double timeout_seconds = 3;
  const std::atomic<bool>* stop = nullptr;  // when set, a call that waits returns early
  int threads = 0;                          // the decoder's; 0: as many as cores
  bool addresses = true;                    // false: a name with :// is a file's, too
  // Frames of a pipe come as they are made: the first is given after a second of them, and not when
  // the rate is sure. (With isolation it counts for nothing.)
  bool current = false;
  std::optional<RawVideo> raw{};  // the file is no container, but such frames
  // Of a frame; a quarter of an image's, since decoders keep many frames. 8K has half of it.
  std::int64_t max_pixels = kMaxPixels / 4;
  // A file is decoded in a process of its own where this, or without it the program (IsolateBy),
  // says kAll. The limit of time is for a frame.
  std::optional<Isolation> isolation{};
};

// A time since the first frame, or the number of a frame.
struct VideoTime {
  enum class Unit { kMicroseconds, kFrames };
  Unit unit = Unit::kMicroseconds;
  std::int64_t value = 0;  // frames count from 0
};

// "12.5" (seconds), "1:02:03.5" or "02:03" (hours, minutes, seconds), "120f" (a frame). Times are
// rounded to microseconds. Throws Error for anything else, and for what lies before the start.
VideoTime VideoTimeFromText(std::string_view text);
std::string TextOf(const VideoTime& time);  // "12.5 s", "frame 120"

// The frames from one moment on and before another: from <= t < to. Times of frames are rounded to
// microseconds before they are compared, so that a time that was printed finds its frame again.
struct VideoRange {
  std::optional<VideoTime> from, to;
  bool whole() const { return !from && !to; }
  // Whether no video has a frame in it.
  bool empty() const {
    if (to && to->value == 0) return true;
    return from && to && from->unit == to->unit && from->value >= to->value;
  }
};

class VideoSource;

// Frames in display order. Not safe from several threads.
class VideoReader {
 public:
  // A file of a container that holds its own data (docs/formats.md has the list; playlists are
  // refused), or a URL of any protocol that FFmpeg has. Throws Error: not there, no video, no
  // decoder, frames too large, nothing came within the timeout.
  explicit VideoReader(const std::string& path_or_url, const VideoOpenOptions& options = {});
  ~VideoReader();
  VideoReader(VideoReader&&) noexcept;
  VideoReader& operator=(VideoReader&&) noexcept;

  const VideoInfo& info() const;
  // The next frame; absent at the end (or after a stop). Throws Error where a file is damaged or
  // ends too early ('stops at frame N'), after all frames before, or a stream stalls; frames read
  // before stay valid. Damage in streams is passed over.
  std::optional<VideoFrame> Read();
  // Leaves out frames before `moment`, as many as can be left out without decoding them; what comes
  // next is a frame that is not after it (or the end, where all are before it). Times count from
  // the first frame, so that must have been read. Does nothing for streams, pipes and containers
  // other than MP4 and Matroska.
  void SkipTowards(const VideoTime& moment);

 private:
  std::unique_ptr<VideoSource> source_;
};

// A VideoReader of a part of a file. Times and numbers of frames are those in the whole video.
// Where the part begins in mid-file, MP4 and Matroska are decoded from the key frame before, others
// from the start: the frames are the same.
class VideoClip {
 public:
  // Throws Error as VideoReader does.
  VideoClip(const std::string& path_or_url, const VideoOpenOptions& options,
            const VideoRange& range);

  // The next frame of the range; absent at its end, and that of the video. Throws Error as
  // VideoReader::Read does, and where the video ends before the range begins.
  std::optional<VideoFrame> Read();
  // That of the video, but for `frames`, which once the first frame is read are those of the range.
  const VideoInfo& info() const { return info_; }
  // After the last frame, where the video ended before the range did: "ends at 4 s, before 9 s".
  const std::string& shortfall() const { return shortfall_; }

 private:
  std::optional<VideoFrame> First();
  void SetExpected(const VideoFrame& first);
  void NoteEnd();
  bool Stopped() const { return stop_ && stop_->load(); }

  const std::string name_;
  const std::atomic<bool>* const stop_;
  const VideoRange range_;
  VideoReader reader_;
  VideoInfo info_;
  std::string shortfall_;
  bool started_ = false, ended_ = false;
  std::int64_t last_index_ = -1;  // of the last frame that was read, in the range or not
  double last_seconds_ = 0;
};

// The sound of a video file, for another one.
struct VideoSound {
  std::filesystem::path file;
  // That timestamp of the file's pictures is the other's 0, and what is before it is left out;
  // absent: timestamps stay as they are.
  std::optional<std::int64_t> start{};
  Rational time_base;  // of `start`
};

struct VideoWriteOptions {
  // FFmpeg's name of an encoder, or of a codec; empty: ffv1 for Matroska, else libx264.
  std::string codec{};
  // FFmpeg's name of the container: "matroska", or "yuv4mpegpipe" or "rawvideo", whose codec is
  // their own, and which have frames at a rate, one after the other, and no times; empty: by the
  // path's extension.
  std::string container{};
  // 1 to 100, the best; absent: 90, that of each encoder (crf 18 of libx264). Error for others, and
  // for encoders that have none.
  std::optional<int> quality{};
  Rational rate{30, 1};
  Rational time_base{0, 1};  // of the timestamps given to Write; 0: 1 / rate
  Rational pixel_aspect{1, 1};
  bool live = false;  // H.264 in less than half the time, in files about 2.5 times as large
  // Copied as it is stored, up to the end of the last frame.
  std::optional<VideoSound> sound{};
  IfExists if_exists = IfExists::kReplace;
};

// A video written beside its name and renamed by Finish; without Finish it vanishes.
class VideoWriter {
 public:
  // Frames of `size` are CV_8UC1 (masks: stored losslessly as grey by ffv1), CV_16UC1 (likewise,
  // and by no other codec), CV_8UC3 (BGR) or CV_8UC4 (BGR and alpha, for codecs that have that).
  // Codecs of 4:2:0 want even sizes: pictures of odd size get their last row or column twice.
  // Throws Error: no such codec, or it does not take such pixels, or does not go into that
  // container, or the sound does not; or the file cannot be made. An existing file is replaced by
  // Finish, not before, or refused there.
  VideoWriter(const std::filesystem::path& path, cv::Size size, int type,
              const VideoWriteOptions& options);
  ~VideoWriter();  // throws nothing; drops what was not finished
  VideoWriter(VideoWriter&&) noexcept;
  VideoWriter& operator=(VideoWriter&&) noexcept;

  // Timestamps must increase, else it throws Error. The file's own units may be coarser.
  void Write(const cv::Mat& frame, std::int64_t pts);
  std::int64_t frames() const;
  // Why sound ends before the pictures, after Finish; empty: it does not.
  std::string sound_problem() const;
  // Flushes, closes, counts the frames in the file and renames it. Throws Error when their number
  // differs, the disk is full, or it was called before; so does Write after it.
  void Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// True for a file that FFmpeg opens as a moving picture; false, too, where its libraries are not
// there.
bool OpensAsVideo(const std::filesystem::path& path,
                  const std::optional<Isolation>& isolation = {});

}  // namespace skinmask
