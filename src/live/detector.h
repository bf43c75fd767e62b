// The posterior on frames, in the layout they come in.
#pragma once

#include <optional>

#include "skinmask/posterior.h"
#include "skinmask/video.h"

namespace skinmask::live {

struct Maps {
  cv::Mat mask, probability;  // CV_8UC1, as the picture is to be seen
};

// Frames in YUV go through CompiledYuvQuadratic where the model is a quadratic, without an image in
// BGR; others through Posterior. Rows in parallel.
class Detector {
 public:
  explicit Detector(const Model& model) { SetModel(model); }

  // Instant for quadratics and mixtures; a table takes about 0.2 s.
  void SetModel(const Model& model);
  const Model& model() const { return model_; }

  Maps operator()(const VideoFrame& frame);

 private:
  const CompiledYuvQuadratic& InEncoding(const YuvEncoding& encoding);

  Model model_;
  std::optional<Posterior> posterior_;
  std::optional<YuvEncoding> encoding_;  // that `yuv_` is for
  std::optional<CompiledYuvQuadratic> yuv_;
};

}  // namespace skinmask::live
