// Whole runs over a folder of JPEGs: reading alone, with OpenCV and with TurboJPEG, and the usual
// serial loop, beside detection and training.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <turbojpeg.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "results.h"
#include "skinmask/base/file.h"
#include "skinmask/media/image.h"
#include "skinmask/model/model.h"
#include "skinmask/pipeline/collect_samples.h"
#include "skinmask/pipeline/detect_run.h"
#include "skinmask/pipeline/train.h"

namespace skinmask::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kImages = 120;

// Four copies, mirrored at their common edges.
cv::Mat Mirrored(const cv::Mat& image) {
  cv::Mat right, above, below, all;
  cv::flip(image, right, 1);
  cv::hconcat(image, right, above);
  cv::flip(above, below, 0);
  cv::vconcat(above, below, all);
  return all;
}

// A folder of photographs of 1 to 2 Mpx with their masks, made from the samples: mirrored rather
// than enlarged, since an enlarged picture is smooth and costs a decoder less than a photograph
// does.
struct Folder {
  fs::path images, masks, output;
  std::vector<std::string> files;
  double megapixels = 0;

  Folder(const fs::path& samples, const fs::path& work)
      : images(work / "images"), masks(work / "masks"), output(work / "output") {
    fs::remove_all(work);
    for (const fs::path& folder : {images, masks}) fs::create_directories(folder);
    for (const std::string name : {"grace_hopper.jpg", "astronaut.png"}) {
      const std::string stem = fs::path(name).stem().string();
      const cv::Mat photo = Mirrored(ReadImage(samples / "photos" / name));
      const cv::Mat mask = Mirrored(
          cv::imread((samples / "masks" / (stem + ".png")).string(), cv::IMREAD_GRAYSCALE));
      for (int i = 0; i < kImages / 2; ++i)
        Add(photo, mask, 1 + 0.3 * i / kImages, stem + std::to_string(i));
    }
  }

  // A file in the place of another costs more than a new one: ext4 begins to write it at once.
  void EmptyOutput() const {
    fs::remove_all(output);
    fs::create_directories(output);
  }

 private:
  void Add(const cv::Mat& photo, const cv::Mat& mask, double scale, const std::string& stem) {
    cv::Mat image, truth;
    cv::resize(photo, image, {}, scale, scale, cv::INTER_CUBIC);
    cv::resize(mask, truth, image.size(), 0, 0, cv::INTER_NEAREST);
    files.push_back((images / (stem + ".jpg")).string());
    cv::imwrite(files.back(), image, {cv::IMWRITE_JPEG_QUALITY, 90});
    WriteFile(masks / (stem + ".png"), EncodePng(truth), IfExists::kReplace);
    megapixels += static_cast<double>(image.total()) / 1e6;
  }
};

void ReadOnly(const Folder& folder) {
  tbb::parallel_for(std::size_t{0}, folder.files.size(),
                    [&](std::size_t i) { CV_Assert(!cv::imread(folder.files[i]).empty()); });
}

// What no detection in BGR can be faster than: all JPEGs to BGR, with the memory of the last one.
void DecodeOnly(const Folder& folder) {
  tbb::parallel_for(std::size_t{0}, folder.files.size(), [&](std::size_t i) {
    thread_local const std::unique_ptr<void, decltype(&tjDestroy)> decoder(tjInitDecompress(),
                                                                           tjDestroy);
    thread_local Scratch bgr;
    const std::string jpeg = ReadFile(folder.files[i]);
    const auto* const bytes = reinterpret_cast<const unsigned char*>(jpeg.data());
    int width = 0, height = 0, subsampling = 0, colorspace = 0;
    CV_Assert(tjDecompressHeader3(decoder.get(), bytes, jpeg.size(), &width, &height, &subsampling,
                                  &colorspace) == 0);
    const std::size_t size = 3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    CV_Assert(tjDecompress2(decoder.get(), bytes, jpeg.size(), bgr.Get(size), width, 0, height,
                            TJPF_BGR, 0) == 0);
  });
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

void DetectAll(const Folder& folder, const Detector& detector, FramePosterior::Pixels pixels) {
  DetectOptions options;
  options.pixels = pixels;
  options.inputs = {folder.images};
  options.output_folder = folder.output;
  std::size_t done = 0;
  Detect(options, detector, {}, [&](const DetectedImage&) { ++done; });
  CV_Assert(done == folder.files.size());
}

void DetectInBgr(const Folder& folder) {
  DetectAll(folder, Detector(DefaultModel(), nullptr), FramePosterior::Pixels::kBgr);
}
void DetectInYuv(const Folder& folder) {
  DetectAll(folder, Detector(DefaultModel(), nullptr), FramePosterior::Pixels::kYuv);
}
void DetectAdapted(const Folder& folder) {
  DetectAll(folder, Detector(DefaultModel()), FramePosterior::Pixels::kBgr);
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
    std::vector<Alternative> runs;
    const auto add = [&](const char* name, void (*run)(const Folder&)) {
      runs.push_back({name, [&folder] { folder.EmptyOutput(); }, [&folder, run] { run(folder); }});
    };
    add("folder/opencv-read-only", ReadOnly);
    if (threads == 1) add("folder/opencv-inrange-serial", SerialLoop);
    add("folder/turbojpeg-decode-only", DecodeOnly);
    add("folder/detect", DetectInBgr);
    add("folder/detect-yuv", DetectInYuv);
    add("folder/detect-adapted", DetectAdapted);
    add("folder/sample", TrainOnAll);
    const std::vector<double> seconds = FastestSecondsOf(runs);
    for (std::size_t i = 0; i < runs.size(); ++i)
      results.push_back({runs[i].name, "", threads, folder.megapixels / seconds[i]});
  }
}

}  // namespace skinmask::bench
