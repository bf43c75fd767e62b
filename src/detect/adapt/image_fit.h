// The colours of one image are fitted by mixtures of Gaussians, one of skin and one of the
// background.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <span>
#include <vector>

#include "detect/adapt/color_gaussian.h"
#include "detect/adapt/refine.h"
#include "skinmask/detect/adapt_options.h"
#include "skinmask/model/mixture.h"
#include "skinmask/model/outliers.h"

namespace skinmask {

struct ImageModel {
  std::vector<ColorGaussian> skin;        // those of the colour priors, weighing as their n
  std::vector<ColorGaussian> background;  // weighing as their n
  Message message;  // of the neighbours of each pixel of the small image; empty: not refined
};
// The same for CompiledMixture: class 0 is skin.
std::vector<MixtureComponent> Components(const ImageModel& model);
// The squared Mahalanobis distances from its Gaussians.
std::vector<Quadratic> Distances(const ImageModel& model);

// What else is known of each pixel, CV_32FC1 of the image's size.
struct Evidence {
  const cv::Mat& global_log_odds;  // less those of the model's threshold
  const cv::Mat& spatial_prior;
  double face_size = 0;  // of the middle one of the faces in it; 0: there are none
  std::optional<ColorGaussian> hair = {};  // where a Gaussian of the background begins
};

// Fits both mixtures to a small image by EM, with the colour priors of its seeds (seed_priors.h).
// Absent when there are none, or too few pixels are unlike them. About 3 ms.
std::optional<ImageModel> FitToImage(const cv::Mat& bgr,
                                     std::span<const ColorGaussian> color_priors,
                                     const Evidence& evidence, const AdaptOptions& options);

// The same for an image without seeds, by the log-odds of its own decision (image_decision.h): skin
// begins as all pixels of positive ones, the background as all others. Absent where either are too
// few.
std::optional<ImageModel> FitToSides(const cv::Mat& bgr, const cv::Mat& log_odds,
                                     const AdaptOptions& options);

// What the neighbours of each pixel of another image say, by the colours of this model; nothing
// where they are not heard.
Message MessageOf(const ImageModel& model, const cv::Mat& bgr, const Evidence& evidence,
                  const AdaptOptions& options);

}  // namespace skinmask
