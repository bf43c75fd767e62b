#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <opencv2/imgproc.hpp>
#include <set>

#include "ordered.h"
#include "skinmask/adapt.h"
#include "skinmask/image.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

// A row function of Posterior on every row, in parallel where the image is large enough to gain by it.
// Isolated: a thread that waits here must not begin another image, whose buffers are the same.
void ForRows(const Posterior& posterior, const cv::Mat& bgr,
             void (Posterior::*row)(const std::uint8_t*, std::size_t, std::uint8_t*) const noexcept,
             cv::Mat& result) {
  constexpr int kGrainPixels = 1 << 18;
  const int grain = std::max(1, kGrainPixels / std::max(1, bgr.cols));
  result.create(bgr.size(), CV_8UC1);
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, bgr.rows, static_cast<std::size_t>(grain)),
        [&](const tbb::blocked_range<int>& rows) {
          for (int y = rows.begin(); y < rows.end(); ++y)
            (posterior.*row)(bgr.ptr<std::uint8_t>(y), static_cast<std::size_t>(bgr.cols),
                             result.ptr<std::uint8_t>(y));
        });
  });
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

// `log_odds` are those of a model adapted to the image; empty: the posterior's hold.
cv::Mat Render(Output output, const Posterior& posterior, const cv::Mat& bgr, const cv::Mat& log_odds,
               const cv::Mat& mask) {
  switch (output) {
    case Output::kMask:
      return mask;
    case Output::kProbability:
      return log_odds.empty() ? DetectProbability(posterior, bgr) : ProbabilityOf(log_odds);
    case Output::kOverlay:
      return DrawOverlay(bgr, mask);
    case Output::kCutout:
      return CutOut(bgr, mask);
    case Output::kClasses:
      return DetectClasses(posterior, bgr);
  }
  return {};
}

std::vector<Task> PlanTasks(const DetectOptions& options, const Run& run) {
  const fs::path folder = FileIdentity(options.output_folder);
  for (const fs::path& input : options.inputs)
    if (FileIdentity(input) == folder)
      throw Error(options.output_folder.string(),
                  "is the input folder too; its masks would be the next run's photographs (another "
                  "output folder, or one inside it)");
  const std::vector<InputFile> inputs =
      ListImages(options.inputs, options.output_folder, run.problem);
  const std::vector<std::vector<fs::path>> paths =
      OutputPaths(inputs, options.outputs, run.problem);
  std::set<fs::path> originals;
  for (const InputFile& input : inputs) originals.insert(FileIdentity(input.path));
  std::vector<Task> tasks;
  for (std::size_t i = options.shard - 1; i < inputs.size(); i += options.shard_count) {
    Task task{inputs[i].path, {}};
    for (std::size_t j = 0; j < paths[i].size(); ++j) {
      const fs::path path = options.output_folder / paths[i][j];
      std::error_code ignored;
      if (originals.count(FileIdentity(path)))
        run.problem(Error(path.string(), "is an input and is not written over").what());
      else if (!options.resume || !fs::exists(path, ignored))
        task.outputs.emplace_back(options.outputs[j], path);
    }
    if (!task.outputs.empty()) tasks.push_back(std::move(task));
  }
  return tasks;
}

// About how many pixels there are to come: JPEGs of photographs have two bits for one, and others
// more. The table of a model that needs one is built, or not, by it.
PosteriorOptions ExpectationOf(const std::vector<Task>& tasks) {
  constexpr std::uint64_t kPixelsPerByte = 4;
  PosteriorOptions expected{.expected_pixels = 0, .mask = true, .probability = false};
  for (const Task& task : tasks) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(task.input, error);
    if (!error) expected.expected_pixels += kPixelsPerByte * size;
    for (const auto& [output, path] : task.outputs)
      expected.probability |= output == Output::kProbability;
  }
  return expected;
}

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(folder.string(), "cannot be made as output folder: " + error.message());
}

Detected Process(const Task& task, const Posterior& posterior, double threshold,
                 const DetectOptions& options) {
  for (const auto& [output, path] : task.outputs) {
    MakeFolder(path.parent_path());
    RequireWritable(path, options.overwrite);
  }
  thread_local Scratch pixels, mask_pixels;
  const cv::Mat bgr = ReadImage(task.input, {.scale = options.scale, .buffer = &pixels});
  cv::Mat mask(bgr.size(), CV_8UC1, mask_pixels.Get(bgr.total()));
  const cv::Mat log_odds = options.adapter ? options.adapter->LogOdds(bgr) : cv::Mat();
  if (log_odds.empty())
    ForRows(posterior, bgr, &Posterior::MaskRow, mask);
  else
    MaskOf(log_odds, threshold).copyTo(mask);
  Detected result;
  result.pixels = bgr.total();
  result.image = {task.input, {}, bgr.size(), static_cast<std::uint64_t>(cv::countNonZero(mask))};
  for (const auto& [output, path] : task.outputs) {
    const cv::Mat picture = Render(output, posterior, bgr, log_odds, mask);
    result.files.push_back(output == Output::kClasses
                               ? EncodePalettePng(picture, ClassPalette(posterior.class_count()))
                               : EncodePng(picture));
    result.image.outputs.push_back(path);
  }
  return result;
}

}  // namespace

cv::Mat DetectMask(const Posterior& posterior, const cv::Mat& bgr) {
  cv::Mat mask;
  ForRows(posterior, bgr, &Posterior::MaskRow, mask);
  return mask;
}

cv::Mat DetectProbability(const Posterior& posterior, const cv::Mat& bgr) {
  cv::Mat probability;
  ForRows(posterior, bgr, &Posterior::ProbabilityRow, probability);
  return probability;
}

cv::Mat DetectClasses(const Posterior& posterior, const cv::Mat& bgr) {
  cv::Mat classes;
  ForRows(posterior, bgr, &Posterior::ClassRow, classes);
  return classes;
}

std::string ClassPalette(std::size_t count) {
  // Okabe and Ito's eight, which the colour-blind can tell apart, the positive class in orange and the
  // second in black; further classes take hues by the golden angle.
  static constexpr unsigned char kFirst[][3] = {{230, 159, 0}, {0, 0, 0},      {86, 180, 233}, {0, 158, 115},
                                                {240, 228, 66}, {0, 114, 178}, {213, 94, 0},   {204, 121, 167}};
  std::string rgb;
  for (std::size_t i = 0; i < count; ++i) {
    if (i < std::size(kFirst)) {
      rgb.append(std::begin(kFirst[i]), std::end(kFirst[i]));
      continue;
    }
    const cv::Mat3b hsv(1, 1, cv::Vec3b(static_cast<std::uint8_t>(i * 69 % 180), 160,
                                        static_cast<std::uint8_t>(i % 2 ? 230 : 160)));
    cv::Mat3b color;
    cv::cvtColor(hsv, color, cv::COLOR_HSV2RGB);
    rgb.append(color(0, 0).val, color(0, 0).val + 3);
  }
  return rgb;
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
  MakeFolder(options.output_folder);
  RequireWritable(options.output_folder / "mask.png", Overwrite::kYes);
  if (tasks.empty()) return;
  const Posterior posterior(model, ExpectationOf(tasks));
  RunOrdered(
      tasks.size(), run, [&](std::size_t i) { return tasks[i].input.string(); },
      [&](std::size_t i) { return Process(tasks[i], posterior, model.decision.threshold, options); },
      [&](std::size_t, Detected&& result) {
        for (std::size_t j = 0; j < result.files.size(); ++j)
          WriteFile(result.image.outputs[j], result.files[j], options.overwrite);
        done(result.image);
      });
}

}  // namespace skinmask
