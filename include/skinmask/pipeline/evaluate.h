// Evaluates a model, or masks, on images with ground truth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skinmask/data/samples.h"
#include "skinmask/data/tone.h"
#include "skinmask/detect/detector.h"
#include "skinmask/learn/class_counts.h"
#include "skinmask/learn/coarse_scores.h"
#include "skinmask/learn/evaluation.h"
#include "skinmask/learn/selective.h"
#include "skinmask/model/model.h"
#include "skinmask/pipeline/collect_samples.h"
#include "skinmask/pipeline/grouping.h"
#include "skinmask/pipeline/run.h"

namespace [[gnu::visibility("default")]] skinmask {

// Confusion counts and the measures derived from them. A ratio is absent if it is 0/0 or needs
// scores that do not exist.
struct Metrics {
  Confusion counts;
  std::optional<double> accuracy, precision, recall, specificity, f1, iou;
  std::optional<double> auc, average_precision, brier;
};
Metrics MetricsOf(const Evaluation& evaluation);

// A judged pixel, for plots.
struct DrawnPixel {
  std::array<std::uint8_t, 3> bgr;
  bool positive;

  bool operator==(const DrawnPixel&) const = default;
};

// How an image was adapted, as `adaptation` in the JSON of results (docs/formats.md).
std::string AdaptationToJson(const AdaptationSummary& summary);

struct EvaluationReport {
  std::string positive = "skin";
  Metrics pooled;  // over all pixels of all images
  std::vector<std::pair<std::string, Metrics>> images;
  std::size_t images_without_mask = 0;  // left out
  bool masks_look_inverted = false;     // see MasksLookInverted
  // With an adapter: the adaptation of each image, in their order, and the name of the face finder.
  std::vector<AdaptationSummary> adaptations;
  std::string finder;
  // If requested: for each image the median colour of its true positive pixels; absent if it has
  // none.
  std::vector<std::optional<Lab>> tones;
  std::vector<Grouping> groupings;  // filled by AddToneGroupings and AddGroupings
  std::optional<Scores> scores;     // pooled
  // The scores of blocks of images, for confidence intervals. A block is one image or, if there are
  // more than 1,024 images, every 1,024th image, so that memory stays bounded. Empty if masks are
  // evaluated.
  std::vector<CoarseScores> blocks;
  // The decision rule of the model; absent if masks are evaluated.
  std::optional<Decision> decision;
  // The interval of abstention: a pixel with P(skin) above `first` and at most `second` is not
  // answered. The counts above cover all pixels; only AnsweredOf uses the interval.
  std::optional<std::pair<double, double>> abstain;
  std::optional<ClassCounts> classes;  // if CountsClasses(model)
  std::vector<DrawnPixel> drawn;       // a thousand positive and a thousand negative pixels, chosen
                                       // by hash; none for masks
};

// Evaluates a detector on the images of the shard against their masks. Every class other than the
// positive class of the model is negative. With `above`, which is a threshold in the scores of the
// same data, the counts classify as positive what scores above it, exactly as those scores count
// it, instead of by the model's threshold. With `tones` the report has tones, which costs 80 ns for
// each true positive pixel.
EvaluationReport EvaluateImages(const PairOptions& options, const Detector& detector,
                                const Run& run, std::optional<double> above = std::nullopt,
                                bool tones = false);
// Evaluates existing masks (`options.images`) against ground truth (`options.masks`): values above
// 127 are positive. Outputs of `detect` other than masks are skipped.
EvaluationReport EvaluatePredicted(const PairOptions& options, const Run& run);
// Evaluates a model on a table of labelled pixels. The report has no images.
EvaluationReport EvaluateTable(const Samples& samples, const Model& model);
// True if the masks seem to mark everything except the positive class: the false positive rate
// exceeds the recall by 0.2 or more over all pixels, and exceeds it at all in two thirds of the
// images. Images with one class only are not counted. (Data, and the case of models that are worse
// than chance: docs/accuracy.md, 'Masks that look inverted'.)
bool MasksLookInverted(const EvaluationReport& report);

// The scores of the answered pixels if the report has an interval of abstention; absent without
// interval or scores.
std::optional<SelectivePoint> AnsweredOf(const EvaluationReport& report);

// The mean over images of each count and of each ratio; a ratio is averaged over the images where
// it is defined.
using NamedRatios = std::vector<std::pair<std::string, std::optional<double>>>;
NamedRatios MeanPerImage(const EvaluationReport& report);
NamedRatios Ratios(const Metrics& metrics);

// Pixels of a table for plots: at most `each` of the positive class and of all others, evenly
// spaced in the table's order.
std::vector<DrawnPixel> DrawPixels(const Samples& samples, const std::string& positive,
                                   std::size_t each);

}  // namespace skinmask
