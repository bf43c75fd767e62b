// Models that adapt to one image: seeds say where skin is, and both classes are fitted to this
// image, with the global model and the place relative to the face as further evidence (docs/math.md
// has the global model; docs/decisions/0011-adapt.md says what was chosen and why).
#pragma once

#include <filesystem>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "skinmask/model/mixture.h"
#include "skinmask/model/model.h"
#include "skinmask/model/posterior.h"

namespace skinmask {

// Where one person's skin is.
struct Seed {
  cv::Rect box;          // within the image: a face as detectors frame it, or any region
  bool face = true;      // skin is then expected in an ellipse of the box, and below it
  cv::Mat skin;          // CV_8UC1 of the box's size, nonzero where skin; empty: all of the box
                         // (of a face: its inner ellipse)
  bool certain = false;  // a face needs no agreement of the global model, whatever the light
};

// Anything that finds seeds: cascades, another detector, the user. Find is safe from many threads
// and depends on the image alone; `bgr` is CV_8UC3.
class SeedFinder {
 public:
  virtual ~SeedFinder() = default;
  virtual std::vector<Seed> Find(const cv::Mat& bgr) const = 0;
};

// Faces by an OpenCV cascade, looked for on a grey picture of at most 0.115 Mpx (about 60 ms).
// `cascade` is a cascade file or a folder of haarcascade_frontalface_alt2.xml; empty: where the
// package opencv-data has it. Throws Error when there is none.
std::unique_ptr<SeedFinder> FaceFinder(const std::filesystem::path& cascade = {});
// The same seeds for every image. A box that is not within an image, or a mask of another size, is
// an Error of that image.
std::unique_ptr<SeedFinder> FixedSeed(const cv::Rect& box);
std::unique_ptr<SeedFinder> FixedSeed(const std::filesystem::path& mask_file);  // above 127 is skin

enum class Refine {
  kOff,
  kGuided,  // mean field, neighbours weighing as a guided filter has them (He, Sun, Tang 2010)
};

// What the pixels of one image are judged by: its own densities, and the place.
struct Adaptation {
  CompiledMixture local;  // class 0 is skin
  cv::Mat small_bgr;      // the image, of some 10,000 pixels
  cv::Mat place;          // log-odds by place, CV_32FC1 of its size
};

class Adapter {
 public:
  // `own_threshold` is the decision that the model was made with; log-odds come out on its scale,
  // so that a threshold asked for by the user means more or less skin as it does without
  // adaptation.
  Adapter(const Model& model, double own_threshold,
          std::vector<std::unique_ptr<SeedFinder>> finders, Refine refine);

  // log P(skin | pixel, image) / P(not skin | pixel, image), CV_32FC1; empty for an image without
  // seeds, for which the global model is the answer. Safe from many threads; the same for any
  // number.
  cv::Mat LogOdds(const cv::Mat& bgr) const;
  // The same in two steps, the first of which sees a small picture only, but for the seeds.
  std::optional<Adaptation> Adapt(const cv::Mat& bgr) const;
  cv::Mat LogOdds(const cv::Mat& bgr, const Adaptation& adaptation) const;

 private:
  friend class StreamAdapter;
  std::vector<Seed> FindSeeds(const cv::Mat& bgr) const;
  cv::Mat GlobalLogOdds(const cv::Mat& bgr) const;  // less own_log_odds_, bounded

  Posterior global_;
  std::optional<CompiledQuadratic> folded_;  // the same faster, of a model that allows it
  double own_log_odds_;
  std::vector<std::unique_ptr<SeedFinder>> finders_;
  Refine refine_;
};

// 255 where the log-odds are above the threshold's, else 0; round(255 P). CV_8UC1.
cv::Mat MaskOf(const cv::Mat& log_odds, double threshold);
cv::Mat ProbabilityOf(const cv::Mat& log_odds);

}  // namespace skinmask
