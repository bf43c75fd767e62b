// Judging a model, or masks, on images with ground truth.
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

  bool operator==(const DrawnPixel&) const = default;
};

struct EvaluationReport {
  std::string positive = "skin";
  Metrics pooled;  // over all pixels of all images
  std::vector<std::pair<std::string, Metrics>> images;
  std::size_t images_without_mask = 0;  // left out
  bool masks_look_inverted = false;     // at the threshold that was judged (MasksLookInverted)
  // With an adapter: what was done to each of the images, in their order, and who found the faces.
  std::vector<AdaptationSummary> adaptations;
  std::string finder;
  // Where they were asked for: of each image the median colour of its true positive pixels, absent
  // where it has none.
  std::vector<std::optional<Lab>> tones;
  std::vector<Grouping> groupings;  // as AddToneGroupings and AddGroupings add them
  std::optional<Scores> scores;     // pooled
  // The scores of images, as intervals need them: of each image, or of more than 1,024 files every
  // 1,024th together, so that memory does not grow with them. Empty where masks are judged.
  std::vector<CoarseScores> blocks;
  std::optional<Decision> decision;  // how the model decided; absent where masks are judged
  // P(skin) above the first and at most the second is 'I do not know', in what is told of it beside
  // the counts, which are of all pixels.
  std::optional<std::pair<double, double>> abstain;
  std::optional<ClassCounts> classes;  // of a model of more than two classes
  std::vector<DrawnPixel> drawn;       // a thousand of each side, chosen by hash; none for masks
};

// A detector on images (those of the shard) against their masks; every class but the positive one
// of its model is negative. With `above`, a threshold of the scores of the same data, positive is
// what scores above it, whatever the model's threshold, exactly as those scores count it. With
// `tones` they are in the report, for 80 ns more for each true positive pixel.
EvaluationReport EvaluateImages(const PairOptions& options, const Detector& detector,
                                const Run& run, std::optional<double> above = std::nullopt,
                                bool tones = false);
// Masks made before (`options.images`) against ground truth (`options.masks`): above 127 is
// positive. The outputs of `detect` other than masks are passed over.
EvaluationReport EvaluatePredicted(const PairOptions& options, const Run& run);
// The model on a table of labelled pixels; with no images.
EvaluationReport EvaluateTable(const Samples& samples, const Model& model);
// True where masks seem to mark everything but the positive class: of the pixels that they call
// positive, the share that is called so is smaller than of all others, by 0.2 or more over all
// pixels, and smaller in two thirds of the images. False where images hold one class only. (Data,
// and models that say the opposite of most: docs/accuracy.md, 'Masks that look inverted'.)
bool MasksLookInverted(const EvaluationReport& report);

// What is answered where the report's interval abstains; absent without one, or without scores.
std::optional<SelectivePoint> AnsweredOf(const EvaluationReport& report);

// Mean over images of each ratio, over those images where it is defined; means of the counts.
std::vector<std::pair<std::string, std::optional<double>>> MeanPerImage(
    const EvaluationReport& report);
std::vector<std::pair<std::string, std::optional<double>>> Ratios(const Metrics& metrics);

// Pixels of a table for plots: at most `each` of the positive class and of all others, evenly
// spaced in the table's order.
std::vector<DrawnPixel> DrawPixels(const Samples& samples, const std::string& positive,
                                   std::size_t each);

}  // namespace skinmask
