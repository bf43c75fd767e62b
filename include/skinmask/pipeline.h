// Whole runs: samples from pairs, training, detection over folders, evaluation. Each is one call that
// works in parallel (as many threads as TBB is allowed), reports in order, and never depends on the
// number of threads. The library prints nothing: what happens is told to the `Run`.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skinmask/decision.h"
#include "skinmask/evaluation.h"
#include "skinmask/file.h"
#include "skinmask/fit.h"
#include "skinmask/frame_posterior.h"
#include "skinmask/mask.h"
#include "skinmask/media.h"
#include "skinmask/model.h"
#include "skinmask/posterior.h"
#include "skinmask/region.h"
#include "skinmask/samples.h"

namespace skinmask {

class Adapter;  // skinmask/adapt.h

// How a run is watched and stopped.
struct Run {
  LineSink problem = [](const std::string&) {};  // one line per file that could not be done
  LineSink warning = [](const std::string&) {};
  // `total` is 0 where it is not known. `counting` comes before when what is counted changes, and
  // everything starts at 0 again: "frames of b.mp4".
  std::function<void(std::size_t done, std::size_t total, std::uint64_t pixels)> progress =
      [](std::size_t, std::size_t, std::uint64_t) {};
  std::function<void(const std::string& unit)> counting = [](const std::string&) {};
  const std::atomic<bool>* stop = nullptr;  // when set: finish what is in flight, then return
};

// ---- Detection ------------------------------------------------------------------------------------

// Rows of an image in parallel; `bgr` is CV_8UC3, results are CV_8UC1 of its size.
cv::Mat DetectMask(const Posterior& posterior, const cv::Mat& bgr);
cv::Mat DetectProbability(const Posterior& posterior, const cv::Mat& bgr);
cv::Mat DetectClasses(const Posterior& posterior, const cv::Mat& bgr);  // index into Model::classes

// The picture darkened where there is no skin, with the border of the skin drawn in; and the picture
// as BGRA with the mask as alpha.
cv::Mat DrawOverlay(const cv::Mat& bgr, const cv::Mat& mask);
cv::Mat CutOut(const cv::Mat& bgr, const cv::Mat& mask);
cv::Mat BlackOut(const cv::Mat& bgr, const cv::Mat& mask);  // the same on black, for videos
// Colours for `count` classes, three bytes R G B each; and indices (CV_8UC1) in such colours (CV_8UC3).
std::string ClassPalette(std::size_t count);
cv::Mat InPalette(const cv::Mat& indices, const std::string& rgb);

// What was found in one frame of a video.
struct DetectedFrame {
  std::filesystem::path input;
  std::int64_t index = 0;   // from 0
  double seconds = 0;       // since the first frame
  std::uint64_t pixels = 0;
  std::uint64_t skin_pixels = 0;
  std::optional<Region> region;  // of the probability map; absent where that is 0 all over
};

struct VideoOutputOptions {
  bool png_frames = false;  // a folder of images for each video: 000000.png, 000000.overlay.png, ...
  std::string codec;        // FFmpeg's name of the encoder of what is not a picture; empty: ffv1
  FramePosterior::Pixels pixels = FramePosterior::Pixels::kYuv;
  // Called for each frame in order; empty: nobody wants to know, and nothing is measured for it.
  std::function<void(const DetectedFrame&)> frame;
};

struct DetectOptions {
  std::vector<std::filesystem::path> inputs;  // images, videos, folders of both
  std::filesystem::path output_folder;
  std::vector<Output> outputs{Output::kMask};
  Overwrite overwrite = Overwrite::kNo;
  bool resume = false;                       // leave out inputs whose outputs are all there
  std::size_t shard = 1, shard_count = 1;    // every shard_count-th input, from the shard-th
  int scale = 1;                             // 1, 2, 4 or 8: as DecodeOptions::scale; not for videos
  VideoOutputOptions video;
  std::shared_ptr<const Adapter> adapter;    // null: the same model for every image
};

struct DetectedImage {
  std::filesystem::path input;
  std::vector<std::filesystem::path> outputs;
  cv::Size size;
  std::uint64_t skin_pixels = 0;
  std::int64_t frames = 0;  // of a video; 0: an image
  Rational rate{};          // of a video
  double SkinFraction() const;
};

// Throws Error when nothing can be done at all (an output folder that cannot be made, outputs over
// inputs). `done` is called for each image in order, and then for each video. A video whose data are
// damaged is a problem, and its outputs hold the frames before; one that a stop interrupts leaves no
// output (single frames stay, which a run with `resume` completes).
void Detect(const DetectOptions& options, const Model& model, const Run& run,
            const std::function<void(const DetectedImage&)>& done);

// ---- Image + mask pairs ---------------------------------------------------------------------------

struct PairOptions {
  std::filesystem::path images;
  std::filesystem::path masks;               // unused with whole_class
  std::string image_name = "{stem}";
  std::string mask_name = "{stem}";
  std::vector<std::string> labels, ignored;  // as MaskRule takes them
  bool invert = false;
  std::string whole_class;  // no mask files: every pixel of every image is of this class
  int step = 1;             // for samples: every step-th pixel of every step-th row
  bool groups = true;       // for samples: number the images; otherwise all are group 0
};

// Counted colours of all pairs, the images numbered as groups from 1 in the order of their names.
// Memory: the table, 24 bytes per distinct colour of each group.
Samples CollectSamples(const PairOptions& options, const Run& run);

// ---- Evaluation -----------------------------------------------------------------------------------

// Confusion counts and everything derived; ratios are absent where they are 0/0 or there are no
// scores.
struct Metrics {
  Confusion counts;
  std::optional<double> accuracy, precision, recall, specificity, f1, iou;
  std::optional<double> auc, average_precision, brier;
};
Metrics MetricsOf(const Evaluation& evaluation);

// One of the pixels that were judged, for plots.
struct DrawnPixel {
  std::array<std::uint8_t, 3> bgr;
  bool positive;
};

struct EvaluationReport {
  std::string positive = "skin";
  Metrics pooled;  // over all pixels of all images
  std::vector<std::pair<std::string, Metrics>> images;
  std::optional<Scores> scores;  // pooled
  std::optional<Decision> decision;  // how the model decided; absent where masks are judged
  std::optional<ClassCounts> classes;  // of a model of more than two classes
  std::vector<DrawnPixel> drawn;  // some thousand pixels, evenly over images; none for masks
};

// The model on images against their masks; every class but `model.positive()` is negative. With an
// adapter its log-odds count, in images that it adapts to.
EvaluationReport EvaluateImages(const PairOptions& options, const Model& model, const Run& run,
                                const Adapter* adapter = nullptr);
// Masks made before (`options.images`) against ground truth (`options.masks`): above 127 is positive.
// The outputs of `detect` other than masks are passed over.
EvaluationReport EvaluatePredicted(const PairOptions& options, const Run& run);
// {"pooled": {...}, "mean_per_image": {...}, "images": [...]}: docs/formats.md.
std::string ReportToJson(const EvaluationReport& report);
// Mean over images of each ratio, over those images where it is defined; means of the counts.
std::vector<std::pair<std::string, std::optional<double>>> MeanPerImage(
    const EvaluationReport& report);
std::vector<std::pair<std::string, std::optional<double>>> Ratios(const Metrics& metrics);

// ---- Training -------------------------------------------------------------------------------------

struct TrainOptions {
  FitOptions fit;
  DecisionRule rule;  // on pooled pixels
  // Data to choose the threshold on and to score the model with; none: the training samples.
  std::optional<PairOptions> validation;
  std::string validation_name;
  std::optional<Samples> calibration;  // held-out data to calibrate the log-odds on
  std::string calibration_name;
  std::vector<std::pair<std::string, std::string>> notes;  // for the card
};

// Fits, calibrates, chooses the threshold, scores the model at 0.5 and at its threshold, and fills the card. After
// a stop what it returns is of no use.
Model Train(const Samples& samples, const TrainOptions& options, const Run& run);

}  // namespace skinmask
