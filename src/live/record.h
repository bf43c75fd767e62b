// What a live run leaves: a video, a table, pictures.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "skinmask/file.h"
#include "skinmask/video.h"
#include "view.h"

namespace skinmask::live {

// A video of the frames that were worked on, each at its own time. It appears with Finish.
class Recorder {
 public:
  // `rate` as the source tells, for players that want one.
  Recorder(const std::filesystem::path& path, View view, Rational rate)
      : path_(path), view_(view), rate_(rate) {}

  View view() const { return view_; }
  const std::filesystem::path& path() const { return path_; }
  // `picture` of the view. Frames of another size than the first, from a camera that came back
  // otherwise, are scaled to it.
  void Write(const cv::Mat& picture, double seconds);
  // The number of frames; nothing is left of a recording without any.
  std::int64_t Finish();

 private:
  std::filesystem::path path_;
  View view_;
  Rational rate_;
  std::optional<VideoWriter> writer_;
  cv::Size size_;
  double start_ = 0;
  std::int64_t last_pts_ = -1;
};

// A row per frame: docs/formats.md.
class Table {
 public:
  explicit Table(const std::filesystem::path& path);
  void Row(std::uint64_t frame, double seconds, const Observation& observation,
           double latency_seconds);
  void Finish();

 private:
  std::filesystem::path path_;
  PartFile part_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

// A name for a new file in `folder`: "live-20261121-172233" and what follows; never one that
// exists.
std::filesystem::path NewName(const std::filesystem::path& folder, const std::string& suffix);

// STEM.frame.png, STEM.mask.png and STEM.probability.png; returns the first.
std::filesystem::path Snapshot(const std::filesystem::path& folder, const cv::Mat& bgr,
                               const Maps& maps);

}  // namespace skinmask::live
