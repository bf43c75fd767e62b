#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/folder.h"
#include "base/parse.h"
#include "media/decoder_processes.h"
#include "pipeline/plan.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/media/inputs.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

// Computes the timestamps of the outputs. Containers with coarse time bases (Matroska:
// milliseconds) round the times of a constant rate. These times are restored to exact multiples of
// the frame duration, so that the rate stays the same. All other times are kept, and so are those
// of GIFs (hundredths of a second), which are near multiples of any rate.
class OutputTimes {
 public:
  explicit OutputTimes(const VideoInfo& info)
      : from_(info.time_base), rate_(info.rate), unit_(from_) {
    constexpr double kCoarseSeconds = 1e-4;
    coarse_ = from_.Value() > kCoarseSeconds && rate_.num > 0;
    if (coarse_) unit_ = {1, rate_.num * (rate_.num < 10000 ? 1000 : 1)};
  }
  Rational unit() const { return unit_; }
  std::int64_t operator()(std::int64_t pts) {
    if (!coarse_) return pts;
    if (!first_) first_ = pts;
    const double start = static_cast<double>(*first_) * from_.Value();
    const std::int64_t time = std::llround((start + Exact(pts - *first_)) / unit_.Value());
    return last_ = std::max(time, last_ + 1);
  }
  // A time between two timestamps; that of one frame at the rate becomes exact, too.
  std::int64_t Duration(std::int64_t duration) const {
    if (!coarse_) return duration;
    return std::llround(Exact(duration) / unit_.Value());
  }

 private:
  // In seconds; a multiple of the frame duration if the time is one, rounded.
  double Exact(std::int64_t time) const {
    const double seconds = static_cast<double>(time) * from_.Value();
    constexpr double kTooCoarse = 5e-3;
    const double exact = std::round(seconds * rate_.Value()) / rate_.Value();
    const bool is_near = std::abs(exact - seconds) <= from_.Value();
    return is_near && from_.Value() < kTooCoarse ? exact : seconds;
  }

  Rational from_, rate_, unit_;
  bool coarse_ = false;
  std::optional<std::int64_t> first_;
  std::int64_t last_ = std::numeric_limits<std::int64_t>::min();
};

// MP4 and similar containers store a frame's duration in 31 bits, in units of at most a
// ten-thousandth of a second.
void RequireRate(const Rational& rate, const std::string& input, const fs::path& output) {
  constexpr double kOneADay = 1.0 / 86400;
  if (rate.num > 0 && rate.Value() < kOneADay && LowerCase(output.extension().string()) != ".mkv")
    throw Error(input,
                fmt::format("has {}/{} frames a second, which is too slow for {} (one a day, or "
                            "masks alone, which are Matroska)",
                            rate.num, rate.den, output.filename().string()));
}

// True if the outputs have the times of the input. A part of a video begins at 0, and so does each
// AVI, which would store what is before its first frame as frames, and a video whose first frame
// is before 0, because players of MP4 show nothing before 0.
bool KeepsStart(const Task& task, const DetectOptions& options, std::int64_t first) {
  const auto is_avi = [&](const auto& output) {
    return LowerCase(output.second.extension().string()) == ".avi";
  };
  return first >= 0 && options.video.range.whole() && options.video.container != "avi" &&
         std::ranges::none_of(task.outputs, is_avi);
}

class VideoFiles : public VideoSink {
 public:
  VideoFiles(const Task& task, const DetectOptions& options, const VideoInfo& info,
             std::int64_t first, const cv::Size& size)
      : VideoSink(options),
        input_(task.input.string()),
        start_(KeepsStart(task, options, first) ? 0 : first),
        times_(info) {
    VideoWriteOptions write;
    write.if_exists = options.if_exists;
    if (info.rate.num > 0) write.rate = info.rate;
    write.time_base = times_.unit();
    write.pixel_aspect = info.pixel_aspect;
    if (info.rotation % 180 != 0)
      write.pixel_aspect = {info.pixel_aspect.den, info.pixel_aspect.num};
    VideoSound sound{task.input, std::nullopt, info.time_base};
    if (!KeepsStart(task, options, first)) sound.start = first;
    for (const auto& [output, path] : task.outputs) {
      RequireRate(info.rate, input_, path);
      write.codec = TakesCodec(output, options.outputs) ? options.video.codec : "";
      // An output that is lossless by default has no quality, unless a codec or another container
      // is chosen.
      const NamedMedia named(path.native());
      const bool is_lossless =
          write.codec.empty() && (named.video ? named.lossless : !KindOf(output).is_watched);
      write.quality = is_lossless ? std::nullopt : options.style.quality;
      write.container = options.video.container;
      write.sound.reset();
      if (options.video.sound && info.sound && KindOf(output).is_watched) write.sound = sound;
      AddWriter(path, size, TypeOf(output, Form()), write);
    }
  }
  OutputForm Form() const override {
    return {.bits = options_.probability_bits,
            .transparent = !options_.video.codec.empty(),
            .feather = options_.style.feather,
            .indexed = false};
  }
  void Write(const VideoFrame& frame, const std::vector<Rendered>& outputs) override {
    const std::int64_t pts = times_(frame.pts - start_), duration = times_.Duration(frame.duration);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      writers_[i].Write(outputs[i].picture, pts, duration);
  }
  std::vector<std::string> Finish() override {
    for (VideoWriter& writer : writers_) {
      writer.Finish();
      if (const std::string line = writer.sound_problem(); !line.empty())
        warnings_.push_back(input_ + ": " + line);
      if (writer.loses_times())
        warnings_.push_back(input_ +
                            ": its frames are not evenly spaced, and this output stores no times "
                            "(Matroska does)");
    }
    return warnings_;
  }

 private:
  // Adds a writer with sound or, if the sound cannot be copied or must not be read in this process,
  // without it.
  void AddWriter(const fs::path& path, const cv::Size& size, int type, VideoWriteOptions write) {
    std::string why;
    if (write.sound && IsolationOf(options_.isolation).isolate == Isolate::kAll) {
      why = "with `isolate` all nothing of a file is read in the program itself";
    } else if (write.sound) {
      try {
        writers_.emplace_back(path, size, type, write);
        return;
      } catch (const Error& e) {
        why = e.what();
      }
    }
    write.sound.reset();
    writers_.emplace_back(path, size, type, write);
    if (!why.empty())
      warnings_.push_back(
          fmt::format("{}: its sound is left out of {} ({})", input_, path.string(), why));
  }

  const std::string input_;
  const std::int64_t start_;  // the input's timestamp that becomes 0 in the outputs
  OutputTimes times_;
  std::vector<VideoWriter> writers_;
  std::vector<std::string> warnings_;
};

// Writes each frame to a file of its own, which is written completely or not at all.
class FrameFolder : public VideoSink {
 public:
  FrameFolder(const Task& task, const DetectOptions& options, std::size_t class_count)
      : VideoSink(options), folder_(task.outputs.front().second), class_count_(class_count) {
    std::error_code error;
    fs::create_directory(folder_, error);
    if (error) throw Error(folder_.string(), "cannot be made: " + error.message());
    RemoveOldUnfinished(folder_);
    const bool is_empty = fs::is_empty(folder_, error);
    if (error) throw Error(folder_.string(), "cannot be listed: " + error.message());
    if (options.if_exists == IfExists::kFail && !is_empty)
      throw Error(
          folder_.string(),
          "exists already (`overwrite` replaces its frames, `resume` adds those that are missing)");
  }
  OutputForm Form() const override {
    return {.bits = options_.probability_bits, .feather = options_.style.feather};
  }
  void Prepare(Rendered& rendered) const override {
    rendered.bytes = EncodeOutput(rendered.output, rendered.picture, class_count_, options_.style);
  }
  void Write(const VideoFrame& frame, const std::vector<Rendered>& outputs) override {
    for (const Rendered& rendered : outputs) {
      const fs::path path = folder_ / fmt::format("{:06}{}", frame.index,
                                                  SuffixOf(rendered.output, options_.style.format));
      if (options_.if_exists != IfExists::kKeep || !Exists(path))
        WriteFile(path, rendered.bytes, options_.if_exists, Survives::kProcess);
    }
  }

 private:
  fs::path folder_;
  std::size_t class_count_;
};

}  // namespace

std::unique_ptr<VideoSink> MakeVideoSink(const Task& task, const DetectOptions& options,
                                         const VideoInfo& info, std::int64_t first,
                                         const cv::Size& size, std::size_t class_count) {
  if (options.video.png_frames) return std::make_unique<FrameFolder>(task, options, class_count);
  for (const auto& [output, path] : task.outputs) RequireWritable(path, options.if_exists);
  return std::make_unique<VideoFiles>(task, options, info, first, size);
}

}  // namespace skinmask
