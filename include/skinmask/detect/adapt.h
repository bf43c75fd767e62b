// The model is adapted to each image. The colours of the faces in the image show what skin looks
// like there, and the other pixels show what it does not look like. An image without a face is
// divided at a valley in the histogram of its log-odds. docs/adaptation.md has the reasons and the
// gain, docs/math.md the global model.
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

// How the model was adapted to one image, for messages and reports.
struct AdaptationSummary {
  // kNothing: the global model, not fitted to the image. kSeeds: fitted to faces or seeds. kImage:
  // divided by the image's own colours. kNobody: no pixel is skin, because a face is required and
  // none was found.
  enum class By { kNothing, kSeeds, kImage, kNobody };
  By by = By::kNothing;
  std::size_t faces = 0;  // faces that the model was fitted to
  double shift = 0;       // kImage: the image's own threshold less the model's, in log-odds
  double stops = 0;       // without a face: brightened by this, in stops (powers of two)
  // The image has one hue for each lightness (sepia, toned, grey), so that hue tells nothing: it
  // was classified as its grey version.
  bool monochrome = false;
  bool cool = false;  // without a face: judged as taken in cool light
  // In a stream, kSeeds: fitted to the colours of faces that were in earlier frames.
  bool remembered = false;
  bool unclear = false;  // without a face: no part is skin, because too much is nearly skin
  // P(some of the image is skin), among as many images with skin as without; absent if it is not
  // known (the trained model alone, or a face is required and none was found). Masks ignore it.
  std::optional<double> any_skin{};

  bool operator==(const AdaptationSummary&) const = default;
};

// How the pixels of one image are classified. The log-odds of a pixel are
//   local_weight * local + global_weight * (global - shift) + offset + slope . colour
// with the pixel's own B, G and R (0 to 255), before the model's AdaptedCalibration. Slopes and
// offset are maps with one cell for each square of pixels that the small image averages. They hold
// the spatial prior and the message of the neighbouring pixels. Local and global log-odds are
// computed from the colour after `light`. In a stream the sum moves by up to `slack` towards
// `expected`, the smoothed log-odds of the small images, which removes the noise of single pixels.
// In cells that are far from skin, the sum is bounded, since hardly a pixel there is skin; for a
// mask of a threshold above this bound none of them is evaluated.
struct Adaptation {
  std::vector<std::uint8_t> light;       // B, G, R that replace bytes 0 to 255; empty: as they are
  std::optional<CompiledMixture> local;  // the image's own densities, class 0 is skin; or none
  std::vector<Quadratic> distances;      // squared Mahalanobis distance to each Gaussian of `local`
  double shift = 0;                      // subtracted from the global log-odds
  cv::Mat offset;                        // CV_32FC1 of the small image's size
  std::array<cv::Mat, 3> slope;          // the same size, per grey level of B, G and R; or empty
  cv::Mat expected;                      // the same size; or empty
  double slack = 0;                      // log-odds
  cv::Mat far;  // 255: far from skin, else 0; CV_8UC1, the same size; or empty
  AdaptationSummary summary;
  std::vector<Face> faces;  // that the model was fitted to

  // The pixels of a row in grey, if the image is monochrome, and after `light`: `bgr` itself, or
  // memory that is valid until this thread's next call.
  const std::uint8_t* InLight(const std::uint8_t* bgr, int width) const;
};

class AdaptedRows;
struct OutputScale;
struct ImageModel;
struct ImagePast;
struct ImageView;

class Adapter {
 public:
  // `own_threshold` is the threshold on P(skin) that the model was made with. Adapted log-odds are
  // on the scale of the model's own, so that a user's threshold changes the amount of skin as it
  // does without adaptation. Throws Error for options out of range.
  Adapter(const Model& model, double own_threshold,
          std::vector<std::unique_ptr<SeedFinder>> finders, const AdaptOptions& options = {});

  // Works on a small image only, except for finding the seeds. Absent if there is nothing to adapt
  // to; the global model is then the answer. Safe from many threads; the results of this class do
  // not depend on their number.
  std::optional<Adaptation> Adapt(const cv::Mat& bgr) const;
  // log P(skin | pixel, image) / P(not skin | pixel, image), CV_32FC1, for MaskOf and ProbabilityOf
  // (detect_image.h). Here and below `bgr` must have the size of the image that was adapted to;
  // a size with another small image is an Error.
  cv::Mat LogOdds(const cv::Mat& bgr, const Adaptation& adaptation) const;

  // The same as MaskOf and ProbabilityOf of these log-odds, to the bit, CV_8UC1, in `memory` if it
  // fits. No log-odds are stored, and all Gaussians are evaluated only where the likeliest ones do
  // not decide. For an image with one face a mask takes 3 ns a pixel on one core with AVX-512, a
  // probability 4 (6 if a calibration shrinks the log-odds much, as the default model's does),
  // log-odds 6.
  cv::Mat Mask(const cv::Mat& bgr, const Adaptation& adaptation, double threshold,
               cv::Mat memory = {}) const {
    Judge(bgr, adaptation, threshold, &memory, nullptr);
    return memory;
  }
  cv::Mat Probability(const cv::Mat& bgr, const Adaptation& adaptation, cv::Mat memory = {}) const {
    Judge(bgr, adaptation, 0.5, nullptr, &memory);
    return memory;
  }
  // Both, into matrices that may have their memory already, in little more time than the
  // probability alone.
  void MaskAndProbability(const cv::Mat& bgr, const Adaptation& adaptation, double threshold,
                          cv::Mat& mask, cv::Mat& probability) const {
    Judge(bgr, adaptation, threshold, &mask, &probability);
  }

  const AdaptOptions& options() const { return options_; }
  // The names of the finders, joined by '+'; empty if there is none.
  std::string finder_names() const;

 private:
  friend class StreamAdapter;
  std::vector<Seed> FindSeeds(const cv::Mat& bgr) const;
  std::optional<Adaptation> AdaptToSeeds(const cv::Mat& small_bgr, const std::vector<Seed>& found,
                                         const cv::Size& image) const;
  // `faces` are those of the `seeds`, a number; 0: of faces that have left.
  static Adaptation AdaptedToSeeds(const ImageModel& model, const cv::Mat& spatial_prior,
                                   std::vector<Face> faces, std::size_t seeds);
  // For an image without seeds: fitted to its own colours, in the light in which its skin stands
  // apart. `past` is what earlier frames have taught; it moves towards this frame by the share
  // `rate`.
  Adaptation AdaptToImage(const cv::Mat& small_bgr, bool is_monochrome, ImagePast& past,
                          double rate) const;
  // The same in the light of these gains of B, G and R (image_decision.h).
  struct Divided;
  Divided Divide(const cv::Mat& small_bgr, const std::array<double, 3>& gains,
                 std::optional<ImageView>& past, double rate) const;
  // The result is the global model unchanged.
  bool IsGlobal(const Adaptation& adaptation) const;
  // The global log-odds less own_log_odds_ and `shift`, clamped to +-`most`.
  cv::Mat GlobalLogOdds(const cv::Mat& bgr, double most, double shift = 0) const;
  // The log-odds of the small image's pixels before calibration, less the model's own threshold.
  // CV_32FC1.
  cv::Mat EvidenceOf(const cv::Mat& small_bgr, const Adaptation& adaptation) const;
  const AdaptOptions& OptionsOf(const Adaptation& adaptation) const;
  const CalibrationCurve& CurveOf(const Adaptation& adaptation) const;
  // Each cell of the adaptation's maps covers `side` x `side` pixels.
  AdaptedRows RowsOf(const Adaptation& adaptation, int side, const OutputScale& scale) const;
  AdaptedRows RowsOf(const cv::Mat& bgr, const Adaptation& adaptation) const;
  // Makes each output that is not null.
  void Judge(const cv::Mat& bgr, const Adaptation& adaptation, double threshold, cv::Mat* mask,
             cv::Mat* probability) const;

  Posterior global_;
  std::optional<Quadratic> folded_;  // faster, if Quadratic::CanFold(model)
  double own_log_odds_;
  AdaptedCalibration calibration_;
  std::vector<std::unique_ptr<SeedFinder>> finders_;
  AdaptOptions options_;
  AdaptOptions image_options_;  // the same with ImageDecisionOptions' fit and weights
};

}  // namespace skinmask
