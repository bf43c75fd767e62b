#include <tbb/task_arena.h>

#include <algorithm>

#include "media/picture_type.h"
#include "pipeline/ordered.h"
#include "pipeline/plan.h"
#include "skinmask/base/error.h"
#include "skinmask/media/video.h"

namespace skinmask {
namespace {

// A frame in flight.
struct FrameItem {
  VideoFrame frame;
  std::optional<Picture> picture;  // the scaled frame
  std::shared_ptr<const StreamAdapter::Observation> observation;
  std::shared_ptr<const Adaptation> adaptation;  // null: the model without adaptation
  std::vector<Rendered> outputs;
  DetectedFrame found;
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
          .max_pixels =
              options.max_pixels == kMaxPixels ? VideoOpenOptions().max_pixels : options.max_pixels,
          .isolation = options.isolation};
}

class VideoRun {
 public:
  VideoRun(const Task& task, const DetectJob& job, std::uint32_t place)
      : input_(task.input.string()),
        place_(place),
        job_(job),
        reader_(input_, OpenOptions(job.options, job.run), job.options.video.range),
        stream_(job.detector) {
    result_.rate = reader_.info().rate;
    stream_.SetRate(result_.rate.Value());
    const std::string name = task.input.filename().string();
    const VideoOutputOptions& video = job.options.video;
    if (video.range.from && !video.seek && job.detector.adapter()) FollowFramesBefore(name);
    job.run.counting("frames of " + name);
    next_ = reader_.Read();
    if (!next_) throw Error(input_, "holds no frame" + RangeText(job.options.video.range));
    cv::Size size(Scaled(next_->size.width, job.options.scale),
                  Scaled(next_->size.height, job.options.scale));
    if (next_->rotation % 180 != 0) std::swap(size.width, size.height);
    result_.input = task.input;
    result_.size = size;
    for (const auto& [output, path] : task.outputs) {
      outputs_.push_back(output);
      result_.outputs.push_back(path);
    }
    if (job.options.video.png_frames) outputs_ = job.options.outputs;
    sink_ = MakeVideoSink(task, job.options, reader_.info(), next_->pts, size,
                          job.detector.model().classes.size());
  }

  // Processes the whole video; throws what a frame throws. If the run is stopped or fails, no
  // output is kept.
  void Go() {
    const Run& run = job_.run;
    Process([this](FrameItem& item) { return Read(item); }, true,
            [this](const FrameItem& item) { Write(item); });
    if (cut_ || (next_ && run.Stopped())) return;
    job_.made_with.WriteRecord();
    job_.made_with.WriteFailures(result_.outputs,
                                 damage_ ? std::vector{*damage_} : std::vector<Problem>());
    const DetectedImage whole = job_.WithAllOutputs(result_, place_);
    job_.Note(whole);
    for (const std::string& line : sink_->Finish()) run.warning(line);
    if (const std::string& line = reader_.shortfall(); !line.empty())
      run.warning(input_ + ": " + line);
    job_.done(whole);
    if (damage_)  // reported after the outputs, which are kept
      run.problem(*damage_);
    else
      run.finished();
  }

 private:
  // Takes the frames that `next` gives through the stages. A frame that fails ends the video,
  // because the outputs would lack it.
  void Process(const std::function<bool(FrameItem&)>& next, bool judges,
               const std::function<void(const FrameItem&)>& finish) {
    const auto frames =
        static_cast<std::size_t>(PixelsInFlight() / std::max(1, reader_.info().size.area()));
    std::vector<FrameItem> items(std::clamp<std::size_t>(frames, 1, ItemsInFlight() + 2));
    const auto stage = [&](bool in_order, const auto& work) {
      return Stage{in_order,
                   [&items, work](std::size_t place, const TakePixels&) { work(items[place]); }};
    };
    Stages stages;
    stages.max_items = items.size();
    stages.next = [&](std::size_t place, const TakePixels&) { return next(items[place]); };
    stages.stages.push_back(stage(false, [this](FrameItem& item) { Convert(item); }));
    if (job_.detector.adapter()) {  // these two stages use the state of earlier frames
      stages.stages.push_back(stage(
          true, [this](FrameItem& item) { item.observation = stream_.Observe(*item.picture); }));
      stages.stages.push_back(stage(true, [this](FrameItem& item) {
        item.adaptation = stream_.AdaptTo(item.observation.get());
      }));
    }
    if (judges) stages.stages.push_back(stage(false, [this](FrameItem& item) { Judge(item); }));
    stages.finish = [&](std::size_t place, std::exception_ptr failure) {
      const FrameItem item = std::exchange(items[place], {});
      if (failure) std::rethrow_exception(failure);
      finish(item);
    };
    RunStages(stages, job_.run.stop);
  }

  // Takes the frames before the range as in the whole video, but makes no masks of them.
  void FollowFramesBefore(const std::string& name) {
    const std::int64_t from = job_.options.video.range.from->FrameAt(result_.rate);
    const auto total =
        static_cast<std::size_t>(std::min(from, reader_.info().frames.value_or(from)));
    std::size_t frames = 0;
    std::uint64_t pixels = 0;
    const auto next = [&](FrameItem& item) {
      std::optional<VideoFrame> frame = reader_.ReadBefore();
      if (frame) item.frame = std::move(*frame);
      return frame.has_value();
    };
    const auto finish = [&](const FrameItem& item) {
      if (frames++ == 0) job_.run.counting("frames before the part of " + name);
      pixels += static_cast<std::uint64_t>(item.frame.size.area());
      job_.run.progress(frames, total, pixels);
    };
    try {
      Process(next, false, finish);
    } catch (const Error& e) {
      throw Error(input_, Problem(input_, e).Reason() +
                              ", before the part (`seek` begins there without these frames)");
    }
  }

  Picture PictureOf(const VideoFrame& frame) const {
    return Picture(frame, [frame, scale = job_.options.scale] {
      return frame.Upright(ScaledDown(frame.StoredBgr(), scale));
    });
  }

  bool Read(FrameItem& item) {
    if (!next_) return false;
    item.frame = std::move(*next_);
    next_.reset();
    try {
      next_ = reader_.Read();
      cut_ = !next_ && job_.run.Stopped();  // a stop is not the end of the video
    } catch (const Error& e) {
      damage_.emplace(input_, e);
      next_.reset();
    }
    return true;
  }

  // Makes the picture. Thread-safe, as is Judge.
  void Convert(FrameItem& item) const {
    item.picture = PictureOf(item.frame);
    if (job_.detector.adapter()) item.picture->Bgr();
  }

  // Classifies the frame, draws its outputs and prepares them for the sink.
  void Judge(FrameItem& item) const {
    Judgement judgement(job_.detector, std::move(*item.picture), item.adaptation);
    const OutputForm form = sink_->Form();
    const bool probability = Any(outputs_, &OutputKind::of_probability);
    const bool wants_region = static_cast<bool>(job_.options.video.frame);
    judgement.MakeMask(wants_region || probability, probability && form.bits != 8);
    const cv::Mat mask = judgement.Mask();
    item.found = {input_,
                  item.frame.index,
                  item.frame.seconds,
                  mask.total(),
                  static_cast<std::uint64_t>(cv::countNonZero(mask)),
                  std::nullopt,
                  {},
                  judgement.summary().any_skin};
    if (wants_region) {
      item.found.region = RegionOf(MapMomentsOf(judgement.Probability()));
      item.found.measured = judgement.Measured();
    }
    for (const Output output : outputs_) {
      item.outputs.push_back({output, Draw(output, judgement, form), {}});
      sink_->Prepare(item.outputs.back());
    }
  }

  void Write(const FrameItem& item) {
    if (job_.options.video.png_frames) job_.made_with.WriteRecord();
    sink_->Write(item.frame, item.outputs);
    result_.skin_pixels += item.found.skin_pixels;
    ++result_.frames;
    using JudgedBy = AdaptationSummary::By;
    const JudgedBy by = item.adaptation ? item.adaptation->summary.by : JudgedBy::kNothing;
    result_.frames_by_seeds += by == JudgedBy::kSeeds;
    result_.frames_by_image += by == JudgedBy::kImage;
    if (job_.options.video.frame) job_.options.video.frame(item.found);
    job_.run.progress(
        static_cast<std::size_t>(result_.frames),
        static_cast<std::size_t>(std::max<std::int64_t>(0, reader_.info().frames.value_or(0))),
        static_cast<std::uint64_t>(result_.frames) * item.found.pixels);
  }

  const std::string input_;
  const std::uint32_t place_;  // in the plan
  const DetectJob& job_;
  VideoClip reader_;
  std::optional<VideoFrame> next_;  // read ahead
  DetectedImage result_;
  std::unique_ptr<VideoSink> sink_;
  std::vector<Output> outputs_;
  Stream stream_;
  bool cut_ = false;               // a stop came before the end
  std::optional<Problem> damage_;  // why the video ends early
};

}  // namespace

void DetectVideos(const DetectJob& job) {
  const DetectOptions& options = job.options;
  for (const std::uint32_t input : job.plan.videos()) {
    if (job.run.Stopped()) return;
    Task task = job.plan.TaskOf(input);
    try {
      if (!options.video.png_frames && IsDoneMeanwhile(task, options)) {
        job.made_with.Reread();
        job.run.left_out(task.input.string());
        job.plan.TellEarlier(input, job.made_with, job.run);
        continue;
      }
      VideoRun(task, job, input).Go();
    } catch (const std::exception& e) {
      if (job.run.Stopped()) return;  // the error may be caused by the stop
      job.run.problem(Problem(task.input.string(), e));
    }
  }
}

}  // namespace skinmask
