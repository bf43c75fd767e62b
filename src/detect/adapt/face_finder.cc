#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <opencv2/imgproc.hpp>

#include "detect/adapt/opencv_cascade.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/seed_finder.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

constexpr char kFileName[] = "haarcascade_frontalface_alt2.xml";
constexpr const char* kFolders[] = {"/usr/share/opencv4/haarcascades",
                                    "/usr/share/opencv/haarcascades",
                                    "/usr/local/share/opencv4/haarcascades"};
constexpr int kLeastFace = 20;  // the size that the cascade was trained at

fs::path CascadeFile(const fs::path& given) {
  std::error_code ignored;
  constexpr char kHint[] = "install the Debian package opencv-data, or name a cascade file";
  if (given.empty()) {
    for (const char* folder : kFolders)
      if (fs::exists(fs::path(folder) / kFileName, ignored)) return fs::path(folder) / kFileName;
    throw Error((fs::path(kFolders[0]) / kFileName).string(),
                fmt::format("is not there ({})", kHint));
  }
  const fs::path file = fs::is_directory(given, ignored) ? given / kFileName : given;
  if (!fs::exists(file, ignored))
    throw Error(file.string(), fmt::format("is not there ({})", kHint));
  return file;
}

Cascade LoadCascade(const fs::path& file) {
  if (Cascade cascade = ReadCascade(file.string())) return cascade;
  throw Error(file.string(),
              "is no cascade that OpenCV reads (one of the Debian package opencv-data)");
}

class CascadeFaces : public SeedFinder {
 public:
  CascadeFaces(const fs::path& file, const FaceSearchOptions& options)
      : file_(file), options_(options) {
    idle_.push_back(LoadCascade(file_));
  }

  std::vector<Seed> Find(const cv::Mat& bgr) const override {
    const double scale =
        std::min(1., std::sqrt(options_.searched_pixels / static_cast<double>(bgr.total())));
    cv::Mat grey;
    cv::cvtColor(bgr, grey, cv::COLOR_BGR2GRAY);
    if (scale < 1) cv::resize(grey, grey, {}, scale, scale, cv::INTER_AREA);
    const int least = std::max(
        kLeastFace, static_cast<int>(options_.min_face_share * std::min(grey.rows, grey.cols)));
    std::vector<cv::Rect> found;
    std::vector<int> hits;
    Cascade cascade = Take();
    cascade->detectMultiScale(grey, found, hits, options_.scale_factor, options_.min_neighbours, 0,
                              {least, least}, {});
    Give(std::move(cascade));
    std::vector<Seed> seeds;
    const double width = static_cast<double>(bgr.cols) / grey.cols;
    const double height = static_cast<double>(bgr.rows) / grey.rows;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const cv::Rect& r = found[i];
      const cv::Rect box(cv::Point(cvRound(r.x * width), cvRound(r.y * height)),
                         cv::Point(cvRound(r.br().x * width), cvRound(r.br().y * height)));
      seeds.push_back(
          {box & cv::Rect({}, bgr.size()), true, {}, hits[i] >= options_.certain_neighbours});
    }
    // Whatever order they were found in.
    std::ranges::sort(seeds, {}, [](const Seed& s) {
      return std::tuple(s.box.y, s.box.x, s.box.height, s.box.width);
    });
    return seeds;
  }

 private:
  // A cascade keeps the picture it works on, so every thread needs its own.
  Cascade Take() const {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        Cascade cascade = std::move(idle_.back());
        idle_.pop_back();
        return cascade;
      }
    }
    return LoadCascade(file_);
  }
  void Give(Cascade cascade) const {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(cascade));
  }

  fs::path file_;
  FaceSearchOptions options_;
  mutable std::mutex mutex_;
  mutable std::vector<Cascade> idle_;
};

}  // namespace

std::unique_ptr<SeedFinder> FaceFinder(const fs::path& cascade, const FaceSearchOptions& options) {
  options.Validate();
  return std::make_unique<CascadeFaces>(CascadeFile(cascade), options);
}

}  // namespace skinmask
