// A model made ready to judge pictures and frames, with the choices that `skinmask detect` offers.
#pragma once

#include <filesystem>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "skinmask/detect/adapt.h"
#include "skinmask/detect/frame_posterior.h"
#include "skinmask/media/video.h"
#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

struct DetectorOptions {
  // kAuto: each picture is adapted to its faces, or, where there is none, divided where its own
  // colours divide; kFaces: to its faces alone; kOff: the same model for all, which is the fastest.
  // A model whose positive class is not called skin knows nothing of faces: kAuto leaves it alone.
  enum class Adapt { kAuto, kFaces, kOff };
  Adapt adapt = Adapt::kAuto;
  // Absent: the model's own. 0 to 1; above 0 and below 1.
  std::optional<double> threshold, prior;
  std::filesystem::path faces;  // a file of YuNet's; empty: the finder that is built in
  HogOptions hog;               // how that one searches
  bool refine = true;           // neighbours help each other, where faces were found
};

// "auto", "faces", "off"; AdaptFromName throws Error that lists them.
std::string_view AdaptName(DetectorOptions::Adapt adapt);
DetectorOptions::Adapt AdaptFromName(std::string_view name);
std::vector<std::string_view> AdaptNames();

// Safe from many threads; the same for any number.
class Detector {
 public:
  // Throws Error: options out of range, no such file of faces.
  explicit Detector(const Model& model, const DetectorOptions& options = {});
  // The same with another threshold; what was adapted to stays valid. Throws Error out of range.
  Detector WithThreshold(double threshold) const;

  // The mask and the probability that `skinmask detect` makes of a picture, CV_8UC3, upright:
  // CV_8UC1 of its size, into matrices that may have their memory already.
  void Mask(const cv::Mat& bgr, cv::Mat& mask) const;
  void Probability(const cv::Mat& bgr, cv::Mat& probability) const;

  // The same of a frame by its planes, without rotation. `adaptation` is null, or what adapter()
  // or a StreamAdapter of it made of the frame. `bgr` is the frame's StoredBgr; where there is no
  // adaptation and TakesYuv is true, it may be empty.
  void Mask(const VideoFrame& frame, const cv::Mat& bgr, const Adaptation* adaptation,
            cv::Mat& mask) const;
  void Probability(const VideoFrame& frame, const cv::Mat& bgr, const Adaptation* adaptation,
                   cv::Mat& probability) const;
  bool TakesYuv(const VideoFrame& frame) const { return posterior_.TakesYuv(frame); }
  // The model without adaptation.
  const Posterior& posterior() const { return posterior_.posterior(); }

  // Null where nothing is adapted.
  const std::shared_ptr<const Adapter>& adapter() const { return adapter_; }
  // As the options have it.
  const Model& model() const { return model_; }

 private:
  std::optional<Adaptation> Adapt(const cv::Mat& bgr) const;

  Model model_;
  FramePosterior posterior_;
  std::shared_ptr<const Adapter> adapter_;
};

// The threshold that `made`, a model as it was trained, has after its prior became `prior`, which
// moves all log-odds alike: what Adapter calls the model's own.
double OwnThreshold(const Model& made, double prior);

}  // namespace skinmask
