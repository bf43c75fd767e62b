#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <opencv2/imgproc.hpp>
#include <set>

#include "ordered.h"
#include "skinmask/image.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

// A row function of Posterior on every row, in parallel where the image is large enough to gain by it.
cv::Mat ForRows(const Posterior& posterior, const cv::Mat& bgr,
                void (Posterior::*row)(const std::uint8_t*, std::size_t, std::uint8_t*) const noexcept) {
  constexpr int kGrainPixels = 1 << 18;
  const int grain = std::max(1, kGrainPixels / std::max(1, bgr.cols));
  cv::Mat result(bgr.size(), CV_8UC1);
  tbb::parallel_for(tbb::blocked_range<int>(0, bgr.rows, static_cast<std::size_t>(grain)),
                    [&](const tbb::blocked_range<int>& rows) {
                      for (int y = rows.begin(); y < rows.end(); ++y)
                        (posterior.*row)(bgr.ptr<std::uint8_t>(y), static_cast<std::size_t>(bgr.cols),
                                         result.ptr<std::uint8_t>(y));
                    });
  return result;
}

// The work on one input: what to read, and which outputs to write where.
struct Task {
  fs::path input;
  std::vector<std::pair<Output, fs::path>> outputs;
};

struct Detected {
  std::uint64_t pixels = 0;
  DetectedImage image;
  std::vector<std::string> files;  // encoded, as image.outputs
};

cv::Mat Render(Output output, const Posterior& posterior, const cv::Mat& bgr, const cv::Mat& mask) {
  switch (output) {
    case Output::kMask:
      return mask;
    case Output::kProbability:
      return DetectProbability(posterior, bgr);
    case Output::kOverlay:
      return DrawOverlay(bgr, mask);
    case Output::kCutout:
      return CutOut(bgr, mask);
  }
  return {};
}

std::vector<Task> PlanTasks(const DetectOptions& options, const Run& run) {
  const std::vector<InputFile> inputs =
      ListImages(options.inputs, options.output_folder, run.problem);
  const std::vector<std::vector<fs::path>> paths = OutputPaths(inputs, options.outputs);
  std::set<fs::path> originals;
  for (const InputFile& input : inputs) originals.insert(fs::weakly_canonical(input.path));
  std::vector<Task> tasks;
  for (std::size_t i = options.shard - 1; i < inputs.size(); i += options.shard_count) {
    Task task{inputs[i].path, {}};
    for (std::size_t j = 0; j < paths[i].size(); ++j) {
      const fs::path path = options.output_folder / paths[i][j];
      if (originals.count(fs::weakly_canonical(path)))
        throw Error(path.string(), "is an input and would be written over (another output folder)");
      std::error_code ignored;
      if (!options.resume || !fs::exists(path, ignored))
        task.outputs.emplace_back(options.outputs[j], path);
    }
    if (!task.outputs.empty()) tasks.push_back(std::move(task));
  }
  return tasks;
}

Detected Process(const Task& task, const Posterior& posterior, Overwrite overwrite) {
  for (const auto& [output, path] : task.outputs) RequireWritable(path, overwrite);
  const cv::Mat bgr = ReadImage(task.input);
  const cv::Mat mask = DetectMask(posterior, bgr);
  Detected result;
  result.pixels = bgr.total();
  result.image = {task.input, {}, bgr.size(), static_cast<std::uint64_t>(cv::countNonZero(mask))};
  for (const auto& [output, path] : task.outputs) {
    result.files.push_back(EncodePng(Render(output, posterior, bgr, mask)));
    result.image.outputs.push_back(path);
  }
  return result;
}

}  // namespace

cv::Mat DetectMask(const Posterior& posterior, const cv::Mat& bgr) {
  return ForRows(posterior, bgr, &Posterior::MaskRow);
}

cv::Mat DetectProbability(const Posterior& posterior, const cv::Mat& bgr) {
  return ForRows(posterior, bgr, &Posterior::ProbabilityRow);
}

cv::Mat DrawOverlay(const cv::Mat& bgr, const cv::Mat& mask) {
  constexpr double kDimmed = 0.3;
  const cv::Scalar kBorderGreen(64, 255, 64);
  cv::Mat overlay, grown;
  bgr.convertTo(overlay, CV_8U, kDimmed);
  bgr.copyTo(overlay, mask);
  cv::dilate(mask, grown, cv::getStructuringElement(cv::MORPH_CROSS, {3, 3}));
  overlay.setTo(kBorderGreen, grown & ~mask);
  return overlay;
}

cv::Mat CutOut(const cv::Mat& bgr, const cv::Mat& mask) {
  cv::Mat bgra;
  cv::merge(std::vector<cv::Mat>{bgr, mask}, bgra);
  return bgra;
}

void Detect(const DetectOptions& options, const Model& model, const Run& run,
            const std::function<void(const DetectedImage&)>& done) {
  const std::vector<Task> tasks = PlanTasks(options, run);
  const auto make_folder = [](const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
      throw Error(folder.string(), "cannot be made as output folder: " + error.message());
  };
  make_folder(options.output_folder);
  if (access(options.output_folder.c_str(), W_OK | X_OK) != 0)
    throw Error(options.output_folder.string(),
                std::string("cannot be written to: ") + std::strerror(errno));
  if (tasks.empty()) return;
  const Posterior posterior(model);
  RunOrdered(
      tasks.size(), run, [&](std::size_t i) { return tasks[i].input.string(); },
      [&](std::size_t i) { return Process(tasks[i], posterior, options.overwrite); },
      [&](std::size_t, Detected&& result) {
        for (std::size_t j = 0; j < result.files.size(); ++j) {
          make_folder(result.image.outputs[j].parent_path());
          WriteFile(result.image.outputs[j], result.files[j], options.overwrite);
        }
        done(result.image);
      });
}

}  // namespace skinmask
