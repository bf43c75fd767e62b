// Adapting the model to each image: the colours of the faces in it say what skin looks like there,
// and the rest of the image what it does not; an image without a face is divided where its own
// colours divide. docs/adaptation.md has the reasons and what it gains, docs/math.md the global
// model.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "skinmask/detect/adapt_options.h"
#include "skinmask/detect/seed_finder.h"
#include "skinmask/model/mixture.h"
#include "skinmask/model/model.h"
#include "skinmask/model/posterior.h"

namespace [[gnu::visibility("default")]] skinmask {

// What was done to one image, for people and programs to be told.
struct AdaptationSummary {
  // kNothing: the global model as it is; kNobody: no skin, since a face is required and none found.
  enum class By { kNothing, kSeeds, kImage, kNobody };
  By by = By::kNothing;
  std::size_t faces = 0;  // that were found, and fitted to
  double shift = 0;       // kImage: what its own threshold is above the model's, in log-odds
  double stops = 0;       // how much lighter it was taken to be, without a face: powers of two

  bool operator==(const AdaptationSummary&) const = default;
};

// What the pixels of one image are judged by: log-odds are
//   local_weight * local + global_weight * (global - shift) + offset + slope . colour,
// of the pixel's own B, G and R (0 to 255), before the model's AdaptedCalibration. Slopes and
// offset are maps with a cell for each square of pixels that the small image averages, and hold
// what the place says of the pixel: the spatial prior, and what its neighbours are. Local and
// global log-odds are those of the colour in another light, if there is one. In a stream these sums
// move by up to `slack` towards `expected`, what the small images have said of the place: noise of
// single pixels has no say then.
struct Adaptation {
  std::vector<std::uint8_t> light;       // what each byte of the picture counts as; empty: itself
  std::optional<CompiledMixture> local;  // the image's own densities, class 0 is skin; or none
  std::vector<Quadratic> distances;      // squared Mahalanobis, from each Gaussian of `local`
  double shift = 0;                      // of the global log-odds
  cv::Mat offset;                        // CV_32FC1 of the small image's size
  std::array<cv::Mat, 3> slope;          // the same, for each level of B, G and R; or empty
  cv::Mat expected;                      // as the offset; or empty
  double slack = 0;                      // log-odds
  AdaptationSummary summary;
  std::vector<Face> faces;  // that were found, and fitted to

  // The pixels of a row in that light: `bgr` itself, or valid until this thread's next call.
  const std::uint8_t* InLight(const std::uint8_t* bgr, int width) const;
};

class AdaptedRows;
struct OutputScale;
struct ImageModel;
class ImageHistogram;
struct Division;

class Adapter {
 public:
  // `own_threshold` is the decision that the model was made with; log-odds come out on its scale,
  // so that a threshold asked for by the user means more or less skin as it does without
  // adaptation. Throws Error for options out of range.
  Adapter(const Model& model, double own_threshold,
          std::vector<std::unique_ptr<SeedFinder>> finders, const AdaptOptions& options = {});

  // log P(skin | pixel, image) / P(not skin | pixel, image), CV_32FC1, for MaskOf and ProbabilityOf
  // (detect_image.h); empty where there is nothing to adapt to, for which the global model is the
  // answer. Safe from many threads; the same for any number.
  cv::Mat LogOdds(const cv::Mat& bgr) const;
  // The same in two steps, the first of which sees a small image only, but for the seeds. Here and
  // below `bgr` has the size of the image that was adapted to; another one is an Error.
  std::optional<Adaptation> Adapt(const cv::Mat& bgr) const;
  cv::Mat LogOdds(const cv::Mat& bgr, const Adaptation& adaptation) const;

  // What MaskOf and ProbabilityOf make of these log-odds, to the bit, CV_8UC1, into matrices that
  // may have their memory already. No float of each pixel is stored, and all Gaussians are asked
  // only where the likeliest ones do not decide: for an image with one face a mask takes 3 ns a
  // pixel on one core with AVX-512, a probability 4 (6 where a calibration makes log-odds much
  // smaller, as the default model's does), log-odds 6.
  void Mask(const cv::Mat& bgr, const Adaptation& adaptation, double threshold,
            cv::Mat& mask) const {
    Judge(bgr, adaptation, threshold, &mask, nullptr);
  }
  void Probability(const cv::Mat& bgr, const Adaptation& adaptation, cv::Mat& probability) const {
    Judge(bgr, adaptation, 0.5, nullptr, &probability);
  }
  // Both in little more time than the second.
  void MaskAndProbability(const cv::Mat& bgr, const Adaptation& adaptation, double threshold,
                          cv::Mat& mask, cv::Mat& probability) const {
    Judge(bgr, adaptation, threshold, &mask, &probability);
  }

  const AdaptOptions& options() const { return options_; }
  // Of the finders, with '+' between; empty: there is none.
  std::string finder_names() const;

 private:
  friend class StreamAdapter;
  std::vector<Seed> FindSeeds(const cv::Mat& bgr) const;
  std::optional<Adaptation> AdaptToSeeds(const cv::Mat& small_bgr, const std::vector<Seed>& found,
                                         const cv::Size& image) const;
  static Adaptation AdaptedToSeeds(const ImageModel& model, const cv::Mat& spatial_prior,
                                   std::vector<Face> faces);
  std::optional<Adaptation> AdaptToImage(const cv::Mat& small_bgr) const;
  // Null where that is the global model as it is. `small_bgr` is in its light, of `stops` more.
  std::optional<Adaptation> AdaptedToImage(const cv::Mat& small_bgr,
                                           const std::optional<ImageModel>& model,
                                           const Division& division, double stops) const;
  // Less own_log_odds_ and `shift`, bounded.
  cv::Mat GlobalLogOdds(const cv::Mat& bgr, double most, double shift = 0) const;
  // What the decision is made of in the small image, before calibration: 0 at the model's own
  // threshold. CV_32FC1.
  cv::Mat EvidenceOf(const cv::Mat& small_bgr, const Adaptation& adaptation) const;
  const AdaptOptions& OptionsOf(const Adaptation& adaptation) const;
  const CalibrationCurve& CurveOf(const Adaptation& adaptation) const;
  // A cell of the adaptation's maps is for `side` x `side` pixels.
  AdaptedRows RowsOf(const Adaptation& adaptation, int side, const OutputScale& scale) const;
  AdaptedRows RowsOf(const cv::Mat& bgr, const Adaptation& adaptation) const;
  // Makes what is not null.
  void Judge(const cv::Mat& bgr, const Adaptation& adaptation, double threshold, cv::Mat* mask,
             cv::Mat* probability) const;

  Posterior global_;
  std::optional<Quadratic> folded_;  // the same faster, of a model that allows it
  double own_log_odds_;
  AdaptedCalibration calibration_;
  std::vector<std::unique_ptr<SeedFinder>> finders_;
  AdaptOptions options_;
  AdaptOptions image_options_;  // the same, with the fit of images without seeds
};

}  // namespace skinmask
