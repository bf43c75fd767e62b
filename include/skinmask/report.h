// What an evaluation's report shows, as JSON and as one HTML page that renders that very JSON:
// curves, calibration, intervals, the decision boundary in planes of the features, and a gallery.
// docs/math.md has the definitions, docs/formats.md the keys.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skinmask/evaluation.h"
#include "skinmask/model.h"
#include "skinmask/pipeline.h"

namespace skinmask {

// ---- Curves and calibration
// -----------------------------------------------------------------------

// A point of every curve: what is above `log_odds` is called positive.
struct CurvePoint {
  double log_odds;
  Confusion counts;
};

struct Curve {
  std::vector<CurvePoint> points;   // by descending log-odds, from 'nothing' to 'everything'
  std::size_t operating_point = 0;  // its index among them
};

// `scores` has a point for each step, 100,000 and more. This keeps about `count` of them, evenly
// spaced along the curves (by the sum of the changes of recall, false-positive rate, precision and
// P), with both ends and `operating_point` as it is. Cost: two passes over the steps.
Curve ThinnedCurve(const Scores& scores, const CurvePoint& operating_point, std::size_t count);

// Pixels whose P(positive) lies in [low, high); the last bin includes 1.
struct ReliabilityBin {
  double low, high;
  std::uint64_t count = 0, positive = 0;
  double sum = 0;  // of P
  std::optional<double> MeanProbability() const;
  std::optional<double> PositiveShare() const;
};

struct Reliability {
  std::vector<ReliabilityBin> bins;
  // Expected calibration error: sum over bins of count/all * |positive share - mean probability|
  // (Naeini et al. 2015). Absent without pixels.
  std::optional<double> Ece() const;
};

// `bin_count` bins of equal width over 0..1.
Reliability ReliabilityOf(const Scores& scores, int bin_count);

// Counts of log-odds per class in bins of equal width. Scores beyond the ends are in the end bins.
struct LogOddsHistogram {
  double low = 0, width = 1;
  std::vector<std::uint64_t> positive, negative;
};

// Bins that reach from the least 2.5 % quantile of the two classes to the greatest 97.5 % one.
LogOddsHistogram LogOddsHistogramOf(const Scores& scores, int bin_count);

// ---- Intervals
// ------------------------------------------------------------------------------------

struct Interval {
  double low, high;
};
using NamedIntervals = std::vector<std::pair<std::string, std::optional<Interval>>>;

// 95 % percentile intervals of a bootstrap over images (Efron, Tibshirani 1993): pixels of one
// image are not independent, images nearly are. Ratios as in Ratios(); pooled ones come from the
// sums of the images' confusion counts, so that pooled auc, average_precision and brier, which have
// no counts, are absent; so is everything with fewer than two images. The same for every machine
// and thread count. Cost: resamples * images * 10 ns.
struct BootstrapIntervals {
  static constexpr double kConfidence = 0.95;
  NamedIntervals pooled, mean_per_image;
};
BootstrapIntervals Bootstrap(const EvaluationReport& report, int resamples, std::uint64_t seed);

// ---- Planes
// ---------------------------------------------------------------------------------------

// One of a model's features, over the values that bytes give it as far as they lie within 3.5
// standard deviations of a class's mean (or all of them, for classes without means).
struct Axis {
  std::string name;
  double low, high;
};
std::vector<Axis> AxesOf(const Model& model);

// Log-odds over a plane of two features. A third feature is held at the classes' pooled mean,
// sum_k prior_k mean_k (or mid-range, for classes without means). With one feature, y is absent and
// the grid is one row.
struct Plane {
  int x = 0;
  std::optional<int> y;
  std::optional<std::pair<int, double>> held;  // the third feature, and its value
  int size = 0;                                // points along x, and along y
  std::vector<double> log_odds;                // by rows of ascending y; NaN where no colour lies
};

// All pairs of the model's features. What the model's reference says at the eight carriers around a
// grid point is interpolated, so this needs nothing to be known of the model's kind.
// Cost: 0.1 us a grid point.
std::vector<Plane> PlanesOf(const Model& model);

// The line where log-odds equal `level`, as segments x1 y1 x2 y2 (marching squares). Where y is
// absent, the crossings of the level, from y 0 to 1.
using Segment = std::array<double, 4>;
std::vector<Segment> BoundaryOf(const Plane& plane, const std::vector<Axis>& axes, double level);

// The planes side by side as CV_8UC3: P(positive) as shade, the boundary, and each class's mean
// with the ellipses of one and two standard deviations (projected, not cut).
cv::Mat DrawPlanes(const Model& model);

// ---- The report
// -----------------------------------------------------------------------------------

// The images that a gallery shows: indices into EvaluationReport::images, worst and best first. At
// most 12 of either, none in both. By F1, an image where nothing was to be found and nothing was
// counting as 1; equals by accuracy, then in the order of the images.
struct GalleryChoice {
  std::vector<std::size_t> worst, best;
};
GalleryChoice ChooseGallery(const EvaluationReport& report);

// Small pictures of one image as data URIs (JPEG); no photograph and no probability for masks that
// were made before.
struct GalleryPictures {
  std::string name;
  std::optional<std::string> photograph, truth, probability, predicted, errors;
};

// Reads the chosen images a second time, so that evaluation need not keep pictures. Problems go to
// `run`; an image that cannot be read again is left out. `model` is null for predicted masks; with an
// adapter its masks and probabilities are shown, of images that it adapts to.
std::vector<GalleryPictures> DrawGallery(const PairOptions& options, const Model* model,
                                         const std::vector<std::string>& names, const Run& run,
                                         const Adapter* adapter = nullptr);

// Pixels of a table for plots: at most `each` of the positive class and of all others, evenly
// spaced in the table's order.
std::vector<DrawnPixel> DrawPixels(const Samples& samples, const std::string& positive,
                                   std::size_t each);

// The report without its pictures: everything that the page shows as a number. `model` is null for
// predicted masks.
std::string FullReportToJson(const EvaluationReport& report, const Model* model);

// One self-contained page that holds `json` (of FullReportToJson) and renders from it.
std::string ReportToHtml(const std::string& json, const std::vector<GalleryPictures>& pictures);

}  // namespace skinmask
