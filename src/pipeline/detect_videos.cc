#include "pipeline/detect_videos.h"

#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>

#include "pipeline/ordered.h"
#include "pipeline/video_sink.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/adapt_stream.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/detect/draw.h"
#include "skinmask/media/video_clip.h"

namespace skinmask {
namespace {

// One frame on its way.
struct Item {
  VideoFrame frame;
  cv::Mat stored_bgr, bgr;  // as decoded, and upright, where something needs them
  std::shared_ptr<const Adaptation> adaptation;  // null: the posterior holds
  std::vector<Rendered> outputs;
  DetectedFrame found;
  std::optional<Problem> problem;
};
using ItemPtr = std::shared_ptr<Item>;

class VideoRun {
 public:
  VideoRun(const Task& task, const DetectOptions& options, const FramePosterior& posterior,
           const Model& model, const Run& run);
  // The whole video; absent when it was stopped or nothing of it could be kept.
  std::optional<DetectedImage> Go();

 private:
  ItemPtr Read(tbb::flow_control& control);
  void Convert(Item& item) const;
  void Adapt(Item& item);
  void Detect(Item& item) const;
  void Write(Item& item);
  cv::Mat Render(Output output, const Item& item, const cv::Mat& mask,
                 const cv::Mat& probability) const;
  bool Wants(bool (*is_one)(Output)) const;
  bool Stopped() const { return run_.stop && run_.stop->load(); }
  // Notes what a call throws as the item's problem.
  template <class Call>
  void Guard(Item& item, const Call& call) const;

  const Task& task_;
  const DetectOptions& options_;
  const FramePosterior& posterior_;
  const double threshold_;
  const Run& run_;
  VideoClip reader_;
  std::vector<Output> outputs_;
  const bool pictures_, probability_;  // whether outputs are made of the frame's picture, or of P
  std::optional<VideoFrame> next_;     // read ahead
  DetectedImage result_;
  std::unique_ptr<VideoSink> sink_;
  std::optional<StreamAdapter> stream_;
  bool cut_ = false;                  // a stop came before the end
  std::optional<Problem> damage_;     // why the video ends before its time
  std::atomic<bool> failed_ = false;  // an output could not be made: stop reading
  std::optional<Problem> failure_;
};

bool IsOfPicture(Output output) {
  return output == Output::kOverlay || output == Output::kCutout || output == Output::kClasses;
}
bool IsOfProbability(Output output) { return output == Output::kProbability; }

std::vector<Output> OutputsOf(const Task& task, const DetectOptions& options) {
  if (options.video.png_frames) return options.outputs;
  std::vector<Output> outputs;
  for (const auto& [output, path] : task.outputs) outputs.push_back(output);
  return outputs;
}

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
      posterior_(posterior),
      threshold_(model.decision.threshold),
      run_(run),
      reader_(task.input.string(), OpenOptions(options, run), options.video.range),
      outputs_(OutputsOf(task, options)),
      pictures_(Wants(IsOfPicture)),
      probability_(options.video.frame || Wants(IsOfProbability)) {
  next_ = reader_.Read();
  if (!next_) throw Error(task.input.string(), "holds no frame" + RangeText(options.video.range));
  cv::Size size = next_->size;
  if (next_->rotation % 180 != 0) std::swap(size.width, size.height);
  result_.input = task.input;
  result_.size = size;
  result_.rate = reader_.info().rate;
  for (const auto& [output, path] : task.outputs) result_.outputs.push_back(path);
  sink_ = MakeVideoSink(task, options, reader_.info(), size, posterior.posterior().class_count());
  if (options.adapter) stream_.emplace(options.adapter);
  if (reader_.info().sound) run.warning(task.input.string() + ": its sound is left out");
}

bool VideoRun::Wants(bool (*is_one)(Output)) const {
  return std::any_of(outputs_.begin(), outputs_.end(), is_one);
}

template <class Call>
void VideoRun::Guard(Item& item, const Call& call) const {
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
  auto item = std::make_shared<Item>();
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

void VideoRun::Convert(Item& item) const {
  const bool upright = pictures_ || stream_;
  if (upright || !posterior_.TakesYuv(item.frame)) item.stored_bgr = item.frame.StoredBgr();
  if (upright) item.bgr = item.frame.Upright(item.stored_bgr);
}

// Comes for one frame after the other, in order: what is learnt from earlier ones is used here.
void VideoRun::Adapt(Item& item) {
  if (stream_) item.adaptation = stream_->Follow(item.bgr);
}

cv::Mat VideoRun::Render(Output output, const Item& item, const cv::Mat& mask,
                         const cv::Mat& probability) const {
  const bool any = sink_->TakesAnyPicture();
  switch (output) {
    case Output::kMask:
      return mask;
    case Output::kProbability:
      return probability;
    case Output::kOverlay:
      return DrawOverlay(item.bgr, mask);
    case Output::kCutout:
      return any ? CutOut(item.bgr, mask) : BlackOut(item.bgr, mask);
    case Output::kClasses: {
      const cv::Mat classes =
          item.frame.Upright(DetectClasses(posterior_.posterior(), item.stored_bgr));
      return any ? classes : InPalette(classes, ClassPalette(posterior_.posterior().class_count()));
    }
  }
  return {};
}

void VideoRun::Detect(Item& item) const {
  const VideoFrame& frame = item.frame;
  cv::Mat mask, probability;
  if (item.adaptation) {
    const Adapter& adapter = *options_.adapter;
    if (probability_)
      adapter.MaskAndProbability(item.bgr, *item.adaptation, threshold_, mask, probability);
    else
      adapter.Mask(item.bgr, *item.adaptation, threshold_, mask);
  } else {
    mask = frame.Upright(posterior_.Mask(frame, item.stored_bgr));
    if (probability_) probability = frame.Upright(posterior_.Probability(frame, item.stored_bgr));
  }
  item.found = {task_.input,
                frame.index,
                frame.seconds,
                mask.total(),
                static_cast<std::uint64_t>(cv::countNonZero(mask)),
                std::nullopt};
  if (options_.video.frame) item.found.region = RegionOf(MapMomentsOf(probability));
  for (const Output output : outputs_) {
    item.outputs.push_back({output, Render(output, item, mask, probability), {}});
    sink_->Prepare(item.outputs.back());
  }
}

void VideoRun::Write(Item& item) {
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
  const std::int64_t frames = PixelsInFlight() / std::max(1, result_.size.area());
  tbb::parallel_pipeline(
      std::clamp<std::size_t>(static_cast<std::size_t>(frames), 1, ItemsInFlight()),
      tbb::make_filter<void, ItemPtr>(filter_mode::serial_in_order,
                                      [this](tbb::flow_control& c) { return Read(c); }) &
          tbb::make_filter<ItemPtr, ItemPtr>(filter_mode::parallel,
                                             stage([this](Item& i) { Convert(i); })) &
          tbb::make_filter<ItemPtr, ItemPtr>(adapt, stage([this](Item& i) { Adapt(i); })) &
          tbb::make_filter<ItemPtr, ItemPtr>(filter_mode::parallel,
                                             stage([this](Item& i) { Detect(i); })) &
          tbb::make_filter<ItemPtr, void>(filter_mode::serial_in_order,
                                          [this](const ItemPtr& item) { Write(*item); }));
  if (failed_) run_.problem(*failure_);
  if (failed_ || cut_ || (next_ && Stopped())) return std::nullopt;
  sink_->Finish();
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
  expected.probability = options.video.frame || std::any_of(options.outputs.begin(),
                                                            options.outputs.end(), IsOfProbability);
  return expected;
}

}  // namespace

void DetectVideos(const std::vector<Task>& tasks, const DetectOptions& options, const Model& model,
                  const Run& run, const std::function<void(const DetectedImage&)>& done) {
  if (run.stop && run.stop->load()) return;
  const FramePosterior posterior(model, options.video.pixels, VideoExpectation(options));
  for (const Task& task : tasks) {
    if (run.stop && run.stop->load()) return;
    if (options.scale != 1) {
      run.problem(
          {task.input.string(), "is a video, and those keep their size (scaling is for images)"});
      continue;
    }
    run.counting("frames of " + task.input.filename().string());
    try {
      if (const auto video = VideoRun(task, options, posterior, model, run).Go()) done(*video);
    } catch (const Error& e) {
      if (run.stop && run.stop->load()) return;  // it is the stop that the reader speaks of
      run.problem(Problem(task.input.string(), e));
    }
  }
}

}  // namespace skinmask
