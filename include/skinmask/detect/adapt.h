// Models that adapt to one image: seeds say where skin is, and both classes are fitted to this
// image, with the global model and a spatial prior around the face as further evidence.
// docs/adaptation.md has the method, docs/decisions/0011-adapt.md why it is so, docs/accuracy.md
// what it gains and docs/math.md the global model.
#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "skinmask/detect/adapt_options.h"
#include "skinmask/detect/seed_finder.h"
#include "skinmask/model/mixture.h"
#include "skinmask/model/model.h"
#include "skinmask/model/posterior.h"

namespace skinmask {

// What the pixels of one image are judged by, beside the global model.
struct Adaptation {
  CompiledMixture local;  // the image's own densities; class 0 is skin
  cv::Mat small_bgr;      // the image, of at most AdaptOptions::fit.pixels
  cv::Mat spatial_prior;  // log-odds, CV_32FC1 of its size
};

class Adapter {
 public:
  // `own_threshold` is the decision that the model was made with; log-odds come out on its scale,
  // so that a threshold asked for by the user means more or less skin as it does without
  // adaptation. Throws Error for options out of range.
  Adapter(const Model& model, double own_threshold,
          std::vector<std::unique_ptr<SeedFinder>> finders, const AdaptOptions& options = {});

  // log P(skin | pixel, image) / P(not skin | pixel, image), CV_32FC1, for MaskOf and ProbabilityOf
  // (detect_image.h); empty for an image without seeds, for which the global model is the answer.
  // Safe from many threads; the same for any number.
  cv::Mat LogOdds(const cv::Mat& bgr) const;
  // The same in two steps, the first of which sees a small image only, but for the seeds.
  std::optional<Adaptation> Adapt(const cv::Mat& bgr) const;
  cv::Mat LogOdds(const cv::Mat& bgr, const Adaptation& adaptation) const;

  const AdaptOptions& options() const { return options_; }

 private:
  friend class StreamAdapter;
  std::vector<Seed> FindSeeds(const cv::Mat& bgr) const;
  cv::Mat GlobalLogOdds(const cv::Mat& bgr) const;  // less own_log_odds_, bounded

  Posterior global_;
  std::optional<CompiledQuadratic> folded_;  // the same faster, of a model that allows it
  double own_log_odds_;
  std::vector<std::unique_ptr<SeedFinder>> finders_;
  AdaptOptions options_;
};

}  // namespace skinmask
