#include "pipeline/detect_videos.h"

#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>

#include "media/scaled_down.h"
#include "pipeline/frame_detector.h"
#include "pipeline/ordered.h"
#include "pipeline/video_sink.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/adapt_stream.h"
#include "skinmask/media/video_clip.h"

namespace skinmask {
namespace {

using ItemPtr = std::shared_ptr<FrameItem>;

class VideoRun {
 public:
  VideoRun(const Task& task, const DetectOptions& options, const FramePosterior& posterior,
           const Model& model, const Run& run);
  // The whole video; absent when it was stopped or nothing of it could be kept.
  std::optional<DetectedImage> Go();

 private:
  ItemPtr Read(tbb::flow_control& control);
  void Adapt(FrameItem& item);
  void Write(FrameItem& item);
  bool Stopped() const { return run_.stop && run_.stop->load(); }
  // Notes what a call throws as the item's problem.
  template <class Call>
  void Guard(FrameItem& item, const Call& call) const;

  const Task& task_;
  const DetectOptions& options_;
  const Run& run_;
  VideoClip reader_;
  const FrameDetector detector_;
  std::optional<VideoFrame> next_;  // read ahead
  DetectedImage result_;
  std::unique_ptr<VideoSink> sink_;
  std::optional<StreamAdapter> stream_;
  bool cut_ = false;                  // a stop came before the end
  std::optional<Problem> damage_;     // why the video ends before its time
  std::atomic<bool> failed_ = false;  // an output could not be made: stop reading
  std::optional<Problem> failure_;
};

std::string RangeText(const VideoRange& range) {
  if (range.whole()) return "";
  return (range.from ? " from " + TextOf(*range.from) : " from the start") +
         (range.to ? " to before " + TextOf(*range.to) : "");
}

VideoOpenOptions OpenOptions(const DetectOptions& options, const Run& run) {
  return {.stop = run.stop,
          .threads = tbb::this_task_arena::max_concurrency(),
          .addresses = false,
          .raw = options.video.raw,
          .max_pixels = std::min(options.max_pixels, std::max(options.max_pixels, kMaxPixels) / 4)};
}

VideoRun::VideoRun(const Task& task, const DetectOptions& options, const FramePosterior& posterior,
                   const Model& model, const Run& run)
    : task_(task),
      options_(options),
      run_(run),
      reader_(task.input.string(), OpenOptions(options, run), options.video.range),
      detector_(task, options, posterior, model.decision.threshold) {
  next_ = reader_.Read();
  if (!next_) throw Error(task.input.string(), "holds no frame" + RangeText(options.video.range));
  cv::Size size(Scaled(next_->size.width, options.scale),
                Scaled(next_->size.height, options.scale));
  if (next_->rotation % 180 != 0) std::swap(size.width, size.height);
  result_.input = task.input;
  result_.size = size;
  result_.rate = reader_.info().rate;
  for (const auto& [output, path] : task.outputs) result_.outputs.push_back(path);
  sink_ = MakeVideoSink(task, options, reader_.info(), next_->pts, size,
                        posterior.posterior().class_count());
  if (options.adapter) stream_.emplace(options.adapter);
}

template <class Call>
void VideoRun::Guard(FrameItem& item, const Call& call) const {
  if (item.problem) return;
  const std::string input = task_.input.string();
  try {
    call();
  } catch (const Error& e) {
    item.problem.emplace(input, e);
  } catch (const std::exception& e) {
    item.problem.emplace(input, fmt::format("frame {}: {}", item.frame.index, e.what()));
  }
}

ItemPtr VideoRun::Read(tbb::flow_control& control) {
  const auto end = [&] {
    control.stop();
    return nullptr;
  };
  if (!next_ || failed_ || Stopped()) return end();
  auto item = std::make_shared<FrameItem>();
  item->frame = std::move(*next_);
  next_.reset();
  try {
    next_ = reader_.Read();
    cut_ = !next_ && Stopped();  // that is no end
    if (next_ && next_->size != item->frame.size)
      throw Error(task_.input.string(),
                  fmt::format("stops at frame {}: its size changes from {} x {} to {} x {}",
                              next_->index, item->frame.size.width, item->frame.size.height,
                              next_->size.width, next_->size.height));
  } catch (const Error& e) {
    damage_.emplace(task_.input.string(), e);
    next_.reset();
  }
  return item;
}

// Comes for one frame after the other, in order: what is learnt from earlier ones is used here.
void VideoRun::Adapt(FrameItem& item) {
  if (stream_) item.adaptation = stream_->Follow(item.bgr);
}

void VideoRun::Write(FrameItem& item) {
  if (failed_) return;
  Guard(item, [&] {
    sink_->Write(item.frame, item.outputs);
    result_.skin_pixels += item.found.skin_pixels;
    ++result_.frames;
    if (item.adaptation)
      ++(item.adaptation->summary.by == AdaptationSummary::By::kSeeds ? result_.frames_by_seeds
                                                                      : result_.frames_by_image);
    if (options_.video.frame) options_.video.frame(item.found);
  });
  if (item.problem) {
    failure_ = item.problem;
    failed_ = true;
  }
  run_.progress(
      static_cast<std::size_t>(result_.frames),
      static_cast<std::size_t>(std::max<std::int64_t>(0, reader_.info().frames.value_or(0))),
      static_cast<std::uint64_t>(result_.frames) * item.found.pixels);
}

std::optional<DetectedImage> VideoRun::Go() {
  using tbb::filter_mode;
  const auto stage = [&](const auto& act) {
    return [this, act](ItemPtr item) {
      Guard(*item, [&] { act(*item); });
      return item;
    };
  };
  const auto adapt = stream_ ? filter_mode::serial_in_order : filter_mode::parallel;
  const std::int64_t frames = PixelsInFlight() / std::max(1, next_->size.area());
  tbb::parallel_pipeline(
      std::clamp<std::size_t>(static_cast<std::size_t>(frames), 1, ItemsInFlight()),
      tbb::make_filter<void, ItemPtr>(filter_mode::serial_in_order,
                                      [this](tbb::flow_control& c) { return Read(c); }) &
          tbb::make_filter<ItemPtr, ItemPtr>(
              filter_mode::parallel, stage([this](FrameItem& i) { detector_.Convert(i); })) &
          tbb::make_filter<ItemPtr, ItemPtr>(adapt, stage([this](FrameItem& i) { Adapt(i); })) &
          tbb::make_filter<ItemPtr, ItemPtr>(
              filter_mode::parallel, stage([this](FrameItem& i) { detector_.Detect(i, *sink_); })) &
          tbb::make_filter<ItemPtr, void>(filter_mode::serial_in_order,
                                          [this](const ItemPtr& item) { Write(*item); }));
  if (failed_) run_.problem(*failure_);
  if (failed_ || cut_ || (next_ && Stopped())) return std::nullopt;
  sink_->Finish();
  for (const std::string& line : sink_->warnings()) run_.warning(line);
  if (const std::string& line = reader_.shortfall(); !line.empty())
    run_.warning(task_.input.string() + ": " + line);
  if (damage_)
    run_.problem(*damage_);
  else
    run_.finished();
  return result_;
}

PosteriorOptions VideoExpectation(const DetectOptions& options) {
  PosteriorOptions expected;  // of so many pixels that a table pays
  expected.probability =
      options.video.frame || std::ranges::count(options.outputs, Output::kProbability) > 0;
  return expected;
}

}  // namespace

void DetectVideos(const Plan& plan, const DetectOptions& options, const Model& model,
                  const Run& run, const std::function<void(const DetectedImage&)>& done) {
  if (run.stop && run.stop->load()) return;
  // Smaller pictures are averages of BGR.
  const auto pixels = options.scale == 1 ? options.video.pixels : FramePosterior::Pixels::kBgr;
  const FramePosterior posterior(model, pixels, VideoExpectation(options));
  for (const std::uint32_t input : plan.videos()) {
    if (run.stop && run.stop->load()) return;
    Task task = plan.TaskOf(input);
    if (!options.video.png_frames && IsDoneMeanwhile(task, options)) {
      run.finished();
      continue;
    }
    run.counting("frames of " + task.input.filename().string());
    try {
      if (const auto video = VideoRun(task, options, posterior, model, run).Go()) done(*video);
    } catch (const std::exception& e) {
      if (run.stop && run.stop->load()) return;  // it is the stop that the reader speaks of
      run.problem(Problem(task.input.string(), e));
    }
  }
}

}  // namespace skinmask
