// Fits two mixtures of Gaussians to the colours of one image: one of skin, one of the background.
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
  std::vector<ColorGaussian> skin;        // one for each colour prior, with weights n
  std::vector<ColorGaussian> background;  // with weights n
  Message message;  // of the neighbours of the small image's pixels; empty: no refinement
};
// The components for CompiledMixture: class 0 is skin.
std::vector<MixtureComponent> Components(const ImageModel& model);
// The squared Mahalanobis distances to its Gaussians.
std::vector<Quadratic> Distances(const ImageModel& model);

// Evidence for each pixel besides the local densities, CV_32FC1 of the image's size.
struct Evidence {
  const cv::Mat& global_log_odds;  // less those of the model's threshold
  const cv::Mat& spatial_prior;
  double face_size = 0;  // of the median face in the small image; 0: there is none
  std::optional<ColorGaussian> hair = {};  // the start of one Gaussian of the background
};

// Fits both mixtures to a small image by EM, with the colour priors of its seeds (seed_priors.h).
// Absent if there is no colour prior, or too few pixels differ from them. About 3 ms.
std::optional<ImageModel> FitToImage(const cv::Mat& bgr,
                                     std::span<const ColorGaussian> color_priors,
                                     const Evidence& evidence, const AdaptOptions& options);

// The same for an image without seeds, by log-odds relative to its division (image_decision.h):
// skin starts with all pixels above 0, the background with all others. Absent if either has too
// few.
std::optional<ImageModel> FitToSides(const cv::Mat& bgr, const cv::Mat& log_odds,
                                     const AdaptOptions& options);

// The messages of neighbours in another image, by the colours of this model; empty without
// refinement.
Message MessageOf(const ImageModel& model, const cv::Mat& bgr, const Evidence& evidence,
                  const AdaptOptions& options);

}  // namespace skinmask
