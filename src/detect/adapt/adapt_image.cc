// The adaptation of an image without a face to its own colours.
#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "detect/adapt/adapted_rows.h"
#include "detect/adapt/image_decision.h"
#include "detect/adapt/image_fit.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/adapt.h"

namespace skinmask {
namespace {

constexpr double kCertainLogOdds = 1000;  // more than colours and calibration can give
constexpr double kUnsure = 1;             // the greatest distance of an unsure pixel's log-odds
constexpr double kBelow = 0.5;            // how far below the threshold removed skin is put

// Puts connected components of the skin with fewer than `least` cells just below the threshold: in
// `offset` (Adaptation::offset) and in `z`, log-odds relative to the threshold. A pixel of the
// large image may be more like skin than the mean of its cell, so every cell of a component gets
// the offset that its likeliest cell needs. The cells around it get the same, because a cell that
// is half skin may be below the threshold in the mean, and the maps are interpolated between the
// centres of cells.
void RemoveParts(double least, cv::Mat& z, cv::Mat& offset) {
  constexpr int kAround = 2;
  cv::Mat labels, stats, centroids;
  const int parts = cv::connectedComponentsWithStats(z > 0, labels, stats, centroids);
  for (int part = 1; part < parts; ++part) {
    const int* const stat = stats.ptr<int>(part);
    if (stat[cv::CC_STAT_AREA] >= least) continue;
    const cv::Rect box(stat[cv::CC_STAT_LEFT] - kAround, stat[cv::CC_STAT_TOP] - kAround,
                       stat[cv::CC_STAT_WIDTH] + 2 * kAround,
                       stat[cv::CC_STAT_HEIGHT] + 2 * kAround);
    const cv::Rect around = box & cv::Rect({}, z.size());
    cv::Mat cells = labels(around) == part;
    double most = 0;
    cv::minMaxLoc(z(around), nullptr, &most, nullptr, nullptr, cells);
    cv::subtract(z(around), most + kBelow, z(around), cells);
    cv::dilate(cells, cells, cv::Mat(), {-1, -1}, kAround);
    cells &= (labels(around) == part) | (labels(around) == 0);
    cv::Mat there = offset(around), lowered = there.clone();
    lowered.setTo(-most - kBelow, cells);
    cv::min(there, lowered, there);
  }
}

// P(some of an image without a face is skin), by logistic regression on whether its histogram has a
// valley, and on the share of the pixels called skin (docs/accuracy.md has its reliability).
double AnySkin(bool is_valley, double skin) {
  constexpr double kLeast = 1e-3;  // of the share
  return Logistic(0.9 + (is_valley ? 2.4 : 0) + 1.2 * std::log10(std::max(skin, kLeast)));
}

}  // namespace

// The small image divided in one light.
struct Adapter::Divided {
  Adaptation adaptation;
  double skin = 0;    // share of the image
  double unsure = 0;  // unsure pixels for each pixel of skin
  bool is_valley = false;
  cv::Mat z;  // log-odds relative to the threshold, without small components
};

Adapter::Divided Adapter::Divide(const cv::Mat& small, const Gains& gains,
                                 std::optional<ImageView>& past, double rate) const {
  const ImageDecisionOptions& options = options_.image;
  const double most = options.max_global_log_odds;
  const double stops = StopsOf(InLight(small, LightTable(gains, 0)), options);
  const double past_stops = past ? past->stops : stops;
  Divided divided;
  Adaptation& adaptation = divided.adaptation;
  adaptation.summary.stops = past_stops + rate * (stops - past_stops);
  adaptation.light = LightTable(gains, adaptation.summary.stops);
  const cv::Mat lit = InLight(small, adaptation.light);
  const ImageHistogram histogram(GlobalLogOdds(lit, most));
  if (!past) past = {stops, histogram};
  past->stops = adaptation.summary.stops;
  past->histogram.Blend(histogram, rate);
  const Division division = DivisionOf(past->histogram, options);
  divided.is_valley = past->valley.Decide(division.height < options.max_valley, rate);
  const double threshold = divided.is_valley ? division.log_odds : options.sure_log_odds;
  const std::optional<ImageModel> model =
      FitToSides(lit, GlobalLogOdds(lit, most, threshold), image_options_);
  if (model) {
    adaptation.local.emplace(Components(*model), 0);
    adaptation.distances = Distances(*model);
  }
  if (model || divided.is_valley) {
    adaptation.shift = adaptation.summary.shift = threshold;
    adaptation.summary.by = AdaptationSummary::By::kImage;
  }
  adaptation.offset = cv::Mat::zeros(small.size(), CV_32FC1);
  divided.z = EvidenceOf(small, adaptation);
  const int unsure = cv::countNonZero(cv::abs(divided.z) < kUnsure);
  RemoveParts(options.min_component * static_cast<double>(small.total()), divided.z,
              adaptation.offset);
  const int skin = cv::countNonZero(divided.z > 0);
  divided.skin = skin / static_cast<double>(small.total());
  divided.unsure = unsure / std::max(1., 1. * skin);
  return divided;
}

Adaptation Adapter::AdaptToImage(const cv::Mat& small, bool is_monochrome, ImagePast& past,
                                 double rate) const {
  const ImageDecisionOptions& options = options_.image;
  if (options.require_face) {
    Adaptation nobody;
    nobody.offset = cv::Mat(small.size(), CV_32FC1, cv::Scalar(-kCertainLogOdds));
    nobody.summary.by = AdaptationSummary::By::kNobody;
    past.is_new = false;
    return nobody;
  }
  // In a stream the bounds of other lights are wider for staying as the last frame was judged, and
  // narrower for a change, so that the decision does not change with noise.
  constexpr double kStay = 1.5;
  const double wider = past.is_new ? 1 : kStay;
  const Gains usual{options.usual_blue, 1, options.usual_red};
  Divided divided = Divide(small, is_monochrome ? kAsItIs : usual, past.usual, rate);
  // Another light is assumed only if the rest of the image is a background, and if there are this
  // many times fewer unsure pixels for each pixel of skin.
  constexpr double kFewer = 4;
  const double usual_unsure = divided.unsure;
  const auto try_light = [&](const Gains& gains, double most_unsure, double least_skin,
                             double most_skin, OtherLight& light) {
    const double stay = light.is_assumed ? wider : 1 / wider;
    Divided other = Divide(small, gains, light.past, rate);
    light.is_assumed = other.is_valley &&
                       other.skin > (light.is_assumed ? least_skin / wider : least_skin) &&
                       other.skin < most_skin && other.unsure < stay * most_unsure &&
                       other.unsure < stay * usual_unsure / kFewer;
    if (light.is_assumed) divided = std::move(other);
  };
  if (!is_monochrome && usual_unsure > 0 && options.max_unsure_cool > 0) {
    constexpr double kMaxSkin = 0.6;
    try_light({options.cool_blue, 1, options.cool_red}, options.max_unsure_cool, 0, kMaxSkin,
              past.cool);
    divided.adaptation.summary.cool = past.cool.is_assumed;
  } else {
    past.cool = {};
  }
  // Dark skin that fills most of an image is much darker than what sets the exposure. Of wood, sand
  // and stone at most two fifths of an image stand apart so.
  if (!is_monochrome && !past.cool.is_assumed && options.max_unsure_dark > 0 &&
      usual_unsure > options.max_unsure_dark * (past.dark.is_assumed ? 1 / wider : wider)) {
    constexpr double kLeastSkin = 0.5;
    const double gain = options.dark_gain;
    try_light({gain * usual[0], gain * usual[1], gain * usual[2]}, options.max_unsure_dark,
              kLeastSkin, 1, past.dark);
    if (past.dark.is_assumed) divided.adaptation.summary.stops += std::log2(gain);
  } else {
    past.dark = {};
  }
  divided.adaptation.summary.any_skin = AnySkin(divided.is_valley, divided.skin);
  // A few pixels that are no skin do little harm, and a few that are may be a distant hand.
  constexpr double kFew = 0.05;  // share of the image
  const double most_unsure =
      options.max_unsure * (divided.is_valley ? 1 : options.unsure_without_valley);
  past.is_new = false;
  if (past.unclear.Decide(divided.unsure > most_unsure && divided.skin > kFew, rate)) {
    // The same offset everywhere: in the large image, grain may be more like skin than the mean of
    // its cell also where no cell is skin, and in a stream things move before the next fit.
    // A pixel is rarely more like skin than the likeliest cell by more than kGrain.
    constexpr double kGrain = 2;
    double most = 0;
    cv::minMaxLoc(divided.z, nullptr, &most);
    divided.adaptation.offset -= cv::Scalar(std::max(most, 0.) + kGrain);
    divided.adaptation.summary.unclear = true;
  }
  return std::move(divided.adaptation);
}

}  // namespace skinmask
