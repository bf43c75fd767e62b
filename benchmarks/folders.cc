// Whole runs over a folder of JPEGs: reading alone and the usual serial loop, both with OpenCV, beside
// detection and training.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "results.h"
#include "skinmask/image.h"
#include "skinmask/pipeline.h"

namespace skinmask::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kImages = 96;

// A folder of photographs between 1 and 3 Mpx with their masks, made once from the samples.
struct Folder {
  fs::path images, masks, output;
  std::vector<std::string> files;
  double megapixels = 0;

  Folder(const fs::path& samples, const fs::path& work)
      : images(work / "images"), masks(work / "masks"), output(work / "output") {
    for (const fs::path& folder : {images, masks, output}) fs::create_directories(folder);
    const std::vector<std::string> names{"grace_hopper.jpg", "astronaut.png"};
    for (int i = 0; i < kImages; ++i) {
      const std::string& name = names[static_cast<std::size_t>(i) % names.size()];
      const std::string stem = fs::path(name).stem().string();
      const cv::Mat photo = cv::imread((samples / "photos" / name).string());
      const cv::Mat mask = cv::imread((samples / "masks" / (stem + ".png")).string(), cv::IMREAD_GRAYSCALE);
      const double scale = 2 + 0.012 * i;
      cv::Mat large, large_mask;
      cv::resize(photo, large, {}, scale, scale, cv::INTER_CUBIC);
      cv::resize(mask, large_mask, large.size(), 0, 0, cv::INTER_NEAREST);
      const std::string number = std::to_string(100 + i);
      files.push_back((images / (number + ".jpg")).string());
      cv::imwrite(files.back(), large, {cv::IMWRITE_JPEG_QUALITY, 90});
      WriteFile(masks / (number + ".png"), EncodePng(large_mask), Overwrite::kYes);
      megapixels += static_cast<double>(large.total()) / 1e6;
    }
  }
};

void ReadOnly(const Folder& folder) {
  tbb::parallel_for(std::size_t{0}, folder.files.size(),
                    [&](std::size_t i) { CV_Assert(!cv::imread(folder.files[i]).empty()); });
}

// What is found in tutorials.
void SerialLoop(const Folder& folder) {
  for (const std::string& file : folder.files) {
    cv::Mat converted, mask;
    cv::cvtColor(cv::imread(file), converted, cv::COLOR_BGR2YCrCb);
    cv::inRange(converted, cv::Scalar(0, 133, 77), cv::Scalar(255, 173, 127), mask);
    cv::imwrite((folder.output / fs::path(file).stem()).string() + ".png", mask);
  }
}

void DetectAll(const Folder& folder) {
  DetectOptions options;
  options.inputs = {folder.images};
  options.output_folder = folder.output;
  options.overwrite = Overwrite::kYes;
  std::size_t done = 0;
  Detect(options, DefaultModel(), {}, [&](const DetectedImage&) { ++done; });
  CV_Assert(done == folder.files.size());
}

void TrainOnAll(const Folder& folder) {
  PairOptions pairs;
  pairs.images = folder.images;
  pairs.masks = folder.masks;
  pairs.groups = false;
  const Model model = Train(CollectSamples(pairs, {}), {}, {});
  CV_Assert(model.classes.size() == 2);
}

}  // namespace

void BenchFolders(const std::string& samples, const std::string& work, Results& results) {
  const Folder folder(samples, work);
  for (const int threads : ThreadCounts()) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(threads));
    cv::setNumThreads(1);  // many images at a time: threads within one would be in the way
    const auto add = [&](const char* name, void (*run)(const Folder&)) {
      constexpr int kRepeats = 3;
      const double seconds = FastestSeconds([&] { run(folder); }, kRepeats, 0);
      results.push_back({name, "", threads, folder.megapixels / seconds});
    };
    add("folder/opencv-read-only", ReadOnly);
    if (threads == 1) add("folder/opencv-inrange-serial", SerialLoop);
    add("folder/detect", DetectAll);
    add("folder/sample", TrainOnAll);
  }
}

}  // namespace skinmask::bench
