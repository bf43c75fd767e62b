// Detection in a video beside decoding and encoding alone, with the same decoder and encoder.
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <filesystem>
#include <memory>
#include <opencv2/imgproc.hpp>

#include "results.h"
#include "skinmask/base/file.h"
#include "skinmask/detect/frame_posterior.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/media/image.h"
#include "skinmask/media/video.h"
#include "skinmask/model/model.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kFrames = 90;
const cv::Size kSize(1920, 1080);

// A camera that pans slowly over a photograph, mirrored at its edges.
void MakeClip(const fs::path& photo, const fs::path& clip) {
  const cv::Mat once = ReadImage(photo);
  cv::Mat large, scene;
  cv::resize(once, large, {}, 2.5, 2.5, cv::INTER_CUBIC);
  cv::copyMakeBorder(large, scene, 0, kFrames, 0, kSize.width + kFrames - large.cols,
                     cv::BORDER_REFLECT);
  VideoWriter writer(clip, kSize, CV_8UC3, {});
  for (int i = 0; i < kFrames; ++i) writer.Write(scene(cv::Rect({i, i}, kSize)), i);
  writer.Finish();
}

// Masks of the clip, ready to be encoded.
std::vector<cv::Mat> MasksOf(const fs::path& clip) {
  const FramePosterior posterior(DefaultModel());
  VideoReader reader(clip.string());
  std::vector<cv::Mat> masks;
  while (const auto frame = reader.Read()) masks.push_back(posterior.Mask(*frame));
  CV_Assert(masks.size() == kFrames);
  return masks;
}

// Decodes and encodes: the frames' pictures, or `masks` in their stead. Overlapping as detection
// does.
void Transcode(const fs::path& clip, const fs::path& to, const std::vector<cv::Mat>* masks) {
  VideoReader reader(clip.string());
  VideoWriter writer(to, kSize, masks ? CV_8UC1 : CV_8UC3,
                     {.rate = reader.info().rate, .time_base = reader.info().time_base});
  using FramePtr = std::shared_ptr<VideoFrame>;
  struct Picture {
    std::int64_t pts;
    cv::Mat pixels;
  };
  std::size_t next = 0;
  tbb::parallel_pipeline(
      2 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()),
      tbb::make_filter<void, FramePtr>(tbb::filter_mode::serial_in_order,
                                       [&](tbb::flow_control& control) -> FramePtr {
                                         auto frame = reader.Read();
                                         if (frame) return std::make_shared<VideoFrame>(*frame);
                                         control.stop();
                                         return nullptr;
                                       }) &
          tbb::make_filter<FramePtr, Picture>(
              tbb::filter_mode::parallel,
              [&](const FramePtr& frame) {
                return Picture{frame->pts, masks ? cv::Mat() : frame->Bgr()};
              }) &
          tbb::make_filter<Picture, void>(
              tbb::filter_mode::serial_in_order, [&](const Picture& picture) {
                writer.Write(masks ? (*masks)[next++] : picture.pixels, picture.pts);
              }));
  writer.Finish();
}

void DetectIn(const fs::path& clip, const fs::path& folder, Output output,
              const Detector& detector) {
  DetectOptions options;
  options.inputs = {clip};
  options.output_folder = folder;
  options.outputs = {output};
  options.if_exists = IfExists::kReplace;
  std::int64_t frames = 0;
  Detect(options, detector, {}, [&](const DetectedImage& video) { frames = video.frames; });
  CV_Assert(frames == kFrames);
}

}  // namespace

void BenchVideos(const std::string& samples, const std::string& work, Results& results) {
  const fs::path folder = fs::path(work) / "video", clip = folder / "clip.mp4";
  fs::create_directories(folder);
  MakeClip(fs::path(samples) / "photos/astronaut.png", clip);
  const std::vector<cv::Mat> masks = MasksOf(clip);
  const Detector trained(DefaultModel(), nullptr), adapting(DefaultModel());
  const std::pair<const char*, std::function<void()>> runs[] = {
      {"video/transcode-only", [&] { Transcode(clip, folder / "masks.mkv", &masks); }},
      {"video/detect", [&] { DetectIn(clip, folder / "out", Output::kMask, trained); }},
      {"video/detect-adapted", [&] { DetectIn(clip, folder / "out", Output::kMask, adapting); }},
      {"video/transcode-only-picture", [&] { Transcode(clip, folder / "picture.mp4", nullptr); }},
      {"video/detect-overlay", [&] { DetectIn(clip, folder / "out", Output::kOverlay, trained); }}};
  for (const auto& [name, run] : runs) {
    const double seconds = FastestSeconds(run);
    results.push_back({name, "1920x1080", ThreadCounts().back(),
                       kFrames * static_cast<double>(kSize.area()) / seconds / 1e6});
  }
}

}  // namespace skinmask::bench
